# SPDX-License-Identifier: Apache-2.0
"""What files that were changed by others do to all pending changes at once."""

from collections.abc import Mapping
from dataclasses import replace

from core.edits.conflicts import is_done
from core.edits.desk import Desk, apply
from core.edits.journal_events import Rebased
from core.edits.pending import Put
from core.edits.renames import renames
from core.edits.values import Key, Present


def rebase(desk: Desk, present: Present) -> Rebased | None:
    """What the present files do to the pending changes; None: they say what they said at the last look.

    Entries that were renamed or moved are followed, in undone steps as well; changes that are done already are
    dropped. Conflicts stay where they are, for a person to decide.
    """
    gone, come = _differences(desk.seen, present)
    if not gone and not come:
        return None
    fresh = {key: digest for key, digest in come.items() if key not in desk.seen}
    found = renames({key: desk.seen[key] for key in gone}, fresh) if gone and fresh else {}
    wanted = _keys(desk) if found else set()
    event = Rebased(gone, come, tuple((old, new) for old, new in found.items() if old in wanted))
    changes = apply(desk, event).pending.changes
    return replace(event, dropped=tuple(change.id for change in changes if is_done(change, present)))


def _differences(seen: Mapping[Key, str], present: Present) -> tuple[tuple[Key, ...], dict[Key, str]]:
    """The entries that are gone since they were seen, and those that are new or say something else."""
    now = {(file, id): digest for file, entries in present.digests.items() for id, digest in entries.items()}
    gone = tuple(key for key in seen if key not in now and key[0] not in present.broken)
    return gone, {key: digest for key, digest in now.items() if seen.get(key) != digest}


def _keys(desk: Desk) -> set[Key]:
    """Every entry that a change is about, be it pending or undone."""
    steps = (*desk.pending.past, *desk.pending.future)
    sides = (
        side for step in steps for edit in step.edits if isinstance(edit, Put) for side in (edit.before, edit.after)
    )
    return {base.key for change in (*desk.pending.changes, *sides) if change for base in change.bases}
