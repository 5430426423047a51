# SPDX-License-Identifier: Apache-2.0
"""Foldable groups, with lines addressed by number."""

import pytest
from hypothesis import given, strategies as st

from core.matrix import NO_ARCH, Matrix, index
from core.matrix.query import Plain, Scope
from core.matrix.view import GROUPINGS, Tree
from core.matrix.view.tally import status_words
from tests.support.tree import sample


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return index(sample(tmp_path_factory.mktemp("checkout")))


def _tree(matrix: Matrix, name: str, *opened: str, rows: range | None = None) -> Tree:
    loaders = matrix.columns["loader"]
    scope = Scope(matrix, learned={"models": Plain({"group": loaders, "task": loaders})})
    return Tree.of(scope, range(len(matrix.ids)) if rows is None else rows, name, frozenset(opened))


def _lines(tree: Tree) -> list[tuple[str, int | None]]:
    return [(line.group.text, line.row) for line in map(tree.line, range(len(tree)))]


def test_closed_groups_are_one_line_each(matrix: Matrix) -> None:
    tree = _tree(matrix, "family")
    assert _lines(tree) == [("alpha", None), ("beta", None), ("delta", None), ("gamma", None)]
    assert sum(len(group.rows) for group in tree.groups) == len(matrix.ids)


@pytest.mark.parametrize("name", [one.name for one in GROUPINGS])
def test_an_open_tree_has_every_test_once(matrix: Matrix, name: str) -> None:
    tree = _tree(matrix, name)
    whole = tree.fold([group.text for group in tree.groups], opened=True)
    lines = _lines(whole)
    assert sorted(row for _, row in lines if row is not None) == list(range(len(matrix.ids)))
    assert len(whole) == len(matrix.ids) + len(tree.groups)


@given(st.data())
def test_a_test_is_found_where_it_is_shown(matrix: Matrix, data: st.DataObject) -> None:
    names = ["alpha", "beta", "delta", "gamma", "gone"]
    tree = _tree(matrix, "family", *data.draw(st.sets(st.sampled_from(names))))
    row = data.draw(st.integers(0, len(matrix.ids) - 1))
    place = tree.place(row)
    assert place is not None
    line = tree.line(place)
    assert row in line.group.rows
    assert line.row == (row if line.group.text in tree.opened else None)
    heading = tree.heading(line.group.text)
    assert heading is not None
    assert tree.line(heading).row is None


def test_what_is_not_there_has_no_place(matrix: Matrix) -> None:
    tree = _tree(matrix, "family", rows=range(3))
    assert tree.place(len(matrix.ids) - 1) is None
    assert tree.heading("gamma") is None
    for number in (-1, len(tree)):
        with pytest.raises(IndexError):
            tree.line(number)
    assert len(_tree(matrix, "family", rows=range(0))) == 0


def test_folding_makes_another_tree(matrix: Matrix) -> None:
    tree = _tree(matrix, "family")
    opened = tree.fold(["delta"], opened=True)
    assert len(opened) > len(tree) == 4
    assert _lines(opened.fold(["delta"], opened=False)) == _lines(tree)


def test_groups_count_their_statuses_and_marks(matrix: Matrix) -> None:
    alpha = _tree(matrix, "family").groups[0]
    words = status_words(matrix, NO_ARCH)
    assert alpha.tally == {word: n for word, n in words.counts(alpha.rows).items() if n}
    assert alpha.marked(set()) == 0
    assert alpha.marked({*alpha.ids()[:2], "another"}) == 2


def test_what_has_no_text_comes_last_and_reasons_by_size(matrix: Matrix) -> None:
    groups = _tree(matrix, "reason").groups
    assert groups[-1].text == ""
    sizes = [len(group.rows) for group in groups[:-1]]
    assert sizes == sorted(sizes, reverse=True)
