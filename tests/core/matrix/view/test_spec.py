# SPDX-License-Identifier: Apache-2.0
"""Views as values: written, read again, and returned to."""

import json

import pytest
from hypothesis import given, strategies as st

from core.base.errors import UsageError
from core.matrix.query import Query
from core.matrix.view import BY_GROUPING, BY_LAYOUT, BY_TABLE_FIELD, HeatOrder, Trail, ViewSpec

HEADS = st.lists(st.sampled_from(["n150", "p150", "training"]), max_size=2).map(tuple)
SPECS = st.builds(
    ViewSpec,
    query=st.sampled_from(["", "status:xfail", 'a "b c" !mode:training', "(x or y) pcc:<0.99"]).map(Query.parse),
    arch=st.sampled_from(["", "n150"]),
    columns=st.lists(st.sampled_from(list(BY_TABLE_FIELD)), unique=True).map(tuple),
    sort=st.sampled_from(list(BY_TABLE_FIELD)),
    descending=st.booleans(),
    group=st.sampled_from(["", *BY_GROUPING]),
    grid=st.sampled_from(["", *BY_LAYOUT]),
    heat=st.builds(HeatOrder, by=HEADS, best_first=st.booleans(), pair=HEADS),
)


@given(SPECS)
def test_what_is_written_is_read_again(spec: ViewSpec) -> None:
    assert ViewSpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec


def test_what_says_nothing_is_not_written() -> None:
    assert ViewSpec().to_json() == {}
    assert ViewSpec(Query.parse("  status:xfail   llama ")).to_json() == {"query": "status:xfail llama"}


@pytest.mark.parametrize(
    "parts",
    [
        {"colour": "red"},
        {"query": 7},
        {"query": "status:"},
        {"columns": "id"},
        {"columns": ["id", "id"]},
        {"columns": [1]},
        {"sort": "colour"},
        {"group": "colour"},
        {"grid": "colour"},
        {"descending": "yes"},
        {"heat": "p150"},
        {"heat": {"by": "p150"}},
        {"heat": {"by": [1]}},
        {"heat": {"pair": ["a", "b", "c"]}},
        {"heat": {"best_first": 1}},
        {"heat": {"colour": "red"}},
    ],
)
def test_what_cannot_be_is_refused(parts: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        ViewSpec.from_json(parts)


def _spec(text: str) -> ViewSpec:
    return ViewSpec(Query.parse(text))


def test_back_and_forth_and_on() -> None:
    trail = Trail((_spec("a"),)).visit(_spec("b")).visit(_spec("b")).visit(_spec("c"))
    assert [str(one.query) for one in trail.places] == ["a", "b", "c"]
    assert trail.step(-1).here == _spec("b")
    assert trail.step(-9).here == _spec("a")
    assert trail.step(-1).step(1).step(1).here == _spec("c")
    assert [str(one.query) for one in trail.step(-2).visit(_spec("d")).places] == ["a", "d"]


@given(st.lists(st.one_of(st.integers(-3, 3), st.sampled_from("abcde"))))
def test_a_trail_is_never_lost_and_never_too_long(moves: list[int | str]) -> None:
    trail = Trail((ViewSpec(),), most=4)
    for move in moves:
        trail = trail.visit(_spec(move)) if isinstance(move, str) else trail.step(move)
        assert 1 <= len(trail.places) <= 4
        assert trail.here in trail.places
        if isinstance(move, str):
            assert trail.here == _spec(move)
