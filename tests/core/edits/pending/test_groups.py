# SPDX-License-Identifier: Apache-2.0
"""Groups of pending changes: each change is in exactly one group, under a common property."""

import pytest
from hypothesis import given, strategies as st

from core.edits import Operation, OpKind
from core.edits.pending import SEVERAL, BaseEntry, Change, ChangeGroup, Decision, GroupBy, group_changes


def _loader(id: str) -> str:
    return id.partition("-")[0]


def _set(id: str, field: str, value: object) -> Operation:
    return Operation(OpKind.SET, id, "f.yaml", (field,), value)


def _keys(groups: tuple[ChangeGroup, ...]) -> list[tuple[str, list[int]]]:
    return [(group.key, [change.id for change in group.changes]) for group in groups]


CHANGES = (
    Change((_set("a-1", "status", "PASS"),), id=1),
    Change((_set("b-1", "reason", "OOM"),), id=2),
    Change((_set("b-2", "status", "PASS"), _set("b-3", "status", "PASS")), id=3, decision=Decision.ACCEPTED),
    Change((_set("a-2", "status", "PASS"), _set("b-4", "status", "PASS")), id=4),
)


def test_identical_changes() -> None:
    found = group_changes(CHANGES, GroupBy.CHANGE, _loader)
    assert [ids for _, ids in _keys(found)] == [[1, 3, 4], [2]]
    assert [change.id for change in found[0].undecided] == [1, 4]


def test_what_is_true_is_not_identical_to_one() -> None:
    changes = [Change((_set("a", "assert_pcc", value),), id=at) for at, value in enumerate((True, 1, "true"))]
    assert len(group_changes(changes, GroupBy.CHANGE, _loader)) == 3


def test_loaders() -> None:
    assert _keys(group_changes(CHANGES, GroupBy.LOADER, _loader)) == [("b", [2, 3]), ("a", [1]), (SEVERAL, [4])]


def test_reasons_given_or_there_already() -> None:
    changes = [
        Change((_set("a", "reason", "OOM"),), id=1),
        Change((_set("b", "status", "PASS"),), id=2, bases=(BaseEntry("f.yaml", "b", {"reason": "OOM"}),)),
        Change((Operation(OpKind.ADD, "c", "f.yaml", value={"status": "SKIP", "reason": "new"}),), id=3),
        Change((_set("d", "status", "PASS"),), id=4, bases=(BaseEntry("f.yaml", "d", None),)),
        Change((Operation(OpKind.SET, "e", None, ("arch_overrides", "n150", "reason"), "OOM"),), id=5),
    ]
    assert _keys(group_changes(changes, GroupBy.REASON, _loader)) == [("OOM", [1, 2, 5]), ("new", [3]), ("", [4])]


def test_nothing_to_group_by() -> None:
    assert _keys(group_changes(CHANGES, GroupBy.NOTHING, _loader)) == [("", [1, 2, 3, 4])]
    assert group_changes((), GroupBy.NOTHING, _loader) == ()


@pytest.mark.parametrize("by", GroupBy)
@given(picks=st.lists(st.tuples(st.sampled_from(["a-1", "b-1", "b-2"]), st.sampled_from([1, True, "x"])), max_size=12))
def test_every_change_is_in_one_group_in_order(by: GroupBy, picks: list[tuple[str, object]]) -> None:
    changes = [Change((_set(id, "reason", value),), id=at) for at, (id, value) in enumerate(picks)]
    groups = group_changes(changes, by, _loader)
    assert sorted(change.id for group in groups for change in group.changes) == list(range(len(changes)))
    sizes = [len(group.changes) for group in groups]
    assert sizes == sorted(sizes, reverse=True)
    for group in groups:
        ids = [change.id for change in group.changes]
        assert ids == sorted(ids) != []
