# SPDX-License-Identifier: Apache-2.0
"""What the value of a field does to a run, however it is spelled: two entries that act alike run alike (spec 2.2)."""

from collections.abc import Hashable, Iterable, Mapping
from typing import Final

from core.matrix.effective import DEFAULTS, resolve, supported_archs, texts
from core.matrix.field_values import RULES
from core.model import Entry, Provenance

UNWRITTEN: Final = object()
"""Stands for the value of a field that is not written."""

SWITCHES = ("required_atol", "allclose_rtol", "allclose_atol")
"""Writing one of these turns its check on, whatever the value: their defaults are not the same as no value."""

_SETS = ("markers", "supported_archs")


def acting(field: str, value: object) -> Hashable:
    """What `value` comes to: equal for two values that no run can tell apart. `UNWRITTEN` stands for no value.

    What upstream makes nothing of, such as a status that is none, comes to itself.
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
    return float(value) if isinstance(value, int | float) else repr(value)


def said_default(field: str) -> object:
    """The value that says what holds where nothing is written; `UNWRITTEN` where no value says that."""
    if field in _SETS:
        return []
    return UNWRITTEN if field in SWITCHES else DEFAULTS.get(field, UNWRITTEN)


def raw_value(entry: Entry | None, field: str, arch: str | None) -> object:
    """The value that counts on `arch` as it is written, or `UNWRITTEN` (spec 2.3)."""
    found = resolve(entry, field, arch)
    return UNWRITTEN if found.provenance is Provenance.DEFAULT else found.value


def values_on(entry: Entry | None, arch: str | None) -> Mapping[str, object]:
    """What counts on `arch`, by field, in the order of the entry; what is not written anywhere is left out."""
    names = _names(entry, arch) if entry else ()
    return {name: resolve(entry, name, arch).value for name in names}


def differing(one: Entry | None, other: Entry | None, arch: str | None) -> list[str]:
    """The fields that act otherwise on `arch` in one entry than in the other; the status first."""
    names = dict.fromkeys(("status", *values_on(one, arch), *values_on(other, arch)))
    return [
        name for name in names if acting(name, raw_value(one, name, arch)) != acting(name, raw_value(other, name, arch))
    ]


def with_fields(entry: Entry | None, fields: Mapping[str, object]) -> Entry:
    """`entry`, or an entry that stands nowhere, as if it said `fields`."""
    if entry is None:
        return Entry("", "", 0, 0, fields)
    return Entry(entry.id, entry.file, entry.line, entry.end_line, fields, entry.places)


def _names(entry: Entry, arch: str | None) -> Iterable[str]:
    override = entry.overrides.get(arch, {}) if arch is not None else {}
    return dict.fromkeys(name for name in (*entry.fields, *override) if name != "arch_overrides")
