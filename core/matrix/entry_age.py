# SPDX-License-Identifier: Apache-2.0
"""How long the statuses of entries have stood, and how often they changed."""

from collections.abc import Mapping

from core.matrix.history import History
from core.matrix.timelines import Step, Timeline
from core.sources.entry_texts import Fields

_DAY = 86_400


def ages(history: History, now: float) -> Mapping[str, int]:
    """The age of every id with an entry, in days; see `age`."""
    return {id: age(timeline, now) for id, timeline in history.counting.items()}


def flips(history: History) -> Mapping[str, int]:
    """The number of changes of every id with an entry; see `changes_of_status`."""
    return {id: changes_of_status(timeline) for id, timeline in history.counting.items()}


def age(timeline: Timeline, now: float) -> int:
    """For how many whole days the statuses of an entry have been what they are; `now` is in seconds since the epoch.

    What is meant are the status of the entry and those of its overrides: other fields, renames and moves do not
    make an entry young. A status that is not committed yet has age 0. Where the clone's history begins with the
    present statuses, they are at least as old as that.
    """
    last = next((step for step in timeline.steps if _sets_status(step)), None)
    return max(0, int((now - last.commit.time) // _DAY)) if last and last.commit else 0


def changes_of_status(timeline: Timeline) -> int:
    """How often the statuses of an entry changed since it was added; many changes are a sign of a flaky test."""
    return sum(
        step.edit.old is not None and step.edit.new is not None and _sets_status(step) for step in timeline.steps
    )


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
