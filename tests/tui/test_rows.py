# SPDX-License-Identifier: Apache-2.0
"""Trees, grids and overviews as rows of tables, without a screen."""

from pathlib import Path

import pytest
from rich.cells import cell_len

from core.evidence.verdicts import Verdict
from core.matrix import Column, Matrix, index, with_other_rows
from core.matrix.op_rows import RESULTS
from core.matrix.query import Plain, Query, VerdictColumns
from core.matrix.view import BY_TABLE_FIELD, LAYOUTS, HeatOrder, Rate, View, overview, rate
from core.matrix.view.tally import WORDS
from tests.support.op_rows import SOME_RESULTS, some_handwritten_rows, some_op_rows
from tests.support.tree import sample
from tui.view_models import Cell, GridRows, MatrixRows, OverviewRows, TreeRows
from tui.view_models.grid import cell_look, change_look
from tui.view_models.style import RESULT_LOOKS, VERDICT_STYLES, WORD_LOOKS, bar, tally_text


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    cases = with_other_rows(index(sample(tmp_path_factory.mktemp("checkout"))), some_op_rows())
    return with_other_rows(cases, some_handwritten_rows())


def _tree(view: View) -> TreeRows:
    view.group = "family"
    tree = view.tree(frozenset({"alpha", "delta"}))
    return TreeRows(tree, view, MatrixRows(view, {}, frozenset()))


def test_keys_of_a_tree_lead_back_to_their_lines(matrix: Matrix) -> None:
    rows = _tree(View(matrix))
    assert [rows.position_of(rows.key(position)) for position in range(len(rows))] == list(range(len(rows)))
    assert rows.position_of("no such id") is None


def test_a_heading_is_as_wide_as_the_table(matrix: Matrix) -> None:
    rows = _tree(View(matrix))
    for width in range(16, 251):
        pieces = rows.heading(0, width)
        assert cell_len("".join(piece.text for piece in pieces)) == width
    assert rows.is_heading(0)
    assert not rows.is_heading(1)


def test_bars_of_headings_are_as_long_as_their_groups_are_large(matrix: Matrix) -> None:
    rows = _tree(View(matrix))
    lengths = {}
    for group in rows.tree.groups:
        position = rows.tree.heading(group.text)
        assert position is not None
        pieces = rows.heading(position, 90)
        assert pieces is not None
        # Behind the arrow and the name; at last the room that the bar leaves, and the numbers.
        lengths[len(group.rows), len(group.tally)] = sum(len(piece.text) for piece in pieces[2:-1])
    largest = max(count for count, _ in lengths)
    assert len(lengths) > 1
    # What is there at all has a cell, however few they are.
    assert lengths == {(count, words): max(words, round(15 * count / largest)) for count, words in lengths}


@pytest.mark.parametrize("width", [78, 158])
def test_titles_are_above_the_pieces_of_a_heading(matrix: Matrix, width: int) -> None:
    rows = _tree(View(matrix, Query.parse("has:entry")))
    titles = rows.heading_titles(width)
    pieces = rows.heading(0, width)
    assert pieces is not None
    text = "".join(piece.text for piece in pieces)
    assert titles.startswith("family ")
    end = titles.index("PASS") + len("PASS")
    assert text[:end].endswith("% PASS")
    tests = titles.index("tests") + len("tests")
    assert text[:tests].split()[-1] == f"{len(rows.tree.groups[0].rows):,}"
    if width > 110:
        at = titles.index("XFAIL")
        assert text[at : at + 2] in ("▓ ", "  ")


def test_a_heading_is_marked_in_part_and_as_a_whole(matrix: Matrix) -> None:
    view = View(matrix)
    rows = _tree(view)
    ids = rows.tree.groups[0].ids()
    assert rows.mark(0) == " "
    view.mark(ids[:1])
    assert (rows.mark(0), rows.mark(1), rows.mark(2)) == ("▖", "▌", " ")
    view.mark(ids)
    assert rows.marked(0)


def test_a_grid_has_the_columns_with_tests_and_says_how_many_have_none(matrix: Matrix) -> None:
    view = View(matrix, Query.parse("has:entry"))
    view.grid = "variants"
    rows = GridRows(view.cells())
    head, *heads = [column.title for column in rows.columns]
    assert heads == ["n150", "p150", "llmbox"]
    assert head == "variant · 5 of 8 archs empty"
    assert [rows.heads(at) for at in range(3)] == [("n150",), ("p150",), ("n300-llmbox",)]
    # A column is as wide as its numbers need, and the names are known in full.
    assert [column.width for column in rows.columns[1:]] == [7, 7, 7]
    assert rows.columns[0].most == max(len(head), len("alpha/pytorch net-v1.5+aug"))
    nothing = View(matrix, Query.parse("no such test"))
    nothing.grid = "variants"
    assert len(GridRows(nothing.cells()).columns) == 9


@pytest.mark.parametrize("layout", [one.name for one in LAYOUTS])
def test_every_cell_of_a_grid_can_be_recognised_without_colour(matrix: Matrix, layout: str) -> None:
    view = View(matrix, Query.parse(""))
    names = Column.of("red" if "alpha" in id else "" for id in matrix.ids)
    models = Plain({"group": names, "task": names})
    view.learn({"runs": VerdictColumns(matrix, {}, SOME_RESULTS), "models": models})
    view.grid = layout
    rows = GridRows(view.cells())
    looks: dict[str, set[tuple[int | None, int]]] = {}
    for position in range(len(rows)):
        for column, cells in enumerate(rows.cells(position)[1:]):
            counts = rows.counts(position, column)
            text = "".join(cell.text for cell in cells)
            looks.setdefault(text, set()).add((rate(counts).percent, rate(counts).total))
            assert len(text) in (0, rows.columns[column + 1].width)
            assert rows.cell_text(position, column).startswith(rows.title(position, column))
    assert all(len(kinds) == 1 for kinds in looks.values())
    assert len(looks) > 2


def test_the_words_of_a_cell() -> None:
    assert tally_text({"EXPECTED_PASSING": 20, "UNSPECIFIED": 4}) == "24 tests: 20 PASS, 4 unspecified"
    assert tally_text({"pass": 20, "UNSPECIFIED": 4}, "without a result") == "24 tests: 20 pass, 4 without a result"
    assert _look({"EXPECTED_PASSING": 20, "UNSPECIFIED": 4}) == ("█100%   20", "heat4")
    assert _look({"EXPECTED_PASSING": 3, "KNOWN_FAILURE_XFAIL": 1}) == ("▓ 75%    4", "heat3")
    assert _look({"EXPECTED_PASSING": 1, "KNOWN_FAILURE_XFAIL": 21_071}) == ("▁  1%  21k", "heat0")
    assert _look({"KNOWN_FAILURE_XFAIL": 1, "MIXED": 1}) == ("▁  0%    2", "heat0")
    assert _look({"UNSPECIFIED": 4}) == ("·        4", "dim")
    assert _look({}) == ("", "")


def test_the_words_of_a_difference() -> None:
    assert change_look(Rate(3, 4), Rate(1, 4)) == [Cell("▼ -50", "fail")]
    assert change_look(Rate(1, 4), Rate(2, 4)) == [Cell("▲ +25", "pass")]
    assert change_look(Rate(1, 4), Rate(2, 8)) == [Cell("=", "dim")]
    assert change_look(Rate(0, 0), Rate(2, 8)) == [Cell("")]


def _look(counts: dict[str, int]) -> tuple[str, str]:
    (cell,) = cell_look(counts, 4)
    return cell.text, cell.style


def test_two_columns_are_shown_with_their_difference(matrix: Matrix) -> None:
    view = View(matrix, Query.parse("has:entry"))
    view.grid = "loaders"
    order = HeatOrder(by=("n150", "p150"), pair=("n150", "p150"))
    rows = GridRows(view.cells(), order)
    assert [column.title for column in rows.columns] == ["loader", "n150", "p150", "▲change"]
    assert rows.heads(2) == ("n150", "p150")
    assert rows.counts(1, 2) == rows.counts(1, 1)
    assert {len(rows.cells(position)) for position in range(len(rows))} == {4}
    assert not GridRows(view.cells(), order._replace(pair=("n150", "no such arch"))).difference


def test_the_words_of_results() -> None:
    assert tally_text({"pass": 2, "error(ref)": 1}) == "3 tests: 2 pass, 1 error(ref)"
    assert _look({"pass": 2, "xpass": 1}) == ("█100%    3", "heat4")
    assert _look({"fail": 1, "pass": 2}) == ("▒ 66%    3", "heat2")
    assert _look({"crash": 1, "skip": 2}) == ("▁  0%    1", "heat0")
    assert _look({"skip": 2}) == ("·        2", "dim")
    assert RESULT_LOOKS.keys() == {*RESULTS}
    assert len({look.letter for look in RESULT_LOOKS.values()}) == len(RESULTS)


def test_every_verdict_that_has_a_colour_is_one() -> None:
    assert VERDICT_STYLES.keys() <= {*Verdict}


def test_every_word_has_a_letter_of_its_own() -> None:
    assert len({look.letter for look in WORD_LOOKS.values()}) == len(WORDS) == len(WORD_LOOKS)
    assert "".join(cell.text for cell in bar({"EXPECTED_PASSING": 1, "MIXED": 1}, 6)) == "███▞▞▞"


def test_every_column_of_the_table_can_be_shown(matrix: Matrix) -> None:
    view = View(matrix, Query.parse("has:entry or kind:op"))
    view.columns = tuple(BY_TABLE_FIELD)
    rows = MatrixRows(view, {}, frozenset())
    assert len(rows.columns) == len(BY_TABLE_FIELD)
    assert all(len(rows.cells(position)) == len(rows.columns) for position in range(len(rows)))


def test_numbers_of_the_overview_are_below_their_heads(matrix: Matrix) -> None:
    sections = overview(matrix)
    rows = OverviewRows(sections, 80)
    assert [rows.heading(start)[0][0].text for start in rows.starts()] == [section.title for section in sections]
    for position in range(len(rows)):
        assert len(rows.cells(position)) == len(rows.columns)
    by_arch = next(start for start in rows.starts() if rows.heading(start)[0][0].text == "tests by arch and status")
    first = rows.number(by_arch, 0)
    assert first is not None
    assert first.count == len(matrix.model_tests.ids)
    # What waits for facts has its row, and no number.
    assert rows.number(0, 0) is None
    (bar,) = ["".join(cell.text for cell in rows.cells(by_arch)[0])]
    assert bar.startswith("any arch       █")
    assert rows.number(len(rows), 0) is None


def test_an_overview_of_nothing_is_empty(tmp_path: Path) -> None:
    assert len(OverviewRows([], 80)) == 0
    assert OverviewRows([], 80).number(0, 0) is None
