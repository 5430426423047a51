# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.pending.events."""

from typing import get_args

from core.edits.pending import Rebased
from core.edits.pending.change import UndoStep
from core.edits.pending.events import FileWrite, JournalEvent, Marked, Numbered, Stepped, WriteBegan, WriteDone
from core.edits.pending.state import PendingState, apply

EMPTY: list[JournalEvent] = [Stepped(UndoStep(())), Marked(), Rebased(), WriteDone((), ()), Numbered(1)]


def test_every_event_is_a_value() -> None:
    for kind in get_args(JournalEvent):
        assert kind.__dataclass_params__.frozen
    assert WriteBegan((FileWrite("f", "a", "b"),)) == WriteBegan((FileWrite("f", "a", "b"),), ())


def test_events_that_tell_of_nothing_change_nothing() -> None:
    for event in EMPTY:
        assert apply(PendingState(), event) == PendingState()
