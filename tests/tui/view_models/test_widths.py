# SPDX-License-Identifier: Apache-2.0
"""The widths of columns: laws of the rule, and tables that have to obey them."""

from collections.abc import Sequence

from hypothesis import given, strategies as st

from tui.view_models import Cell, Fitting, IdLook, ListShare, Rows, TableColumn
from tui.view_models.widths import LEAST_DETAIL, column_widths, list_width

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
    gone = [one.yields for (one, need), width in both if not width and _wanted(one, need) and not one.spare]
    assert max((column.yields for (column, _), width in both if width), default=0) <= min(gone, default=99)


@given(_TABLES, _TOTALS, st.integers(1, 40))
def test_a_column_that_is_shown_stays_where_there_is_more_room(table: _Table, total: int, more: int) -> None:
    before, after = _widths(table, total), _widths(table, total + more)
    assert all(wider for narrow, wider in zip(before, after, strict=True) if narrow)
    if [*map(bool, before)] == [*map(bool, after)] and not any(column.heads or column.fills for column, _ in table):
        assert all(narrow <= wider for narrow, wider in zip(before, after, strict=True))


@given(_TABLES, _TOTALS, st.sets(st.integers(0, 8)))
def test_what_is_the_same_in_every_row_takes_no_room_from_what_differs(
    table: _Table, total: int, numbers: set[int]
) -> None:
    alike = {at for at in numbers if at < len(table)}
    columns, needs = [column for column, _ in table], [need for _, need in table]
    widths = column_widths(columns, needs, total, alike)
    wanted = [_wanted(*one) for one in table]
    assert 1 + sum(width + 1 for width in widths if width) <= max(1, total)
    for at in alike:
        # Whole, or none of it, if it may go; else no wider than is of use while something is cut.
        if columns[at].yields:
            assert not widths[at] or widths[at] >= wanted[at]
        if any(widths[other] < wanted[other] for other in range(len(table)) if other not in alike):
            assert widths[at] <= (0 if columns[at].yields else min(wanted[at], columns[at].width))
    # The others have at least what they had.
    before = column_widths(columns, needs, total)
    if not any(column.fills or column.heads for column in columns):
        assert all(widths[at] >= min(before[at], wanted[at]) for at in range(len(table)) if at not in alike)


@given(_TABLES, _TOTALS)
def test_the_width_that_a_table_needs_cuts_no_more_than_all_there_is(table: _Table, most: int) -> None:
    columns = [column._replace(title=str(at)) for at, (column, _) in enumerate(table)]
    texts = [["x" * need for _, need in table], ["y" * need for _, need in table]]
    fitting = Fitting(Rows(texts, columns, lambda row: [[Cell(text)] for text in row], key=str))
    need = fitting.need(most)
    assert need <= most
    if not any(column.fills for column in columns):
        assert fitting.widths(need) == fitting.widths(most)


@given(st.integers(0, 400), st.integers(180, 400))
def test_a_list_has_what_it_needs_while_its_detail_is_of_use(need: int, total: int) -> None:
    width = list_width(need, total)
    assert LEAST_DETAIL <= total - width <= total * 55 // 100
    assert width >= min(need, total - LEAST_DETAIL)
    assert list_width(need + 1, total) >= width


_NEEDED = st.integers(0, 300)


@given(st.integers(180, 300), st.lists(st.tuples(st.sampled_from((-1, 0, 0, 1)), _NEEDED), max_size=30), _NEEDED)
def test_a_list_stays_as_wide_as_it_is_while_rows_come_and_go_one_by_one(
    total: int, steps: Sequence[tuple[int, int]], first: int
) -> None:
    share, rows = ListShare(), 40
    width = share.width(rows, total, lambda most: min(first, most))
    assert width == list_width(first, total)
    for more, need in steps:
        rows += more
        assert share.width(rows, total, lambda most, need=need: min(need, most)) == width  # type: ignore[misc]


@given(st.integers(180, 300), st.lists(st.tuples(st.integers(0, 99), _NEEDED), max_size=30), st.integers(180, 300))
def test_a_list_gives_nothing_back_until_the_screen_has_another_width(
    total: int, loads: Sequence[tuple[int, int]], other: int
) -> None:
    share = ListShare()
    last = share.width(5, total, lambda most: 0)
    for rows, need in loads:
        width = share.width(rows, total, lambda most, need=need: min(need, most))  # type: ignore[misc]
        assert width >= last
        last = width
    if other != total:
        assert share.width(5, other, lambda most: 0) == list_width(0, other)
    share.forget()
    assert share.width(5, other, lambda most: 0) == list_width(0, other)


IDS = [
    f"{directory}-{variant}{parallelism}-{mode}"
    for directory in ("llama/causal_lm/pytorch", "bert/pytorch", "vision/object_detection/jax")
    for variant in ("Base-", "7B_Instruct-", "")
    for parallelism in ("single_device", "tensor_parallel")
    for mode in ("inference", "training")
]


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
    rows = _rows(
        [(f"llama/causal_lm/pytorch-{at}B-single_device-inference", f"{'w' * 39}{at}") for at in range(4)], ids=True
    )
    fitting = Fitting(rows)
    long = len("llama/causal_lm/pytorch-1B-single_device-inference")
    assert fitting.widths(120) == [long, 40]
    assert fitting.look(120).said == ""
    width, why = fitting.widths(90)
    assert (width, why) == (31, 40)
    assert fitting.look(75) == fitting.look(90) == IdLook("", "-single_device-inference")


def test_ids_whose_words_are_abbreviated_leave_the_room_to_others() -> None:
    ids = ["llama/causal_lm/pytorch-1B-single_device-inference", "bert/pytorch-Base-tensor_parallel-training"]
    rows = _rows([(one, "w" * 80) for one in ids], ids=True)
    fitting = Fitting(rows)
    width, why = fitting.widths(60)
    assert fitting.look(60).short
    assert [fitting.look(60).text(one, width) for one in ids] == [
        "llama/causal_lm/pt-1B-single-inf",
        "bert/pt-Base-tensor-train",
    ]
    assert (width, why) == (len("llama/causal_lm/pt-1B-single-inf"), 60 - 1 - width - 2)


@given(st.lists(st.sampled_from(IDS), min_size=1, max_size=9, unique=True), st.integers(1, 90), st.integers(20, 200))
def test_ids_are_shortened_no_more_than_before_others_got_the_room(names: list[str], why: int, total: int) -> None:
    fitting = Fitting(_rows([(one, "w" * why) for one in names], ids=True))
    width, other = fitting.widths(total)
    look = fitting.look(total)
    assert width + other + 3 <= total or not other
    # With the cells of the other column it would look the same: nothing was taken from the ids.
    shown = [look.text(one, width) for one in names]
    assert all(len(text) <= width for text in shown) or not width
    if look.short and other < why:
        assert max(look.head("test"), *map(len, shown)) == width


def _said(texts: Sequence[tuple[str, str, str]]) -> Fitting:
    columns = TableColumn("test", 6, ids=True), TableColumn("age", 6, yields=1), TableColumn("run", 6, yields=2)
    rows = Rows(texts, columns, lambda one: [[Cell(text)] for text in one], key=lambda one: one[0])
    return Fitting(rows)


def test_a_column_that_says_the_same_in_every_row_is_whole_or_gone() -> None:
    fitting = _said([(f"test {at} of many", "tree not recorded", f"run {at}") for at in range(9)])
    assert fitting.widths(60) == [14, 17, 5]
    # By their priorities, the age would stay longer than the run.
    assert fitting.widths(38) == [14, 0, 5]
    assert fitting.widths(16) == [8, 0, 5]


def test_a_spare_column_is_there_where_no_text_is_cut() -> None:
    columns = TableColumn("test", 6), TableColumn("why", 6, share=2), TableColumn("run", 6, yields=1, spare=True)
    needs, whole = [20, 40, 10], 1 + 21 + 41 + 11
    assert column_widths(columns, needs, whole) == needs
    assert column_widths(columns, needs, whole - 1) == [20, 40, 0]
    assert column_widths(columns, needs, 50)[2] == 0


def test_a_row_that_says_something_else_brings_a_column_back() -> None:
    texts = [(f"test {at:3} of many", "tree not recorded", "run") for at in range(1_000)]
    fitting = _said([*texts[:501], ("test", "clean", "run"), *texts[501:]])
    assert fitting.widths(30)[1] == 0
    assert fitting.see(range(490, 510))
    assert fitting.widths(30)[1] > 0


def test_a_single_row_is_not_the_same_as_others() -> None:
    assert _said([("test 1 of many", "tree not recorded", "run")]).widths(30)[1] > 0
