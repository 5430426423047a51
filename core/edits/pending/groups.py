# SPDX-License-Identifier: Apache-2.0
"""Pending changes in groups that a person can decide at once: identical changes, or those of one loader or reason."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.edits.operations import OpKind, to_json
from core.edits.pending.change import Change, Decision

SEVERAL = "several"
"""The key of changes that belong to more than one loader."""


class GroupBy(StrEnum):
    """What the changes of a group have in common."""

    NOTHING = ""
    CAUSE = "cause"
    CHANGE = "change"
    LOADER = "loader"
    REASON = "reason"


@dataclass(frozen=True, slots=True)
class ChangeGroup:
    """Changes in the order they were proposed; never none."""

    key: str
    """What they have in common: the loader or the reason, empty if they have none. For identical changes, a text that
    describes the change without its place.
    """
    changes: tuple[Change, ...]

    @property
    def undecided(self) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if change.decision is Decision.UNDECIDED)


def group_changes(changes: Sequence[Change], by: GroupBy, loader_of: Callable[[str], str]) -> tuple[ChangeGroup, ...]:
    """`changes` in groups, the biggest first; of the same size, the one proposed first comes first.

    `loader_of` gives the loader of a test id. Without a criterion there is one group, or none.
    """
    found: dict[str, list[Change]] = {}
    for change in changes:
        found.setdefault(_key(change, by, loader_of), []).append(change)
    groups = (ChangeGroup(key, tuple(members)) for key, members in found.items())
    return tuple(sorted(groups, key=lambda one: -len(one.changes)))


def _key(change: Change, by: GroupBy, loader_of: Callable[[str], str]) -> str:
    match by:
        case GroupBy.CHANGE:
            acts = ({**act, "id": "", "file": ""} for act in to_json(change.ops))
            return "\n".join(dict.fromkeys(json.dumps(act, sort_keys=True, default=str) for act in acts))
        case GroupBy.LOADER:
            loaders = {loader_of(op.id) for op in change.ops}
            return loaders.pop() if len(loaders) == 1 else SEVERAL
        case GroupBy.REASON:
            return _reason(change)
        case GroupBy.CAUSE:
            return change.cause
        case GroupBy.NOTHING:
            return ""


def _reason(change: Change) -> str:
    """The note of the change, else the reason in its entry."""
    for op in reversed(change.ops):
        if op.op is OpKind.SET and op.path[-1] == "reason":
            return str(op.value)
        if op.op is OpKind.ADD and op.is_entry and isinstance(op.value, dict) and "reason" in op.value:
            return str(op.value["reason"])
    reasons = (base.fields.get("reason") for base in change.bases if base.fields)
    return next((str(reason) for reason in reasons if reason), "")
