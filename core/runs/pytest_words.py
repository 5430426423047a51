# SPDX-License-Identifier: Apache-2.0
"""Why pytest has not run the one test it was asked for, in its own words: what stands in a log and in a report."""

import re
from collections.abc import Sequence

from core.runs.junit import Testcase
from core.runs.outcome import Outcome

_SIGNS = (
    re.compile(r"^E\s+((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exit|Missing)\b.*)"),
    re.compile(r"^(?:INTERNALERROR> )((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exit)\b.*)"),
    re.compile(r"^[^:]*: error: (.+)"),
    re.compile(r"^ERROR: (?!usage:|not found:|file or directory not found)(?:found no collectors for )?(\S.*)"),
    re.compile(r"^((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exit)\b: .*)"),
    re.compile(r"^\S*: (No module named \S+)$"),
    re.compile(r"\b(\d+ deselected)\b"),
    re.compile(r"^ERROR: ((?:not found:|file or directory not found).*)"),
)
"""The best first: what was raised, what the command line lacks, and last that the test is not there."""


def why_not_run(log: Sequence[str], cases: Sequence[Testcase], directory: str) -> str:
    """The line that says why a test is not in the report; empty where none does.

    `log` are its last lines as they are shown, `cases` what the report holds instead, `directory` that of the loader:
    of what cannot be imported, only this matters.
    """
    # As ttmatrix's own runner and as tt-xla's says it.
    imported = re.compile(rf"[Cc]annot import (?:path: \S*?)?{re.escape(directory)}(?:/loader\.py)?: (.+)")
    found = _first(imported, log)
    if found:
        return f"cannot import {directory}: {found}"
    # pytest writes what it cannot collect as a testcase that bears the name of the file.
    failed = next((case for case in cases if case.outcome is Outcome.ERROR and "[" not in case.name), None)
    if failed is not None:
        return _first(_SIGNS[0], failed.text.splitlines()) or failed.message
    return next((text for one in _SIGNS if (text := _first(one, log))), "")


def _first(pattern: re.Pattern[str], lines: Sequence[str]) -> str:
    found = (pattern.search(line) for line in lines)
    return next((match[1].strip() for match in found if match), "")
