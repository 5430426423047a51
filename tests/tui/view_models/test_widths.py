# SPDX-License-Identifier: Apache-2.0
"""The widths of columns: laws of the rule, and tables that have to obey them."""

from collections.abc import Sequence

from hypothesis import given, strategies as st

from tui.view_models import Cell, Fitting, IdLook, Rows, TableColumn
from tui.view_models.widths import column_widths

_NEEDS = st.integers(0, 60)
_COLUMNS = st.builds(
    TableColumn,
    title=st.just("title"),
    width=st.integers(1, 30),
    yields=st.integers(0, 4),
    share=st.integers(1, 3),
    least=st.sampled_from((0, 0, 5)),
    most=st.sampled_from((0, 0, 12, 25)),
    fills=st.booleans(),
    heads=st.sampled_from(((), (), ("n150", "p150", "galaxy"))),
)
_TABLES = st.lists(st.tuples(_COLUMNS, _NEEDS), min_size=1, max_size=9)
_TOTALS = st.integers(1, 250)

_Table = Sequence[tuple[TableColumn, int]]


def _wanted(column: TableColumn, need: int) -> int:
    return max(column.least, min(need, column.most or need))


def _widths(table: _Table, total: int) -> list[int]:
    return column_widths([column for column, _ in table], [need for _, need in table], total)


@given(_TABLES, _TOTALS)
def test_columns_and_what_is_between_them_fit(table: _Table, total: int) -> None:
    widths = _widths(table, total)
    assert min(widths) >= 0
    assert 1 + sum(width + 1 for width in widths if width) <= max(1, total)


@given(_TABLES, _TOTALS)
def test_no_text_is_cut_while_cells_are_free(table: _Table, total: int) -> None:
    widths = _widths(table, total)
    cut = [width < _wanted(*one) for one, width in zip(table, widths, strict=True) if width]
    used = 1 + sum(width + 1 for width in widths if width)
    assert used == total or not any(cut)


@given(_TABLES, _TOTALS)
def test_what_is_shown_is_of_use_and_no_wider_than_its_texts(table: _Table, total: int) -> None:
    widths = _widths(table, total)
    for (column, need), width in zip(table, widths, strict=True):
        wanted = _wanted(column, need)
        if width and column.yields:
            assert width >= min(column.width, wanted)
        if not column.fills:
            assert width <= max(wanted, column.roomy)


@given(_TABLES, _TOTALS)
def test_one_that_yields_more_is_not_shown_in_place_of_one_that_yields_less(table: _Table, total: int) -> None:
    widths = _widths(table, total)
    both = [*zip(table, widths, strict=True)]
    gone = [column.yields for (column, need), width in both if not width and _wanted(column, need)]
    assert max((column.yields for (column, _), width in both if width), default=0) <= min(gone, default=99)


@given(_TABLES, _TOTALS, st.integers(1, 40))
def test_a_column_that_is_shown_stays_where_there_is_more_room(table: _Table, total: int, more: int) -> None:
    before, after = _widths(table, total), _widths(table, total + more)
    assert all(wider for narrow, wider in zip(before, after, strict=True) if narrow)
    if [*map(bool, before)] == [*map(bool, after)] and not any(column.heads or column.fills for column, _ in table):
        assert all(narrow <= wider for narrow, wider in zip(before, after, strict=True))


def _rows(texts: Sequence[tuple[str, str]], *, ids: bool = False) -> Rows[tuple[str, str]]:
    columns = (TableColumn("test", 10, ids=ids, elide=True), TableColumn("why", 10))
    return Rows(
        texts, columns, lambda one: [[Cell(one[0])], [Cell(one[1])]], key=lambda one: one[0], id=lambda one: one[0]
    )


def test_a_row_that_becomes_visible_makes_its_column_wider() -> None:
    rows = _rows([("a", "b")] * 1_010 + [("a" * 9, "b")] + [("a", "b")] * 1_000)
    fitting = Fitting(rows)
    assert fitting.widths(80) == [4, 3]
    assert not fitting.see(range(0, 40))
    assert fitting.see(range(980, 1_020))
    assert fitting.widths(80) == [9, 3]
    assert not fitting.see(range(980, 1_020))


def test_ids_without_what_they_share_leave_the_room_to_others() -> None:
    rows = _rows([(f"llama/causal_lm/pytorch-{at}B-single_device-inference", "w" * 40) for at in range(4)], ids=True)
    fitting = Fitting(rows)
    long = len("llama/causal_lm/pytorch-1B-single_device-inference")
    assert fitting.widths(120) == [long, 40]
    assert fitting.look(120).said == ""
    width, why = fitting.widths(90)
    assert (width, why) == (31, 40)
    assert fitting.look(75) == fitting.look(90) == IdLook("", "-single_device-inference")
