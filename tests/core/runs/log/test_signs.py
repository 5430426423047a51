# SPDX-License-Identifier: Apache-2.0
"""core.runs.log.signs: errors as tools write them, and the one that serves as reason."""

import pytest
from hypothesis import given, strategies as st

from core.runs.log import SignKind, cause_line, sign_of
from core.runs.log.signs import SIGNS, is_error

FATAL = "TT_FATAL: DRAM Auto slice could not find valid slice configuration on output dimension 1 (assert.hpp:104)"
CODE = "E   RuntimeError: Bad StatusOr access: INTERNAL: Error code: 13"


@pytest.mark.parametrize(
    "line",
    [
        "Traceback (most recent call last):",
        f"2026-01-02 12:00:01.123 | critical | Always | {FATAL}",
        "TT_THROW @ /tt-metal/bank_manager.cpp:12: tt::exception",
        "loc(\"m.py\":1:2): error: failed to legalize operation 'ttir.convolution'",
        "module.mlir:3:12: error: 'stablehlo.gather' op slice size out of bounds",
        "E   AssertionError: Evaluation result 0 failed: PCC comparison failed. Calculated: pcc=0.5. Required: pcc=0.99.",
        "torch.OutOfMemoryError: no room",
        "BFLOAT16: FAILED in forward: ValueError: x",
        "Fatal Python error: Segmentation fault",
        "##[error]The action 'Run tests' has timed out after 240 minutes.",
        CODE,
    ],
)
def test_errors(line: str) -> None:
    assert is_error(line)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("===== BFLOAT16 =====", SignKind.PHASE),
        ("=================== ERRORS ===================", SignKind.PHASE),
        ("stage TTMLIR_COMPILATION_START", SignKind.STAGE),
        ("model.error: fine", None),
        ("0 errors", None),
        ('TTMATRIX-RESULT {"message": "RuntimeError: error: x"}', None),
        ("ErrorHandler is ready", None),
        ("", None),
    ],
)
def test_what_is_none(line: str, kind: SignKind | None) -> None:
    sign = sign_of(line)
    assert (sign.kind if sign else None) is kind
    assert not is_error(line)


def test_the_root_is_reported_and_not_what_follows_from_it() -> None:
    log = ["module.mlir:3:12: error: bad gather", "TT_FATAL @ /a.cpp:1: x == y", "info:", "Only 3 dims", "trace:", CODE]
    assert cause_line(log) == "Only 3 dims"
    assert cause_line([log[0], CODE]) == "error: bad gather"
    assert cause_line(["ValueError: first", "RuntimeError: second"]) == "ValueError: first"
    assert cause_line([f"2026-01-02 12:00:01.123 | critical | Always | {FATAL}"]) == FATAL


@pytest.mark.parametrize("lines", [[CODE], ["ValueError: Error code: 13"], ["all is well"], []])
def test_what_says_nothing_is_not_reported(lines: list[str]) -> None:
    assert cause_line(lines) == ""


@given(
    st.lists(st.sampled_from([CODE, "error: " + "word " * 60, "RuntimeError: " + "x" * 300, "fine", "info:", FATAL]))
)
def test_a_reason_is_short_and_one_line(lines: list[str]) -> None:
    told = cause_line(lines)
    assert len(told) <= 200
    assert "Error code" not in told
    assert "\n" not in told


@pytest.mark.parametrize("line", ["INTERRUPT", FATAL, CODE, "x | y | error: z"])
def test_no_sign_is_lost_by_looking_for_its_words_first(line: str) -> None:
    assert (sign_of(line) is not None) is any(sign.pattern.search(line) for sign in SIGNS)
