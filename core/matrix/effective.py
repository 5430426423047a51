# SPDX-License-Identifier: Apache-2.0
"""The effective value of an entry's field on one arch, and where it comes from (docs/rules.md 2.3)."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Final

from core.base.checked_numbers import finite
from core.domain.model import Effective, Entry, Provenance, Status
from core.matrix.field_rules import RULES
from core.sources import DEFAULT_ARCHS

DEFAULTS: dict[str, object] = {
    "status": Status.UNSPECIFIED.value,
    "required_pcc": 0.99,
    "assert_pcc": True,
    "assert_atol": False,
    "required_atol": 0.16,
    "assert_allclose": False,
    "allclose_rtol": 0.01,
    "allclose_atol": 0.01,
    "enable_weight_bfp8_conversion": False,
    "inject_custom_moe": False,
    "emitpy_assert_exact": True,
}
"""Values that upstream's `ModelTestConfig` uses for fields that are not written; None for all others."""

_STATUSES = dict(Status.__members__)


def resolve(entry: Entry | None, field: str, arch: str | None) -> Effective:
    """The effective value of `field` for `arch`; without an arch, overrides are ignored.

    An override applies if its mapping contains the key, even with a null. Lists are never merged.
    """
    if entry is not None:
        override = entry.overrides.get(arch, {}) if arch is not None else {}
        if field in override:
            return Effective(override[field], Provenance.OVERRIDE)
        if field in entry.fields:
            return Effective(entry.fields[field], Provenance.ENTRY)
    return Effective(DEFAULTS.get(field), Provenance.DEFAULT)


def written(entry: Entry | None, arch: str) -> Mapping[str, object]:
    """The written fields that are effective on `arch`: the values of `resolve`, all at once."""
    if entry is None:
        return {}
    own = entry.fields.get("arch_overrides")
    override = own.get(arch) if isinstance(own, dict) else None
    return {**entry.fields, **override} if isinstance(override, dict) else entry.fields


def status_on(entry: Entry | None, arch: str | None) -> Status:
    """The effective status on `arch`. An invalid value, which is a finding, counts as UNSPECIFIED."""
    return as_status(resolve(entry, "status", arch).value)


def as_status(value: object) -> Status:
    """A value of the field `status`; UNSPECIFIED if it is invalid."""
    name = value.strip().upper() if isinstance(value, str) else ""
    return _STATUSES.get(name, Status.UNSPECIFIED)


def supports(entry: Entry | None, arch: str) -> bool:
    """Whether the test carries the marker of `arch`: CI selects it there by that marker only (docs/rules.md 3.1)."""
    return arch in supported_archs(entry, arch)


def marked_archs(entry: Entry | None, archs: Iterable[str]) -> list[str]:
    """Those of `archs` that the entry `supports`."""
    if entry is None or not entry.overrides:
        own = supported_archs(entry)
        return [arch for arch in archs if arch in own]
    return [arch for arch in archs if supports(entry, arch)]


def supported_archs(entry: Entry | None, arch: str | None = None) -> tuple[str, ...]:
    """Archs the entry lists, as resolved for `arch`; an empty list means the default."""
    return texts(resolve(entry, "supported_archs", arch).value) or DEFAULT_ARCHS


def texts(value: object) -> tuple[str, ...]:
    """The texts of a field that may hold one text or a list of them."""
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    # Looked up by name, because the general way takes ten times as long.
    if isinstance(value, (list, Iterable)):
        return tuple(str(item) for item in value)
    return ()


def text_of(value: object) -> str:
    """A field's value as a person writes it: lists with commas, booleans in lower case, nothing for null."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(texts(value)) if isinstance(value, list) else str(value)


UNWRITTEN: Final = object()
"""The value of a field that is not written."""

SWITCHES = ("required_atol", "allclose_rtol", "allclose_atol")
"""Writing one of these turns its check on, whatever the value: writing the default differs from writing nothing."""

_SETS = ("markers", "supported_archs")


def acting(field: str, value: object) -> Hashable:
    """The effect of `value`: equal for two values that no run can tell apart. `UNWRITTEN` means no value.

    A value that upstream cannot interpret, such as an invalid status, only equals itself.
    """
    if value is UNWRITTEN or (value is None and (field not in RULES or RULES[field].null)):
        value = None if field in SWITCHES else DEFAULTS.get(field)
    elif field == "assert_pcc":
        # Only the literal false turns PCC off.
        return value is not False
    if field in _SETS:
        listed = tuple(sorted(set(texts(value))))
        return listed or (supported_archs(None) if field == "supported_archs" else ())
    if field in ("status", "bringup_status") and isinstance(value, str):
        return value.strip().upper()
    if isinstance(value, bool | str) or value is None:
        return value
    if isinstance(value, int | float):
        # No float holds an integer of 400 digits.
        number = finite(value)
        return value if number is None else number
    return repr(value)


def said_default(field: str) -> object:
    """The value to write for the effect of an unwritten field; `UNWRITTEN` if no value has that effect."""
    if field in _SETS:
        return []
    return UNWRITTEN if field in SWITCHES else DEFAULTS.get(field, UNWRITTEN)


def raw_value(entry: Entry | None, field: str, arch: str | None) -> object:
    """The effective value on `arch` as written, or `UNWRITTEN` (docs/rules.md 2.3)."""
    found = resolve(entry, field, arch)
    return UNWRITTEN if found.provenance is Provenance.DEFAULT else found.value


def values_on(entry: Entry | None, arch: str | None) -> Mapping[str, object]:
    """The effective values on `arch` by field, in the order of the entry; unwritten fields are left out."""
    names = _names(entry, arch) if entry else ()
    return {name: resolve(entry, name, arch).value for name in names}


def differing(one: Entry | None, other: Entry | None, arch: str | None) -> list[str]:
    """The fields with different effects on `arch` in the two entries; the status first."""
    names = dict.fromkeys(("status", *values_on(one, arch), *values_on(other, arch)))
    return [
        name for name in names if acting(name, raw_value(one, name, arch)) != acting(name, raw_value(other, name, arch))
    ]


def with_fields(entry: Entry | None, fields: Mapping[str, object]) -> Entry:
    """`entry`, or an entry outside of any file, with `fields` in place of its own."""
    if entry is None:
        return Entry("", "", 0, 0, fields)
    return Entry(entry.id, entry.file, entry.line, entry.end_line, fields, entry.places)


def _names(entry: Entry, arch: str | None) -> Iterable[str]:
    override = entry.overrides.get(arch, {}) if arch is not None else {}
    return dict.fromkeys(name for name in (*entry.fields, *override) if name != "arch_overrides")
