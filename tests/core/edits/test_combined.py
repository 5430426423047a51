# SPDX-License-Identifier: Apache-2.0
"""An edited pending change keeps its meaning, followed by that of the edit."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.base.errors import UsageError
from core.edits import Operation, OpKind, combined, with_operations
from core.edits.apply import after
from core.edits.bulk import ENTRY_SCOPE, present_text, set_fields
from core.edits.checks import without_no_ops
from core.matrix import Matrix, index
from tests.support.tree import INFERENCE, sample

TINY = "alpha/pytorch-tiny-single_device-inference"
NAME = "alpha/pytorch-org/name-single_device-inference"
NEW = "gamma/jax-Base-single_device-inference"
SKIP = Operation(OpKind.SET, TINY, INFERENCE, ("status",), "NOT_SUPPORTED_SKIP")


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return index(sample(tmp_path_factory.mktemp("checkout")))


def test_the_form_begins_with_what_is_proposed(matrix: Matrix) -> None:
    proposed = with_operations(matrix, [SKIP])
    assert present_text(proposed, [TINY], ENTRY_SCOPE, "status") == "NOT_SUPPORTED_SKIP"
    assert present_text(matrix, [TINY], ENTRY_SCOPE, "status") == "EXPECTED_PASSING"


def test_whether_an_edit_has_an_effect_is_judged_by_what_is_proposed(matrix: Matrix) -> None:
    proposed = with_operations(matrix, [SKIP])
    assert without_no_ops(proposed, [SKIP])[0] == ()
    back = set_fields(proposed, [TINY], ENTRY_SCOPE, {"status": "EXPECTED_PASSING"})
    assert without_no_ops(proposed, back) == (back, ())


def test_an_edit_joins_what_was_proposed(matrix: Matrix) -> None:
    edits = set_fields(with_operations(matrix, [SKIP]), [TINY], ENTRY_SCOPE, {"reason": "too large"})
    reason = Operation(OpKind.SET, TINY, INFERENCE, ("reason",), "too large")
    assert combined(matrix, [SKIP], edits) == (SKIP, reason)


def test_back_to_what_the_file_says_leaves_nothing(matrix: Matrix) -> None:
    edits = set_fields(with_operations(matrix, [SKIP]), [TINY], ENTRY_SCOPE, {"status": "EXPECTED_PASSING"})
    assert combined(matrix, [SKIP], edits) == ()


def test_others_of_the_change_stay_as_they_were_proposed(matrix: Matrix) -> None:
    item = Operation(OpKind.ADD, NAME, INFERENCE, ("markers",), "push")
    edits = set_fields(with_operations(matrix, [SKIP, item]), [TINY], ENTRY_SCOPE, {"reason": "x"})
    assert combined(matrix, [SKIP, item], edits)[-1] is item


def test_a_new_entry_stays_one(matrix: Matrix) -> None:
    add = Operation(OpKind.ADD, NEW, INFERENCE, value={"status": "EXPECTED_PASSING"})
    edits = set_fields(with_operations(matrix, [add]), [NEW], ENTRY_SCOPE, {"reason": "x"})
    both = {"status": "EXPECTED_PASSING", "reason": "x"}
    assert combined(matrix, [add], edits) == (Operation(OpKind.ADD, NEW, INFERENCE, value=both),)


def test_whole_entries_are_not_edited(matrix: Matrix) -> None:
    with pytest.raises(UsageError, match="as a whole"):
        with_operations(matrix, [Operation(OpKind.REMOVE, TINY)])
    with pytest.raises(UsageError, match=" is in "):
        with_operations(matrix, [Operation(OpKind.SET, TINY, "torch/other.yaml", ("status",), "x")])


_FIELDS = st.tuples(st.sampled_from(["status", "reason", "required_pcc"]), st.sampled_from(["a", "b", 0.5]))


@given(st.lists(_FIELDS, max_size=5), st.lists(_FIELDS, max_size=5))
def test_it_means_one_after_the_other(
    matrix: Matrix, first: list[tuple[str, object]], then: list[tuple[str, object]]
) -> None:
    proposed, edits = (
        [Operation(OpKind.SET, NAME, INFERENCE, (name,), value) for name, value in pairs] for pairs in (first, then)
    )
    one = two = matrix.entries[NAME].fields
    for op in (*proposed, *edits):
        one = after(one, op) or {}
    for op in combined(matrix, proposed, edits):
        two = after(two, op) or {}
    assert one == two


def test_the_matrix_is_not_touched(matrix: Matrix, tmp_path: Path) -> None:
    with_operations(matrix, [SKIP])
    assert matrix.entries[TINY].fields == {"status": "EXPECTED_PASSING"}
