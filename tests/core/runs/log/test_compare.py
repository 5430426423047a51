# SPDX-License-Identifier: Apache-2.0
"""core.runs.log.compare: two logs of one test differ in what a person would call a difference, and in nothing else."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.base.processes import CommandResult
from core.runs.log import compare_logs
from core.runs.log.compare import settled
from core.runs.store import RunRecord
from core.runs.store.record import fold
from tests.core.runs.store.test_record import SPEC

NAMES = ("20261121-073215-ab12cd", "20261121-093215-ff12cd")


def records(root: Path, one: str, other: str) -> tuple[RunRecord, RunRecord]:
    found = [fold(replace(SPEC, run_id=name), root, []) for name in NAMES]
    for record, text in zip(found, (one, other), strict=True):
        record.directory.mkdir(parents=True)
        record.log.write_text(text)
    return found[0], found[1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2026-11-21 07:32:15.123 | info", "2026-11-22T08:00:00,9 | info"),
        ("at 07:32:15 it began", "at 23:59:59.5 it began"),
        ("tensor at 0x7f00ab12", "tensor at 0xdeadbeef"),
        ("took 1.25 s and 30ms", "took 300 s and 1ms"),
        ("12.5it/s, 3 s/it", "1it/s, 4.5 s/it"),
        ("[pid 123] Thread-4", "[pid 99] Thread-17"),
        (f"/home/me/runs/{NAMES[0]}/junit.xml", f"/home/me/runs/{NAMES[1]}/junit.xml"),
        ("nonce " + "a1" * 16, "nonce " + "b2" * 16),
        ("in /tmp/abc/x.py", "in /tmp/def/y.py"),
    ],
)
def test_what_differs_from_run_to_run_is_no_difference(tmp_path: Path, one: str, other: str) -> None:
    assert settled(one) == settled(other)
    assert compare_logs(*records(tmp_path, f"{one}\n", f"{other}\n")) == []


def test_shapes_values_and_words_are_differences() -> None:
    for text in ("tensor [1, 3, 32]", "PCC 0.98", "Error code: 13", "status 200", "step 5 of 7", "s01"):
        assert settled(text) == text


def test_a_difference_is_shown_with_what_is_around_it(tmp_path: Path) -> None:
    lines = [f"line {number} at 0x{number}" for number in range(50)]
    other = [*lines[:20], "\x1b[31mTT_FATAL: no\x1b[0m", *lines[21:]]
    told = compare_logs(*records(tmp_path, "\n".join(lines) + "\n", "\n".join(other) + "\n"))
    assert told[:2] == [f"--- {NAMES[0]}  lost", f"+++ {NAMES[1]}  lost"]
    assert [line for line in told[3:] if line[0] in "+-"] == ["-line 20 at <address>", "+TT_FATAL: no"]
    assert len(told) < 14


def test_a_log_that_is_missing_is_an_empty_one(tmp_path: Path) -> None:
    one, other = records(tmp_path, "x\n", "x\n")
    other.log.unlink()
    assert compare_logs(one, other)[2:] == ["@@ -1 +0,0 @@", "-x"]


def test_git_that_fails_is_reported(tmp_path: Path) -> None:
    def fails(*_: object, **__: object) -> CommandResult:
        return CommandResult((), 129, "", "usage: git")

    with pytest.raises(TTMatrixError, match="cannot be compared") as caught:
        compare_logs(*records(tmp_path, "x", "y"), runner=fails)
    assert caught.value.detail == "usage: git"
