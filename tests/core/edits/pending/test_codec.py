# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.pending.codec."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from core.edits import Operation, OpKind
from core.edits.pending import Change
from core.edits.pending.change import Put, UndoStep
from core.edits.pending.codec import VERSION, from_line, header, to_line, version_in
from core.edits.pending.events import JournalEvent, Numbered, Stepped
from core.edits.pending.state import PendingState, apply
from tests.support.pending_states import happenings


@given(st.lists(happenings, max_size=8))
def test_every_event_comes_back_from_its_line(script: list[Callable[[PendingState], JournalEvent]]) -> None:
    state = PendingState()
    for happening in script:
        event = happening(state)
        line = to_line(event)
        assert "\n" not in line
        assert apply(state, from_line(line)) == apply(state, event)
        assert to_line(from_line(line)) == line
        state = apply(state, event)


def test_a_change_keeps_its_grade() -> None:
    change = Change((Operation(OpKind.UNSET, "a", path=("reason",)),), grade=4, grade_why="failed twice", id=1)
    assert change.grade_line == "grade 4 of 5: failed twice"
    step = Stepped(UndoStep((Put(None, change),)))
    assert from_line(to_line(step)) == step


def test_the_number_of_the_next_change() -> None:
    assert from_line(to_line(Numbered(7))) == Numbered(7)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "null",
        "[]",
        "{}",
        '{"event": "unheard of"}',
        '{"event": "marked"}',
        '{"event": "step", "edits": [{"put": [null]}]}',
        '{"event": "step", "edits": [{"id": 1, "before": "undecided", "after": "maybe"}]}',
        '{"event": "step", "edits": [{"put": [null, {"id": 1, "ops": [{"op": "explode", "id": "a"}]}]}]}',
        '{"event": "marked", "added": ["a"], "removed": [',
        "[" * 100_000,
    ],
)
def test_any_other_line_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        from_line(line)


def test_the_first_line_tells_format_and_version() -> None:
    assert version_in(header("/some where", "s")) == VERSION
    assert json.loads(header("/x", "s"))["checkout"] == "/x"
    for other in ("", "{}", '{"format": "else", "version": 1}', '{"format": "ttmatrix-journal", "version": "1"}', "7"):
        with pytest.raises(ValueError, match=r"."):
            version_in(other)
