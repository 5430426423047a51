# SPDX-License-Identifier: Apache-2.0
"""Differences between two sequences of texts, found by git, which is fast for millions of them."""

import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from core.base.errors import TTMatrixError
from core.base.processes import CommandRunner, run_command
from core.sources import READING, reading

_PATIENCE_SECONDS = 120.0
_DIFF = ("diff", "--no-index", "--no-color", "--no-ext-diff", "--no-textconv", "--text", "--histogram", "-U0", "--")
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


class Hunk(NamedTuple):
    """A range in which the sequences differ."""

    left: int
    """Its start on the left, from 0."""
    left_count: int
    right: int
    right_count: int


def hunks(left: Iterable[str], right: Iterable[str], runner: CommandRunner = run_command) -> Iterator[Hunk]:
    """The ranges that differ, in order; no text may have a line end. Raises TTMatrixError if git fails."""
    with tempfile.TemporaryDirectory(prefix="ttmatrix-compare-") as scratch:
        names = ("left", "right")
        for name, texts in zip(names, (left, right), strict=True):
            written = "".join(f"{text}\n" for text in texts)
            (Path(scratch) / name).write_text(written, encoding="utf-8", errors="replace")
        done = runner(reading(*_DIFF, *names), cwd=Path(scratch), env=READING, timeout=_PATIENCE_SECONDS)
    if done.returncode not in (0, 1):
        raise TTMatrixError("The texts cannot be compared", done.stderr.strip())
    for match in filter(None, map(_HUNK.match, done.stdout.splitlines())):
        start, count, other, other_count = (1 if text is None else int(text) for text in match.groups())
        # For an empty range, git names the line before it.
        yield Hunk(start - bool(count), count, other - bool(other_count), other_count)
