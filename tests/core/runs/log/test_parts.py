# SPDX-License-Identifier: Apache-2.0
"""core.runs.log.parts: which lines of a session's log belong to which test."""

from core.runs.log import parts_of

A, B = (
    "test_all_models_torch[a/pytorch-One-single_device-inference]",
    "test_llms_torch[b/pytorch-single_device-inference]",
)
LOG = f"""collected 2 items

tests/runner/test_models.py::{A} loading
error: failed to legalize a
FAILED                                       [ 50%]
tests/runner/test_models.py::{B} PASSED [100%]
more of b
=================================== FAILURES ===================================
_ {A} _
E   RuntimeError: a
----------------------------- Captured stderr call -----------------------------
TT_FATAL: a
____ ERROR at teardown of {B} ____
E   ValueError: b
=========================== short test summary info ============================
FAILED tests/runner/test_models.py::{A} - RuntimeError: a
[gw1] [ 50%] PASSED tests/runner/test_models.py::{B}
of nobody
"""


def test_each_test_has_what_came_after_its_name() -> None:
    parts = parts_of(LOG.splitlines())
    assert list(parts) == [A, B]
    assert parts[A] == [
        " loading",
        "error: failed to legalize a",
        "FAILED                                       [ 50%]",
        "E   RuntimeError: a",
        "----------------------------- Captured stderr call -----------------------------",
        "TT_FATAL: a",
    ]
    assert parts[B] == [" PASSED [100%]", "more of b", "E   ValueError: b"]


def test_a_log_without_names_belongs_to_nobody() -> None:
    assert (
        parts_of(["error: x", "=== 1 failed ===", "FAILED tests/x.py::test_a[b]", "", "see tests/x.py::test_a[b]"])
        == {}
    )
