# SPDX-License-Identifier: Apache-2.0
"""Changes sorted into several commits: by reason, by issue or by arch."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.edits.changes import EntryChange
from core.edits.issues import cited, reasons
from core.edits.operations import Operation, OpKind
from core.matrix.acting import differing
from core.matrix.effective import supports


class Split(StrEnum):
    """What tells the commits apart."""

    NONE = "none"
    REASON = "reason"
    ISSUE = "issue"
    ARCH = "arch"


@dataclass(frozen=True, slots=True)
class Group:
    """What goes into one commit."""

    key: str
    """What its changes have in common; empty: nothing."""
    changes: tuple[EntryChange, ...]
    operations: tuple[Operation, ...]


def grouped(
    changes: Sequence[EntryChange], operations: Sequence[Operation], split: Split, archs: Sequence[str]
) -> list[Group]:
    """Sort `changes`, with the operations that make them, in the order in which the first of each group stands.

    An entry is never torn apart, and ids that take each other's name stay together. Operations that change nothing
    are left out.
    """
    home = _homes(operations)
    by_home: dict[str, list[EntryChange]] = {}
    for change in changes:
        by_home.setdefault(home.get(change.id, change.id), []).append(change)
    by_key: dict[str, list[str]] = {}
    for name, members in by_home.items():
        by_key.setdefault(_key(members, split, archs), []).append(name)
    return [
        Group(
            key,
            tuple(change for name in names for change in by_home[name]),
            tuple(op for op in operations if home[op.id] in names),
        )
        for key, names in by_key.items()
    ]


def _homes(operations: Iterable[Operation]) -> Mapping[str, str]:
    """One id for all that are linked by renames, by id."""
    home: dict[str, str] = {}
    for op in operations:
        one = home.setdefault(op.id, op.id)
        if op.is_entry and op.op is OpKind.RENAME and op.to is not None:
            other = home.setdefault(op.to, op.to)
            home.update({id: one for id, kept in home.items() if kept == other})
    return home


def _key(changes: Sequence[EntryChange], split: Split, archs: Sequence[str]) -> str:
    match split:
        case Split.REASON:
            found = [reason for change in changes for reason in reasons(change.after) or reasons(change.before)]
            return found[0] if found else ""
        case Split.ISSUE:
            found = [issue for change in changes for issue in cited(change.after) or cited(change.before)]
            return ", ".join(dict.fromkeys(found))
        case Split.ARCH:
            return ", ".join(arch for arch in archs if any(_changes_on(change, arch) for change in changes))
        case Split.NONE:
            return ""


def _changes_on(change: EntryChange, arch: str) -> bool:
    was, now = (one is not None and supports(one, arch) for one in (change.before, change.after))
    return was != now or (was and bool(differing(change.before, change.after, arch)))
