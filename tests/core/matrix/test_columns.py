# SPDX-License-Identifier: Apache-2.0
"""Columns return their values, and count and select as a plain loop would."""

from collections import Counter

from hypothesis import given, strategies as st

from core.matrix import Column, FlagColumn

_WORDS = st.sampled_from(["a", "b", "c", ""])


@given(st.lists(_WORDS), st.lists(_WORDS))
def test_a_column_gives_back_its_texts(texts: list[str], first: list[str]) -> None:
    column = Column.of(texts, first)
    assert [column[row] for row in range(len(texts))] == texts
    assert column.values[: len(set(first))] == tuple(dict.fromkeys(first))


@given(st.lists(_WORDS), st.sets(_WORDS))
def test_select_and_counts(texts: list[str], wanted: set[str]) -> None:
    column = Column.of(texts, "abc")
    rows = range(0, len(texts), 2)
    assert column.select(rows, wanted) == [row for row in rows if texts[row] in wanted]
    counted = Counter(texts[row] for row in rows)
    assert column.counts(rows) == {value: counted[value] for value in column.values}


@given(st.integers(0, 20), st.dictionaries(st.integers(0, 19), _WORDS), _WORDS)
def test_sparse_is_the_default_but_for_some(size: int, some: dict[int, str], default: str) -> None:
    some = {row: text for row, text in some.items() if row < size}
    column = Column.sparse(size, default, some)
    assert [column[row] for row in range(size)] == [some.get(row, default) for row in range(size)]


def test_more_than_a_byte_of_values() -> None:
    texts = [f"value {number}" for number in range(300)]
    column = Column.of(texts)
    assert [column[row] for row in range(300)] == texts
    assert [column.mapped(str.upper)[row] for row in (0, 299)] == ["VALUE 0", "VALUE 299"]


def test_mapped_joins_equal_images() -> None:
    column = Column.of(["a/x", "b/x", "a/y"]).mapped(lambda text: text[-1])
    assert column.values == ("x", "y")
    assert [column[row] for row in range(3)] == ["x", "x", "y"]


@given(st.lists(st.sets(_WORDS)), st.sets(_WORDS), st.sets(_WORDS))
def test_flags(sets: list[set[str]], wanted: set[str], default: set[str]) -> None:
    column = FlagColumn.sparse(len(sets), default, dict(enumerate(sets)), "ab")
    rows = range(len(sets))
    assert [set(column[row]) for row in rows] == sets
    assert column.select(rows, wanted) == [row for row in rows if sets[row] & wanted]
    assert column.counts(rows) == {value: sum(value in one for one in sets) for value in column.values}


def test_flags_default() -> None:
    column = FlagColumn.sparse(3, ["n150", "p150"], {1: ["n300"]})
    assert [column[row] for row in range(3)] == [("n150", "p150"), ("n300",), ("n150", "p150")]
