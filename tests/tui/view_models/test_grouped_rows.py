# SPDX-License-Identifier: Apache-2.0
"""Rows in groups: headings with their number, folded rows hidden, and a group of one without a heading."""

from collections.abc import Sequence

from hypothesis import given, strategies as st

from core.evidence import Ending, Observation
from core.evidence.analysis import Difference, DifferenceKind
from tests.support.evidence import seen
from tui.view_models import Cell, GroupedRows, HeadingTitles, RowGroup, Rows, difference_groups, difference_rows
from tui.view_models.headings import Part, bar_room


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
    assert heading == f"▸ new on t3k-07  TT_FATAL: out of L1{' ' * 10}{'█' * 12}{' ' * 7}25   89% of all"
    assert "".join(cell.text for cell in folded.heading(1, 80)).endswith(f" █{' ' * 19}2    7% of all")
    assert len(heading) == 80 == len(folded.heading_titles(80))
    assert folded.row(0) is None and folded.row(2) == 27
    assert "t3k-07" in _text(folded, 2), "the host has a column"


@given(st.lists(st.integers(1, 40), min_size=2, max_size=6), st.integers(80, 200))
def test_a_bar_beside_a_part_of_all_is_that_part(sizes: list[int], width: int) -> None:
    ends = [sum(sizes[:at]) for at in range(len(sizes) + 1)]
    groups = [RowGroup(str(at), (Cell("name"),), range(ends[at], ends[at + 1])) for at in range(len(sizes))]
    rows = GroupedRows(Rows(range(sum(sizes)), (), lambda _: (), key=str), groups, [group.key for group in groups])
    room = bar_room(width, max(sizes))
    for at, size in enumerate(sizes):
        if size > 1:
            text = "".join(cell.text for cell in rows.heading(at, width))
            assert text.count("█") == max(1, round(room * size / sum(sizes)))
            assert f"{100 * size // sum(sizes)}% of all" in text


def test_a_bar_is_there_only_where_it_says_something() -> None:
    def heading(*sizes: int, parts: Sequence[Part] = (), name: str = "name") -> str:
        ends = [sum(sizes[:at]) for at in range(len(sizes) + 1)]
        groups = [RowGroup(str(at), (Cell(name),), range(*ends[at : at + 2]), parts) for at in range(len(sizes))]
        titles = HeadingTitles("kind", "found", "fixable")
        rows = GroupedRows(Rows(range(sum(sizes)), (), lambda _: (), key=str), groups, titles=titles)
        return "".join(cell.text for cell in rows.heading(0, 80))

    nothing, mixed = (Part(0, "pass"), Part(5, "dim", "░")), (Part(2, "pass"), Part(3, "dim", "░"))
    assert "░" not in heading(5, 1, parts=nothing), "neither of what it is made nor how large it is beside others"
    assert "░" in heading(5, 1, parts=mixed)
    assert "░" in heading(5, 4, parts=nothing)
    name = "a name that says so much that it has no end before the bar begins"[:55]
    assert name in heading(5, 4, parts=mixed, name=name) and "░" not in heading(5, 4, parts=mixed, name=name)
    assert heading(5, 1, parts=mixed).rstrip().endswith("5   40% fixable")


def test_a_heading_needs_what_its_name_does() -> None:
    groups = difference_groups(DIFFERENCES)
    rows = GroupedRows(difference_rows(DIFFERENCES), groups)
    words = "".join(cell.text for cell in groups[0].heading)
    assert words in "".join(cell.text for cell in rows.heading(0, rows.heading_need))
    assert words not in "".join(cell.text for cell in rows.heading(0, rows.heading_need - 2))


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
        assert f"{total:,} {100 * counts[0] // total:>4}% of all" in text
        drawn = any(part.fill in text for part in parts)
        assert drawn or len(name) > width - 60, "only the name takes its room"
        assert all((part.fill in text) == bool(part.count) for part in parts) or not drawn
        assert name in text or not drawn


def test_rows_below_a_heading_are_indented_and_one_without_is_not() -> None:
    rows = GroupedRows(difference_rows(DIFFERENCES), difference_groups(DIFFERENCES))
    found = [
        (rows.heading_of(at) is not None, _text(rows, at)[:5]) for at in range(len(rows)) if rows.row(at) is not None
    ]
    assert set(found) == {(True, "  new"), (False, "new c")}
