# SPDX-License-Identifier: Apache-2.0
"""Entries that a person asked to keep as they are: by a comment at the entry, or by the policy's list."""

import re
from collections.abc import Iterable, Iterator, Mapping

from core.evidence.policy import Policy
from core.sources.expectation_file import ExpectationFile

_MARK = re.compile(r"#\s*ttmatrix:keep\b[ \t:-]*([^\n\r]*)")
_NO_REASON = "no reason given"


def pins(files: Iterable[ExpectationFile], policy: Policy) -> Mapping[str, str]:
    """Why each pinned entry is to stay, by id. The comment stands in the entry or directly above it.

    A comment says more than a pattern of the policy, so it counts first.
    """
    found: dict[str, str] = {}
    for file in files:
        if policy.keep:
            found |= {entry.id: why for entry in file.entries if (why := policy.pinned(entry.id))}
        found |= dict(_marked(file))
    return found


def _marked(file: ExpectationFile) -> Iterator[tuple[str, str]]:
    if "ttmatrix:keep" not in file.text:
        return
    lines = file.text.split("\n")
    marks = {at: match[1].strip() or _NO_REASON for at, line in enumerate(lines, 1) if (match := _MARK.search(line))}
    for entry in file.entries:
        first = entry.line
        while first > 1 and lines[first - 2].lstrip().startswith("#"):
            first -= 1
        for at in range(first, entry.end_line + 1):
            if at in marks:
                yield entry.id, marks[at]
                break
