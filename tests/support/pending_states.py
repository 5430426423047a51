# SPDX-License-Identifier: Apache-2.0
"""Random events on a desk, each possible for a person at that moment."""

from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st

from core.edits import Operation, OpKind, Present
from core.edits.pending import Change, Decision, Rebased, proposed
from core.edits.pending.events import (
    FilesCommitted,
    FileWrite,
    JournalEvent,
    Marked,
    Redone,
    Stepped,
    Undone,
    WriteAbandoned,
    WriteBegan,
    WriteDone,
)
from core.edits.pending.state import PendingState
from core.sources import parse_expectations

FILE = "torch/test_config_inference_single_device.yaml"
PRESENT = Present(
    [
        parse_expectations(
            "test_config:\n  a:\n    status: UNSPECIFIED\n    arch_overrides: {n150: {reason: x}}\n  b:\n    markers: [push]\n",
            FILE,
        )
    ]
)

_ids = st.sampled_from(["a", "b", "c"])
_values = st.one_of(
    st.text(max_size=4), st.booleans(), st.floats(allow_nan=False), st.lists(st.text(max_size=3), max_size=2)
)
_operations = st.one_of(
    st.builds(lambda id, value: Operation(OpKind.SET, id, FILE, ("status",), value), _ids, _values),
    st.builds(lambda id: Operation(OpKind.UNSET, id, None, ("arch_overrides", "n150", "reason")), _ids),
    st.builds(lambda id, value: Operation(OpKind.ADD, id, FILE, value={"reason": value}), _ids, _values),
    st.builds(lambda id: Operation(OpKind.REMOVE, id), _ids),
    st.builds(lambda id, to: Operation(OpKind.RENAME, id, to=to), _ids, _ids),
)
_changes = st.lists(
    st.builds(
        lambda ops, note, seen: replace(proposed(ops, note, PRESENT), evidence=tuple(seen)),
        st.lists(_operations, min_size=1, max_size=3),
        st.text(max_size=3),
        st.lists(st.text(max_size=3), max_size=2),
    ),
    min_size=1,
    max_size=2,
)
_some = st.lists(st.integers(1, 6), max_size=3)
_keys = st.tuples(st.just(FILE), _ids)


def _proposing(changes: list[Change]) -> Callable[[PendingState], JournalEvent]:
    return lambda state: Stepped(state.pending.proposal(*changes))


def _deciding(decision: Decision, ids: list[int]) -> Callable[[PendingState], JournalEvent]:
    return lambda state: Stepped(state.pending.decision(decision, ids))


def _replacing(id: int, changes: list[Change], leave: bool) -> Callable[[PendingState], JournalEvent]:
    return lambda state: Stepped(state.pending.replacement(id, None if leave else changes[0]))


def _always(event: JournalEvent) -> Callable[[PendingState], JournalEvent]:
    return lambda _: event


def _writing(ids: list[int]) -> Callable[[PendingState], JournalEvent]:
    return lambda _: WriteDone(tuple(ids), (FILE,))


steps = st.one_of(
    st.builds(_proposing, _changes),
    st.builds(_deciding, st.sampled_from(Decision), _some),
    st.builds(_replacing, st.integers(1, 6), _changes, st.booleans()),
    st.just(_always(Undone())),
    st.just(_always(Redone())),
)
"""A person's actions on pending changes, as functions from the desk to an event."""

happenings = st.one_of(
    steps,
    st.builds(_writing, _some),
    st.builds(lambda a, b: _always(Marked(frozenset(a), frozenset(b))), st.lists(_ids), st.lists(_ids)),
    st.builds(lambda old, new: _always(Rebased((old,), {new: "digest"}, ((old, new),))), _keys, _keys),
    st.builds(lambda ids: _always(Rebased(dropped=tuple(ids))), _some),
    st.just(_always(FilesCommitted((FILE,)))),
    st.just(_always(WriteBegan((FileWrite(FILE, "before", "after"),), (1,)))),
    st.just(_always(WriteAbandoned())),
)
"""Everything that can happen to a desk."""
