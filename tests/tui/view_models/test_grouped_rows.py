# SPDX-License-Identifier: Apache-2.0
"""Rows in groups: headings with their number, folded rows hidden, and a group of one without a heading."""

from collections.abc import Sequence

from hypothesis import given, strategies as st

from core.evidence import Ending, Observation
from core.evidence.analysis import Difference, DifferenceKind
from tests.support.evidence import seen
from tui.view_models import Cell, GroupedRows, HeadingTitles, RowGroup, Rows, difference_groups, difference_rows
from tui.view_models.headings import Part


def _different(id: str, host: str, reason: str, kind: DifferenceKind = DifferenceKind.NEW) -> Difference:
    row: Observation = seen(Ending.FAILED, test_id=id, host=host, reason=reason)
    return Difference(id, "n150", kind, None, row)


DIFFERENCES = [
    *(_different(f"a/pytorch-{one}-single_device-inference", "t3k-07", "TT_FATAL: out of L1") for one in range(25)),
    *(_different(f"b/pytorch-{one}-single_device-inference", "t3k-08", "TT_FATAL: out of L1") for one in range(2)),
    _different("c/pytorch-x-single_device-inference", "t3k-07", "KeyError: 'x'"),
]


def _text(rows: GroupedRows, at: int) -> str:
    return " ".join("".join(cell.text for cell in column) for column in rows.cells(at))


def test_differences_are_in_groups_by_error_and_host() -> None:
    groups = difference_groups(DIFFERENCES)
    assert [len(group.rows) for group in groups] == [25, 2, 1]
    folded = GroupedRows(difference_rows(DIFFERENCES), groups, {group.key for group in groups})
    assert len(folded) == 3
    heading = "".join(cell.text for cell in folded.heading(0, 80))
    assert heading == f"▸ new on t3k-07  TT_FATAL: out of L1{' ' * 22}25   89% {'█' * 13}"
    assert "".join(cell.text for cell in folded.heading(1, 80)).endswith("  2    7% █            ")
    assert len(heading) == 80 == len(folded.heading_titles(80))
    assert folded.row(0) is None and folded.row(2) == 27
    assert "t3k-07" in _text(folded, 2), "the host has a column"


def test_where_a_share_says_nothing_headings_have_none() -> None:
    titles = HeadingTitles("section", "lines", rate="")
    groups = GroupedRows(difference_rows(DIFFERENCES), difference_groups(DIFFERENCES), titles=titles)
    heading = "".join(cell.text for cell in groups.heading(0, 80))
    assert "%" not in heading
    assert len(heading) == 80 == len(groups.heading_titles(80))


def test_unfolded_rows_follow_their_heading() -> None:
    groups = difference_groups(DIFFERENCES)
    rows = GroupedRows(difference_rows(DIFFERENCES), groups)
    assert len(rows) == 28 + 2
    assert [rows.row(at) for at in range(3)] == [None, 0, 1]
    assert len({rows.key(at) for at in range(len(rows))}) == len(rows)
    assert list(rows.ids()) == [one.id for one in DIFFERENCES]


def test_one_group_needs_no_heading() -> None:
    alike: Sequence[Difference] = DIFFERENCES[:3]
    rows = GroupedRows(difference_rows(alike), difference_groups(alike))
    assert [rows.row(at) for at in range(len(rows))] == [0, 1, 2]


@given(
    st.lists(st.integers(0, 5_000), min_size=2, max_size=4).filter(any),
    st.integers(10, 200),
    st.text("ab ", max_size=90),
    st.booleans(),
)
def test_a_heading_has_its_width_and_a_bar_to_scale(counts: list[int], width: int, name: str, opened: bool) -> None:
    parts = [Part(count, "pass", fill) for count, fill in zip(counts, "█▓▒░", strict=False)]
    total = sum(counts)
    rows = RowGroup("key", (Cell(name),), range(total), parts)
    rest = RowGroup("rest", (Cell("rest"),), range(total, total + 5_000))
    names = Rows(range(total + 5_000), (), lambda _: (), key=str)
    grouped = GroupedRows(names, [rows, rest], ["rest"] if opened else ["key", "rest"])
    text = "".join(cell.text for cell in grouped.heading(0, width))
    if total > 1 and width >= 40:
        assert len(text) == width
        assert f"{total:,} {100 * counts[0] // total:>4}% " in text
        assert all((part.fill in text) == bool(part.count) for part in parts)


def test_rows_below_a_heading_are_indented_and_one_without_is_not() -> None:
    rows = GroupedRows(difference_rows(DIFFERENCES), difference_groups(DIFFERENCES))
    found = [
        (rows.heading_of(at) is not None, _text(rows, at)[:5]) for at in range(len(rows)) if rows.row(at) is not None
    ]
    assert set(found) == {(True, "  new"), (False, "new c")}
