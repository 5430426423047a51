# SPDX-License-Identifier: Apache-2.0
"""Rows in groups: headings with their number, folded rows hidden, and a group of one without a heading."""

from collections.abc import Sequence

from core.evidence import Ending, Observation
from core.evidence.analysis import Difference, DifferenceKind
from tests.support.evidence import seen
from tui.view_models import GroupedRows, difference_groups, difference_rows


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
    assert _text(folded, 0).startswith("▸ 25 x new on t3k-07") and "out of L1" in _text(folded, 0)
    assert folded.row(0) is None and folded.row(2) == 27
    assert "t3k-07" in _text(folded, 2), "the host has a column"


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
