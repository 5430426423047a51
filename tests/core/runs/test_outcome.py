# SPDX-License-Identifier: Apache-2.0
"""core.runs.outcome: one word for an end, and result lines that cannot be forged by printing."""

import json
from pathlib import Path

import pytest

from core.runs import RESULT_PREFIX, Outcome, judge, parse_result
from core.runs.outcome import read_result, signal_name


def line(nonce: str = "n", version: int = 1, **more: object) -> str:
    return RESULT_PREFIX + json.dumps({"version": version, "nonce": nonce, **more})


@pytest.mark.parametrize(
    ("exit_code", "result", "expected"),
    [
        (0, {}, Outcome.PASS),
        (1, {}, Outcome.FAIL),
        (2, {}, Outcome.ERROR),
        (0, None, Outcome.ERROR),
        (1, None, Outcome.ERROR),
        (137, {}, Outcome.ERROR),
        (-11, None, Outcome.CRASH),
        (-11, {}, Outcome.CRASH),
    ],
)
def test_code_and_result_together_decide(exit_code: int, result: dict[str, object] | None, expected: Outcome) -> None:
    assert judge(exit_code, result) is expected


def test_only_the_last_line_with_the_nonce_counts() -> None:
    text = "\n".join(["noise", line(turn=1), line("other", turn=2), line(turn=3), line("other"), "after"])
    assert parse_result(text, "n") == {"version": 1, "nonce": "n", "turn": 3}
    assert parse_result(text, "absent") is None


@pytest.mark.parametrize(
    "bad",
    [
        RESULT_PREFIX + "{",
        RESULT_PREFIX + "[1]",
        line(version=2),
        "x" + line(),
        RESULT_PREFIX + '{"version": 1, "nonce": "n", "pcc": NaN}',
        RESULT_PREFIX + '{"version": 1, "nonce": "n", "pcc": 1e999}',
        RESULT_PREFIX + "[" * 100_000,
    ],
)
def test_a_line_that_is_no_strict_result_is_passed_over(bad: str) -> None:
    assert parse_result(bad, "n") is None
    assert parse_result(f"{line(good=True)}\n{bad}", "n") == {"version": 1, "nonce": "n", "good": True}


def test_the_result_is_found_in_the_end_of_a_long_log(tmp_path: Path) -> None:
    log = tmp_path / "output.log"
    log.write_text("x" * 6_000_000 + "\n" + line() + "\nlate noise \udce4".encode("utf-8", "replace").decode())
    assert read_result(log, "n") == {"version": 1, "nonce": "n"}
    assert read_result(tmp_path / "absent", "n") is None


def test_signals_have_their_names() -> None:
    assert signal_name(11) == "SIGSEGV"
    assert signal_name(999) == "signal 999"
