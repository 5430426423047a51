# SPDX-License-Identifier: Apache-2.0
"""Add or remove one list item, whatever the entry has: the other items stay."""

import pytest

from core.base.errors import UsageError
from core.edits import Operation, OpKind, listed, plan, with_item, without_item
from core.edits.bulk import LIST_FIELDS
from core.matrix import Matrix, index
from core.sources import parse_expectations
from tests.support.tree import INFERENCE, sample

TINY = "alpha/pytorch-tiny-single_device-inference"
NET = "alpha/pytorch-net-v1.5+aug-single_device-inference"
NAME = "alpha/pytorch-org/name-single_device-inference"
NEW = "beta/causal_lm/pytorch-1B-single_device-training"


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return index(sample(tmp_path_factory.mktemp("checkout")))


def test_an_item_where_there_is_a_list(matrix: Matrix) -> None:
    assert with_item(matrix, [NAME], "markers", "push") == (
        Operation(OpKind.ADD, NAME, INFERENCE, ("markers",), "push"),
    )
    assert without_item(matrix, [NAME], "markers", "large") == (
        Operation(OpKind.REMOVE, NAME, INFERENCE, ("markers",), "large"),
    )


def test_what_is_so_already_is_left_alone(matrix: Matrix) -> None:
    assert with_item(matrix, [NAME], "markers", "large") == ()
    assert without_item(matrix, [NAME, NEW], "markers", "push") == ()


def test_archs_begin_with_the_default_ones(matrix: Matrix) -> None:
    default = listed(None, "supported_archs")
    (more,) = with_item(matrix, [TINY], "supported_archs", "n300")
    assert more == Operation(OpKind.SET, TINY, INFERENCE, ("supported_archs",), [*default, "n300"])
    (less,) = without_item(matrix, [TINY], "supported_archs", default[0])
    assert less.value == list(default[1:])


def test_the_last_arch_stays(matrix: Matrix) -> None:
    entry = matrix.entries[NET]
    assert listed(entry, "supported_archs") == ("n150", "n300-llmbox")
    one = Operation(OpKind.REMOVE, NET, INFERENCE, ("supported_archs",), "n150")
    assert without_item(matrix, [NET], "supported_archs", "n150") == (one,)
    (edit,) = plan(matrix.checkout.test_config, [one]).files
    (left,) = [entry for entry in parse_expectations(edit.after, edit.file).entries if entry.id == NET]
    assert left.fields["supported_archs"] == ["n300-llmbox"]
    alone = sample_with(matrix, left.fields["supported_archs"])
    with pytest.raises(UsageError, match="Only n300-llmbox supports"):
        without_item(alone, [NET], "supported_archs", "n300-llmbox")


def sample_with(matrix: Matrix, archs: object) -> Matrix:
    """`matrix` with other archs for NET."""
    from core.edits import with_operations

    return with_operations(matrix, [Operation(OpKind.SET, NET, INFERENCE, ("supported_archs",), archs)])


@pytest.mark.parametrize("field", LIST_FIELDS)
def test_a_test_without_an_entry_gets_one(matrix: Matrix, field: str) -> None:
    (found,) = with_item(matrix, [NEW], field, "push")
    assert found.op is OpKind.ADD
    assert found.value == {field: [*listed(None, field), "push"]}
