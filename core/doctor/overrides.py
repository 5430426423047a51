# SPDX-License-Identifier: Apache-2.0
"""Overrides that repeat what applies without them, and a status of an entry that every arch overrides."""

from collections.abc import Iterator, Mapping
from itertools import chain

from core.doctor.check import OVERRIDES, Check, Op, Written, marked_archs, shown, written
from core.doctor.defaults import is_default, says_nothing
from core.domain.model import Finding
from core.matrix import Matrix


def _redundant(matrix: Matrix) -> Iterator[Finding]:
    for one in written(matrix):
        yield from _repeated_values(one)
        yield from _identical_overrides(one, marked_archs(one.entry, matrix.schema.archs))


def _repeated_values(one: Written) -> Iterator[Finding]:
    """Values that the arch would get anyway, from the entry or from the default."""
    for arch, fields in one.entry.overrides.items():
        for name, value in fields.items():
            at = (OVERRIDES, arch, name)
            if says_nothing(one, at, value):
                message = f"{name} is {shown(value)} on {arch} without this override, too"
                yield one.finding(REDUNDANT_OVERRIDE.kind, message, at, (one.unset(at),))


def _identical_overrides(one: Written, marked: tuple[str, ...]) -> Iterator[Finding]:
    """Equal overrides for each arch that the test is marked for: the entry can state them once."""
    overrides = one.entry.overrides
    effects = [
        {
            name: value
            for name, value in overrides[arch].items()
            if not says_nothing(one, (OVERRIDES, arch, name), value)
        }
        for arch in marked
        if overrides.get(arch)
    ]
    if len(effects) < 2 or len(effects) < len(marked) or any(effect != effects[0] for effect in effects[1:]):
        return
    message = f"The overrides for {', '.join(marked)} do the same, and the test is marked for no other arch"
    # Overrides for other archs may depend on what the entry says now.
    fix = _hoisted(one, effects[0], marked) if len(overrides) == len(marked) else ()
    yield one.finding(REDUNDANT_OVERRIDE.kind, message, (OVERRIDES,), fix)


def _hoisted(one: Written, fields: Mapping[str, object], marked: tuple[str, ...]) -> tuple[Op, ...]:
    """Operations that move the fields of the overrides to the entry; null and default values are not written."""
    operations: list[Op] = []
    for name, value in fields.items():
        if isinstance(value, dict):
            return ()
        if value is not None and not is_default(name, value):
            operations.append(one.set((name,), value))
        elif name in one.entry.fields:
            operations.append(one.unset((name,)))
    return (*operations, *(one.unset((OVERRIDES, arch)) for arch in marked))


def _shadowed(matrix: Matrix) -> Iterator[Finding]:
    for one in written(matrix):
        status, overrides = one.entry.fields.get("status"), one.entry.overrides
        marked = marked_archs(one.entry, matrix.schema.archs)
        if not status or not all("status" in overrides.get(arch, {}) for arch in marked):
            continue
        statuses = [overrides[arch]["status"] for arch in marked]
        # If an override repeats the entry's status, the override is redundant, not the status.
        if status not in statuses:
            message = f"No arch takes this status: {', '.join(marked)} each have one of their own"
            yield one.finding(SHADOWED_STATUS.kind, message, ("status",), _unshadowed(one, statuses, marked))


def _unshadowed(one: Written, statuses: list[object], marked: tuple[str, ...]) -> tuple[Op, ...]:
    others = len(one.entry.overrides) > len(marked)
    if others or statuses[0] is None or any(status != statuses[0] for status in statuses):
        return (one.unset(("status",)),)
    moved = (one.unset((OVERRIDES, arch, "status")) for arch in marked)
    return tuple(chain((one.set(("status",), statuses[0]),), moved))


REDUNDANT_OVERRIDE = Check("redundant-override", "an override that the entry itself says, or could say", _redundant)
SHADOWED_STATUS = Check("shadowed-status", "an entry's status that every arch of the test overrides", _shadowed)
