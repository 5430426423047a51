# SPDX-License-Identifier: Apache-2.0
"""Notes that an entry is to be as before once an issue is closed: each is the change back, with the issue."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from core.edits.apply import Present
from core.edits.pending.change import Change
from core.edits.pending.recovery import missing


def with_reminder(known: Sequence[Change], back: Change) -> tuple[Change, ...]:
    """`known` with the way `back` to what was before; for a place that is noted already, the earlier state counts."""
    places = {(one.key_of(op), op.path) for one in known if one.restore == back.restore for op in one.ops}
    ops = tuple(op for op in back.ops if (back.key_of(op), op.path) not in places)
    return (*known, replace(back, ops=ops)) if ops else tuple(known)


def outstanding(reminders: Iterable[Change], present: Present) -> tuple[Change, ...]:
    """Those whose entries are not as they were: nothing is left to restore of the others."""
    return tuple(one for one in reminders if missing([one.placed()], present))
