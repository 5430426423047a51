# SPDX-License-Identifier: Apache-2.0
"""core.workflows.outcomes: the table from a device result to fields, and from fields to operations."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

from core.edits.apply import after
from core.evidence import Ending
from core.evidence.ending_fields import PROMOTED, UNCHECKED
from core.workflows import DeviceResult
from core.workflows.outcomes import expected_failure, operations, wanted
from tests.support.triage import TARGET, member

XFAIL = {"status": "KNOWN_FAILURE_XFAIL", "bringup_status": "FAILED_FE_COMPILATION"}


@pytest.mark.parametrize(
    ("ending", "reason", "stage", "fields"),
    [
        (Ending.PASSED, "", "", PROMOTED),
        (Ending.INACCURATE, "pcc=0.5", "", {**PROMOTED, **UNCHECKED}),
        (Ending.FAILED, "ValueError: x", "", {**XFAIL, "reason": "ValueError: x"}),
        (
            Ending.FAILED,
            "ValueError: x",
            "FAILED_RUNTIME",
            {**XFAIL, "bringup_status": "FAILED_RUNTIME", "reason": "ValueError: x"},
        ),
        (
            Ending.CRASHED,
            "crashed with SIGABRT",
            "",
            {
                "status": "NOT_SUPPORTED_SKIP",
                "bringup_status": "FAILED_TTMLIR_COMPILATION",
                "reason": "crashed with SIGABRT",
            },
        ),
        (Ending.FAILED, "Error code: 13", "", None),
        (Ending.HUNG, "", "", {"status": "NOT_SUPPORTED_SKIP", "reason": "Test hangs"}),
        (Ending.SLOW, "", "", None),
        (Ending.OUT_OF_TIME, "", "", None),
        (Ending.NOT_RUN, "", "", None),
        (Ending.BROKEN, "pip failed", "", None),
    ],
)
def test_what_an_outcome_comes_to(ending: Ending, reason: str, stage: str, fields: dict[str, object] | None) -> None:
    found = wanted(DeviceResult(TARGET, ending, reason, stage))
    assert found.fields == fields
    assert found.why


@given(
    st.sampled_from([PROMOTED, expected_failure("ValueError: x"), {**PROMOTED, "assert_pcc": False}]),
    st.dictionaries(
        st.sampled_from(["status", "bringup_status", "reason", "assert_pcc", "markers"]), st.sampled_from(["a", False])
    ),
)
def test_operations_make_the_entry_say_it_and_touch_nothing_else(
    fields: dict[str, object], before: dict[str, Any]
) -> None:
    about = type(member())(TARGET, "f.yaml", before)
    result: Any = before
    for operation in operations(about, fields):
        result = after(result, operation)
    assert {name: result.get(name) for name in fields} == fields
    assert {k: v for k, v in result.items() if k not in fields} == {k: v for k, v in before.items() if k not in fields}


def test_an_entry_that_says_it_already_needs_no_operation() -> None:
    assert operations(member(TARGET, "ValueError: x", bringup_status="FAILED_FE_COMPILATION"), {**XFAIL}) == ()


def test_an_observation_survives_being_stored() -> None:
    one = DeviceResult(TARGET, Ending.CRASHED, "crashed", "FAILED_RUNTIME", "crashed")
    assert DeviceResult.of(one.to_fields()) == one
    # A session from before results had a line to quote.
    assert wanted(DeviceResult.of({"id": TARGET, "ending": "failed", "reason": "ValueError: x\nmore"})).fields == {
        **XFAIL,
        "reason": "ValueError: x",
    }


def test_what_says_nothing_but_error_code_13_is_never_written() -> None:
    assert expected_failure("RuntimeError: Bad StatusOr access: INTERNAL: Error code: 13") == {}
