# SPDX-License-Identifier: Apache-2.0
"""What files that were changed by others do to all pending changes at once."""

from dataclasses import replace

from core.edits.conflicts import is_done
from core.edits.desk import Desk, apply
from core.edits.events import Rebased
from core.edits.pending import Put
from core.edits.renames import renames
from core.edits.values import Key, Present


def rebase(desk: Desk, present: Present) -> Rebased | None:
    """What the present files do to the pending changes; None: nothing has happened.

    Entries that were renamed or moved are followed, in undone steps as well; changes that are done already are
    dropped. Conflicts stay where they are, for a person to decide.
    """
    known = {(file, id) for file, entries in present.digests.items() for id in entries}
    gone = tuple(key for key in desk.seen if key not in known and key[0] not in present.broken)
    come = {
        (file, id): digest
        for file, entries in present.digests.items()
        for id, digest in entries.items()
        if desk.seen.get((file, id)) != digest
    }
    followed: dict[Key, Key] = {}
    if gone and desk.seen:
        fresh = {key: digest for key, digest in come.items() if key not in desk.seen}
        wanted = _keys(desk)
        found = renames({key: desk.seen[key] for key in gone}, fresh)
        followed = {old: new for old, new in found.items() if old in wanted}
    event = Rebased(gone, come, tuple(followed.items()))
    changes = apply(desk, event).pending.changes if followed else desk.pending.changes
    dropped = tuple(change.id for change in changes if is_done(change, present))
    return replace(event, dropped=dropped) if gone or come or dropped else None


def _keys(desk: Desk) -> set[Key]:
    """Every entry that a change is about, be it pending or undone."""
    steps = (*desk.pending.past, *desk.pending.future)
    sides = (
        side for step in steps for edit in step.edits if isinstance(edit, Put) for side in (edit.before, edit.after)
    )
    return {base.key for change in (*desk.pending.changes, *sides) if change for base in change.bases}
