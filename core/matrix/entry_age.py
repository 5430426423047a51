# SPDX-License-Identifier: Apache-2.0
"""How long the statuses of entries have stood, and how often they changed."""

from collections.abc import Mapping

from core.matrix.history import History
from core.matrix.timelines import Step, Timeline
from core.sources.entry_texts import Fields

_DAY = 86_400


def ages(history: History, now: float) -> Mapping[str, int]:
    """For each id with an entry, for how many whole days its statuses have been what they are.

    What is meant are the status of the entry and those of its overrides: other fields, renames and moves do not
    make an entry young. A status that is not committed yet has age 0. `now` is in seconds since the epoch.
    Where the clone's history begins with the present statuses, they are at least as old as that.
    """
    return {id: _age(timeline, now) for id, timeline in history.counting.items()}


def flips(history: History) -> Mapping[str, int]:
    """For each id with an entry, how often its statuses changed since it was added, commits counted."""
    return {
        id: sum(step.edit.old is not None and _sets_status(step) for step in timeline.steps)
        for id, timeline in history.counting.items()
    }


def _age(timeline: Timeline, now: float) -> int:
    last = next((step for step in timeline.steps if _sets_status(step)), None)
    return max(0, int((now - last.commit.time) // _DAY)) if last and last.commit else 0


def _sets_status(step: Step) -> bool:
    return step.edit.old is None or _statuses(step.edit.old) != _statuses(step.edit.new)


def _statuses(fields: Fields | None) -> Mapping[str, object]:
    """The status as written at the entry, under an empty name, and in the override of each arch."""
    fields = fields or {}
    overrides = fields.get("arch_overrides")
    archs = overrides.items() if isinstance(overrides, Mapping) else ()
    found = {
        str(arch): values["status"] for arch, values in archs if isinstance(values, Mapping) and "status" in values
    }
    return {"": fields.get("status"), **found}
