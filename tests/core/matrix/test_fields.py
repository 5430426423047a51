# SPDX-License-Identifier: Apache-2.0
"""What each field of a query selects."""

import pytest

from core.matrix.fields import FIELDS, select
from core.matrix.index import Matrix, index
from core.matrix.query import Query, QueryError
from tests.support.tree import sample

TINY, NET, ORG = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug", "org/name"))
TRAINING = "alpha/pytorch-tiny-single_device-training"
STRAY = "alpha/pytorch-gone-single_device-training"


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return index(sample(tmp_path_factory.mktemp("checkout")))


def _ids(matrix: Matrix, text: str, arch: str = "") -> set[str]:
    return {matrix.ids[row] for row in select(matrix, Query.parse(text), arch)}


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("has:entry", {TINY, NET, ORG, TRAINING, STRAY}),
        ("status:xfail", {NET, TRAINING}),
        ("status:pass", {TINY, NET, STRAY}),
        ("status:skip,xfail", {ORG, NET, TRAINING}),
        ("status:xfail arch:n150", {NET, TRAINING}),
        ("status:xfail arch:p150", {TRAINING}),
        ("status:pass arch:n300-llmbox", {NET}),
        ("has:entry !status:pass", {ORG, TRAINING}),
        ("has:entry mode:training", {TRAINING, STRAY}),
        ("marker:large", {ORG}),
        ("bringup:runtime", {TRAINING}),
        ("reason:oom", {NET}),
        ("reason:chip", {ORG}),
        ("file:training", {TRAINING, STRAY}),
        ("has:override", {NET}),
        ("has:reason", {NET, ORG, TRAINING}),
        ("NET-V1 has:entry", {NET}),
        ('"org/name" status:skip', {ORG}),
        ("has:entry !tiny !gone", {NET, ORG}),
        ("loader:alpha has:entry status:none", set()),
    ],
)
def test_select(matrix: Matrix, text: str, ids: set[str]) -> None:
    assert _ids(matrix, text) == ids


def test_the_shown_arch_is_meant_unless_the_query_names_one(matrix: Matrix) -> None:
    assert _ids(matrix, "status:xfail", "p150") == {TRAINING}
    assert _ids(matrix, "status:xfail arch:n150", "p150") == {NET, TRAINING}


def test_phase_parallelism_and_framework(matrix: Matrix) -> None:
    assert len(_ids(matrix, "phase:llm_prefill")) == 720
    assert len(_ids(matrix, "phase:decode mode:inference parallelism:fsdp")) == 2 * 2 * 6
    assert len(_ids(matrix, "framework:jax")) == 6


def test_a_whole_name_is_not_read_as_part_of_another(matrix: Matrix) -> None:
    assert _ids(matrix, "arch:n300") == set()
    assert _ids(matrix, "arch:n300-") == {NET}


@pytest.mark.parametrize(
    ("text", "column", "hint"),
    [
        ("x stauts:xfail", 2, "Did you mean status:?"),
        ("status:xfial", 0, "xfail"),
        ("zz:1", 0, "status"),
        ("arch:n999", 0, "n150"),
    ],
)
def test_unknown_names_are_told_with_a_remedy(matrix: Matrix, text: str, column: int, hint: str) -> None:
    with pytest.raises(QueryError) as caught:
        select(matrix, Query.parse(text))
    assert caught.value.column == column
    assert hint in caught.value.hint


def test_every_field_has_a_name_of_its_own_and_help() -> None:
    assert len({field.name for field in FIELDS}) == len(FIELDS)
    assert all(field.help for field in FIELDS)
