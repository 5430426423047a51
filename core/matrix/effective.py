# SPDX-License-Identifier: Apache-2.0
"""What a field of an entry means on one arch, and where that comes from (spec 2.3)."""

from collections.abc import Iterable, Mapping

from core.model import Effective, Entry, Provenance, Status
from core.sources.schema import DEFAULT_ARCHS

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
"""Values upstream's `ModelTestConfig` takes for fields that are not written; None for all others."""

_STATUSES = dict(Status.__members__)


def resolve(entry: Entry | None, field: str, arch: str | None) -> Effective:
    """The effective value of `field` for `arch`; without an arch, overrides do not count.

    An override counts as soon as its mapping contains the key, even with a null. Lists are never merged.
    """
    if entry is not None:
        override = entry.overrides.get(arch, {}) if arch is not None else {}
        if field in override:
            return Effective(override[field], Provenance.OVERRIDE)
        if field in entry.fields:
            return Effective(entry.fields[field], Provenance.ENTRY)
    return Effective(DEFAULTS.get(field), Provenance.DEFAULT)


def written(entry: Entry | None, arch: str) -> Mapping[str, object]:
    """The fields that count on `arch` and are written, as `resolve` has them but all at once."""
    if entry is None:
        return {}
    own = entry.fields.get("arch_overrides")
    override = own.get(arch) if isinstance(own, dict) else None
    return {**entry.fields, **override} if isinstance(override, dict) else entry.fields


def status_on(entry: Entry | None, arch: str | None) -> Status:
    """The effective status on `arch`. A value that is no status counts as UNSPECIFIED; it is a finding."""
    return as_status(resolve(entry, "status", arch).value)


def as_status(value: object) -> Status:
    """A value of the field `status`; UNSPECIFIED where it is none."""
    name = value.strip().upper() if isinstance(value, str) else ""
    return _STATUSES.get(name, Status.UNSPECIFIED)


def supports(entry: Entry | None, arch: str) -> bool:
    """Whether the test carries the marker of `arch`: CI selects it there by that marker only (spec 3.1)."""
    return arch in supported_archs(entry, arch)


def supported_archs(entry: Entry | None, arch: str | None = None) -> tuple[str, ...]:
    """Archs the entry lists, as resolved for `arch`; an empty list means the default."""
    return texts(resolve(entry, "supported_archs", arch).value) or DEFAULT_ARCHS


def texts(value: object) -> tuple[str, ...]:
    """A field that may hold one text or a list of them."""
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    # Asked for by name, as the general question takes ten times as long.
    if isinstance(value, (list, Iterable)):
        return tuple(str(item) for item in value)
    return ()


def text_of(value: object) -> str:
    """A field's value as a person writes it: lists with commas, truth in lower case, nothing for null."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(texts(value)) if isinstance(value, list) else str(value)
