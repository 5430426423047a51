# SPDX-License-Identifier: Apache-2.0
"""Fields that upstream does not know (it refuses to load them) and values it cannot make sense of."""

import difflib
from collections.abc import Iterator

from core.doctor.check import OVERRIDES, Check, Op, Path, Written, shown, written
from core.doctor.defaults import repair, says_nothing
from core.domain.model import Finding, Status
from core.matrix import RULES, Matrix


def _unknown_fields(matrix: Matrix) -> Iterator[Finding]:
    known = matrix.schema.fields
    for one in written(matrix):
        for above, fields in one.mappings():
            for name, value in fields.items():
                if name in known:
                    continue
                near = "".join(difflib.get_close_matches(name.lower(), known, 1, 0.8))
                hint = f"; did you mean {near}?" if near else ""
                fix = _renamed(one, (*above, name), (*above, near), value) if near not in fields else ()
                yield one.finding(UNKNOWN_FIELD.kind, f"There is no field {name!r}{hint}", (*above, name), fix)

    for one in _placeholders(matrix):
        for name in (name for name in one.entry.fields if name not in _OF_PLACEHOLDERS):
            near = "".join(difflib.get_close_matches(name.lower(), _OF_PLACEHOLDERS, 1, 0.8))
            hint = f"; did you mean {near}?" if near else ""
            yield one.finding(UNKNOWN_FIELD.kind, f"Nothing reads {name!r} of a placeholder{hint}", (name,))


_OF_PLACEHOLDERS = ("bringup_status", "reason")
"""What upstream reads of a placeholder (docs/rules.md 2.5)."""


def _placeholders(matrix: Matrix) -> Iterator[Written]:
    for file in matrix.files:
        path = matrix.checkout.relative(matrix.checkout.test_config / file.name)
        yield from (Written(entry, path) for entry in file.placeholders)


def _renamed(one: Written, old: Path, new: Path, value: object) -> tuple[Op, ...]:
    """Move the value to the intended name, if it is valid there and not the default."""
    rule = RULES.get(new[-1])
    if rule is None or value is None or not rule.fits(value):
        return ()
    return (one.unset(old),) if says_nothing(one, new, value) else (one.set(new, value), one.unset(old))


def _bad_values(matrix: Matrix) -> Iterator[Finding]:
    for one in _placeholders(matrix):
        for name in (name for name in _OF_PLACEHOLDERS if name in one.entry.fields):
            if not RULES[name].allows(value := one.entry.fields[name]):
                message = f"{name} is {shown(value)}, but must be {RULES[name].wanted}"
                yield one.finding(BAD_VALUE.kind, message, (name,))
    for one in written(matrix):
        yield from _bad_overrides(one)
        for at, value in one.fields():
            rule = RULES.get(at[-1])
            if at[-1] == OVERRIDES:
                yield one.finding(BAD_VALUE.kind, "Overrides do not nest; upstream never reads this", at)
            elif rule is not None and not rule.allows(value):
                message = f"{at[-1]} is {shown(value)}, but must be {rule.wanted}"
                yield one.finding(BAD_VALUE.kind, message, at, _fixed(one, at, value))


def _fixed(one: Written, at: Path, value: object) -> tuple[Op, ...]:
    if at[-1] == "status" and value in (None, ""):
        # An override without a status falls back on the entry; an entry without one is UNSPECIFIED.
        falls_back = len(at) > 1 and bool(one.entry.fields.get("status"))
        return (one.unset(at) if falls_back else one.set(at, Status.UNSPECIFIED.value),)
    return (one.unset(at),) if value is None else repair(one, at, value)


def _bad_overrides(one: Written) -> Iterator[Finding]:
    """Overrides that are not mappings: upstream fails as soon as it reads them (docs/rules.md 2.3)."""
    overrides = one.entry.fields.get(OVERRIDES, {})
    if not isinstance(overrides, dict):
        message = f"{OVERRIDES} is {shown(overrides)}, but must be a mapping of archs"
        yield one.finding(BAD_VALUE.kind, message, (OVERRIDES,), _dropped(one, (OVERRIDES,), overrides))
        return
    for arch, fields in overrides.items():
        if not isinstance(fields, dict):
            at = (OVERRIDES, str(arch))
            message = f"The override for {arch} is {shown(fields)}, but must be a mapping of fields"
            yield one.finding(BAD_VALUE.kind, message, at, _dropped(one, at, fields))


def _dropped(one: Written, at: Path, value: object) -> tuple[Op, ...]:
    """Remove an empty value; text in place of a mapping means something to its author."""
    return (one.unset(at),) if value in (None, "", []) else ()


UNKNOWN_FIELD = Check("unknown-field", "a field that upstream rejects", _unknown_fields)
BAD_VALUE = Check("bad-value", "a value that upstream rejects or silently reads as another one", _bad_values)
