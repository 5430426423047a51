# SPDX-License-Identifier: Apache-2.0
"""Trees, grids and overviews as rows of tables, without a screen."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from rich.cells import cell_len

from core.matrix.extension import with_op_rows
from core.matrix.indexing import index
from core.matrix.matrix import Matrix
from core.matrix.op_rows import RESULTS
from core.matrix.query.query import Query
from core.matrix.query.verdict_columns import Judged
from core.matrix.view.columns import BY_TABLE_FIELD
from core.matrix.view.grid import LAYOUTS
from core.matrix.view.overviews import overview
from core.matrix.view.tally import WORDS
from core.matrix.view.view import View
from core.model import Status
from tests.support.op_rows import SOME_RESULTS, some_op_rows
from tests.support.tree import sample
from tui.view_models.grid import GridRows, cell_look
from tui.view_models.matrix import MatrixRows, TreeRows
from tui.view_models.overview import OverviewRows
from tui.view_models.style import RESULT_LOOKS, WORD_LOOKS, bar, tally_text


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return with_op_rows(index(sample(tmp_path_factory.mktemp("checkout"))), some_op_rows())


def _tree(view: View) -> TreeRows:
    view.group = "family"
    tree = view.tree(frozenset({"alpha", "delta"}))
    return TreeRows(tree, view, MatrixRows(view, {}, frozenset()))


def test_keys_of_a_tree_lead_back_to_their_lines(matrix: Matrix) -> None:
    rows = _tree(View(matrix))
    assert [rows.position_of(rows.key(position)) for position in range(len(rows))] == list(range(len(rows)))
    assert rows.position_of("no such id") is None


@given(st.integers(1, 250))
def test_a_heading_is_as_wide_as_the_table(matrix: Matrix, width: int) -> None:
    rows = _tree(View(matrix))
    pieces = rows.heading(0, width)
    assert pieces is not None
    assert cell_len("".join(piece.text for piece in pieces)) == width or width < 24
    assert rows.heading(1, width) is None


def test_bars_of_headings_are_as_long_as_their_groups_are_large(matrix: Matrix) -> None:
    rows = _tree(View(matrix))
    lengths = {}
    for group in rows.tree.groups:
        position = rows.tree.heading(group.text)
        assert position is not None
        pieces = rows.heading(position, 90)
        assert pieces is not None
        # Behind the arrow, the name and the count; at last the room that the bar leaves.
        lengths[len(group.rows), len(group.tally)] = sum(len(piece.text) for piece in pieces[3:-1])
    largest = max(count for count, _ in lengths)
    assert len(lengths) > 1
    # What is there at all has a cell, however few they are.
    assert lengths == {(count, words): max(words, round(30 * count / largest)) for count, words in lengths}


def test_a_heading_is_marked_in_part_and_as_a_whole(matrix: Matrix) -> None:
    view = View(matrix)
    rows = _tree(view)
    ids = rows.tree.groups[0].ids()
    assert rows.mark(0) == " "
    view.mark(ids[:1])
    assert (rows.mark(0), rows.mark(1), rows.mark(2)) == ("▖", "▌", " ")
    view.mark(ids)
    assert rows.marked(0)


@pytest.mark.parametrize("layout", [one.name for one in LAYOUTS])
def test_every_cell_of_a_grid_can_be_told_without_colour(matrix: Matrix, layout: str) -> None:
    view = View(matrix, Query.parse(""))
    view.learn({"runs": Judged(matrix, {}, SOME_RESULTS)})
    view.grid = layout
    rows = GridRows(view.cells())
    looks: dict[str, set[tuple[str, ...]]] = {}
    for position in range(len(rows)):
        for column in range(len(rows.grid.heads)):
            counts = rows.grid.at(position, column)
            text = "".join(cell.text for cell in cell_look(counts))
            declared = tuple(word for word in counts if word != Status.UNSPECIFIED)
            looks.setdefault(text, set()).add(declared)
            assert len(text) <= len(WORDS)
            assert rows.cell_text(position, column).startswith(rows.title(position, column))
    assert all(len(kinds) == 1 for kinds in looks.values())
    assert len(looks) > 2


def test_the_words_of_a_cell() -> None:
    assert tally_text({"EXPECTED_PASSING": 20, "UNSPECIFIED": 4}) == "24 tests: 20 PASS, 4 undeclared"
    assert [cell.text for cell in cell_look({"EXPECTED_PASSING": 20, "UNSPECIFIED": 4})] == ["◐", "P"]
    assert [cell.text for cell in cell_look({"UNSPECIFIED": 4})] == ["·"]
    assert [cell.text for cell in cell_look({"KNOWN_FAILURE_XFAIL": 1, "MIXED": 1})] == ["●", "X", "~"]


def test_the_words_of_results() -> None:
    assert tally_text({"pass": 2, "error(ref)": 1}) == "3 tests: 2 pass, 1 error(ref)"
    assert [cell.text for cell in cell_look({"pass": 2, "xpass": 1})] == ["●", "P", "p"]
    assert [cell.text for cell in cell_look({"fail": 1, "pass": 2})] == ["◐", "P", "F"]
    assert [cell.text for cell in cell_look({"crash": 1, "skip": 2})] == ["○", "C", "S"]
    assert RESULT_LOOKS.keys() == {*RESULTS}
    assert len({look.letter for look in RESULT_LOOKS.values()}) == len(RESULTS)


def test_every_word_has_a_letter_of_its_own() -> None:
    assert len({look.letter for look in WORD_LOOKS.values()}) == len(WORDS) == len(WORD_LOOKS)
    assert "".join(cell.text for cell in bar({"EXPECTED_PASSING": 1, "MIXED": 1}, 6)) == "PPP~~~"


def test_every_column_of_the_table_can_be_shown(matrix: Matrix) -> None:
    view = View(matrix, Query.parse("has:entry or kind:op"))
    view.columns = tuple(BY_TABLE_FIELD)
    rows = MatrixRows(view, {}, frozenset())
    assert len(rows.columns) == len(BY_TABLE_FIELD)
    assert all(len(rows.cells(position)) == len(rows.columns) for position in range(len(rows)))


def test_numbers_of_the_overview_stand_below_their_heads(matrix: Matrix) -> None:
    sections = overview(matrix)
    rows = OverviewRows(sections)
    assert [rows.heading(start)[0][0].text for start in rows.starts()] == [section.title for section in sections]
    for position in range(len(rows)):
        assert len(rows.cells(position)) == len(rows.columns)
    first = rows.number(0, 0)
    assert first is not None
    assert first.count == len(matrix.model_tests.ids)
    assert rows.number(len(rows), 0) is None


def test_an_overview_of_nothing_is_empty(tmp_path: Path) -> None:
    assert len(OverviewRows([])) == 0
    assert OverviewRows([]).number(0, 0) is None
