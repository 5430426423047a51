# SPDX-License-Identifier: Apache-2.0
"""Pending changes as rows: keys lead back, headings count, and the next thing to decide is found."""

from core.edits import Operation, OpKind
from core.edits.pending import Change, Decision, GroupBy, group_changes
from tui.view_models import PendingLook, ReviewRows, count_words, search_text


def _change(number: int, id: str, value: str, decision: Decision = Decision.UNDECIDED) -> Change:
    return Change((Operation(OpKind.SET, id, "f", ("status",), value),), f"note {number}", decision, id=number)


CHANGES = (
    _change(1, "a-1", "PASS", Decision.ACCEPTED),
    _change(2, "a-2", "SKIP"),
    _change(3, "b-1", "PASS", Decision.REJECTED),
    _change(4, "b-2", "PASS"),
)


def _rows(by: GroupBy, *opened: str) -> ReviewRows:
    groups = group_changes(CHANGES, by, lambda id: id.partition("-")[0])
    return ReviewRows(groups, PendingLook(by), opened)


def _text(rows: ReviewRows, position: int) -> list[str]:
    return ["".join(cell.text for cell in column) for column in rows.cells(position)]


def test_without_groups_there_are_no_headings() -> None:
    rows = _rows(GroupBy.NOTHING)
    assert [rows.key(at) for at in range(len(rows))] == ["1", "2", "3", "4"]
    assert _text(rows, 1) == ["? open", "a-2", "status = SKIP"]
    assert rows.line(4) is None


def test_folded_and_unfolded_groups() -> None:
    rows = _rows(GroupBy.LOADER, "b")
    assert len(rows) == 4
    assert _text(rows, 0) == ["▸", "a", "███░░░  50% 2 changes: 1 open, 1 accepted"]
    assert _text(rows, 1) == ["▾", "b", "▒▒▒░░░   0% 2 changes: 1 open, 1 rejected"]
    assert [rows.position_of(rows.key(at)) for at in range(4)] == [0, 1, 2, 3]
    assert rows.position_of("1") is None


def test_identical_changes_are_named_by_what_they_do() -> None:
    rows = _rows(GroupBy.CHANGE)
    assert [_text(rows, at)[2] for at in range(2)] == ["status = PASS", "status = SKIP"]
    assert count_words(rows.groups[0]) == "3 changes: 1 open, 1 accepted, 1 rejected"


def test_the_next_undecided_goes_round_and_stops_at_folded_groups() -> None:
    plain = _rows(GroupBy.NOTHING)
    assert [plain.next_undecided(at, 1) for at in range(4)] == [1, 3, 3, 1]
    assert [plain.next_undecided(at, -1) for at in range(4)] == [3, 3, 1, 1]
    grouped = _rows(GroupBy.LOADER, "b")
    assert [grouped.next_undecided(at, 1) for at in range(4)] == [3, 3, 3, 0]
    assert ReviewRows((), PendingLook()).next_undecided(0, 1) is None


def test_a_change_is_found_by_all_that_is_said_of_it() -> None:
    assert all(word in search_text(CHANGES[1]) for word in ("a-2", "skip", "note 2", "undecided", "status"))
