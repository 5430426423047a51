# SPDX-License-Identifier: Apache-2.0
"""Compare the logs of two runs, ignoring times, addresses and names of runs."""

import re
import tempfile
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.processes import CommandRunner, run_command
from core.runs.alignment import Hunk, hunks
from core.runs.log.tail import LogFile
from core.runs.sanitize import plain_line
from core.runs.store import RunRecord
from core.sources import READING, reading

_MOST_BYTES = 16 * 2**20
"""Of longer logs, only the ends are compared."""
_PATIENCE_SECONDS = 60.0
_DIFF = ("diff", "--no-index", "--no-color", "--no-ext-diff", "--no-textconv", "--text", "--histogram", "--")

_CLOCK = r"\d\d:\d\d:\d\d(?:[.,]\d+)?"
_VOLATILE = (
    (re.compile(rf"\b\d{{4}}-\d\d-\d\d[T ]{_CLOCK}(?:Z|[+-]\d\d:?\d\d)?|\b{_CLOCK}\b"), "<time>"),
    (re.compile(r"\b\d{8}-\d{6}-[0-9a-f]{6}\b"), "<run>"),
    (re.compile(r"\b0x[0-9a-fA-F]+\b"), "<address>"),
    (re.compile(r"\b[0-9a-f]{32,}\b"), "<hex>"),
    (re.compile(r"\b\d+(?:\.\d+)?(?:e-?\d+)? ?(?:ns|us|µs|ms|s|sec|secs|seconds|minutes)\b"), "<duration>"),
    (re.compile(r"\b\d+(?:\.\d+)? ?(?:it/s|s/it)"), "<rate>"),
    (re.compile(r"\b(pid|PID|tid|TID|Process|Thread)([ =:#-]{1,2})\d+"), r"\1\2<number>"),
    (re.compile(r"/tmp/[\w./+-]+"), "<temporary>"),
)
"""Patterns of text that differs between any two runs of a test, with their placeholders."""


def settled(line: str) -> str:
    """A line without the parts that differ from run to run."""
    for pattern, stand_in in _VOLATILE:
        line = pattern.sub(stand_in, line)
    return line


def compare_logs(one: RunRecord, other: RunRecord, runner: CommandRunner = run_command) -> Sequence[str]:
    """The differences from `one` to `other` as a unified diff of settled lines; empty if there are none.

    Raises TTMatrixError if a log cannot be read or git fails.
    """
    with tempfile.TemporaryDirectory(prefix="ttmatrix-compare-") as scratch:
        names = ("one", "other")
        cut = [_write(record.log, Path(scratch) / name) for record, name in zip((one, other), names, strict=True)]
        done = runner(reading(*_DIFF, *names), cwd=Path(scratch), env=READING, timeout=_PATIENCE_SECONDS)
    if done.returncode not in (0, 1):
        raise TTMatrixError("The logs cannot be compared", done.stderr.strip())
    lines = done.stdout.split("\n")
    first = next((at for at, line in enumerate(lines) if line.startswith("@@")), len(lines))
    heads = [
        f"{sign} {_name(record, part)}" for sign, record, part in zip(("---", "+++"), (one, other), cut, strict=True)
    ]
    return [*heads, *lines[first:-1]] if first < len(lines) else []


def _write(log: Path, target: Path) -> bool:
    """Write a log in the form to compare; returns whether only its end was taken."""
    lines = (settled(plain_line(line)) for line in LogFile(log).last(_MOST_BYTES))
    target.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", errors="replace")
    return log.is_file() and log.stat().st_size > _MOST_BYTES


def _name(record: RunRecord, part: bool) -> str:
    words = (record.spec.run_id, str(record.outcome or record.state), "its end" if part else "")
    return "  ".join(filter(None, words))


def side_by_side(one: RunRecord, other: RunRecord, runner: CommandRunner = run_command) -> list[tuple[str, str, bool]]:
    """Both logs line by line, unsettled but safe to show, with whether the pair of lines differs.

    A line that only one of them has is beside an empty one. Raises as `compare_logs` does.
    """
    left, right = ([plain_line(line) for line in LogFile(record.log).last(_MOST_BYTES)] for record in (one, other))
    rows: list[tuple[str, str, bool]] = []
    at = other_at = 0
    for hunk in (*hunks(map(settled, left), map(settled, right), runner), Hunk(len(left), 0, len(right), 0)):
        same = zip(left[at : hunk.left], right[other_at : hunk.right], strict=True)
        rows += ((a, b, False) for a, b in same)
        at, other_at = hunk.left + hunk.left_count, hunk.right + hunk.right_count
        apart = zip_longest(left[hunk.left : at], right[hunk.right : other_at], fillvalue="")
        rows += ((a, b, True) for a, b in apart)
    return rows
