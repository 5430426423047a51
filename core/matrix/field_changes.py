# SPDX-License-Identifier: Apache-2.0
"""What differs between two states of an entry, field by field."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.sources.entry_texts import Fields


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field that was set, changed or taken away."""

    path: tuple[str, ...]
    """For example `("arch_overrides", "n150", "status")`."""
    before: object
    """None: not written."""
    after: object

    @property
    def name(self) -> str:
        """The path as people write it: the arch in front of the field."""
        return " ".join(self.path[1:] if len(self.path) > 1 else self.path)


def field_changes(old: Fields | None, new: Fields | None) -> tuple[FieldChange, ...]:
    """The fields that differ, those of the new state in their order first."""
    before, after = _flat(old or {}), _flat(new or {})
    return tuple(
        FieldChange(path, before.get(path), after.get(path))
        for path in {**after, **before}
        if before.get(path) != after.get(path)
    )


def _flat(fields: Mapping[str, object], above: tuple[str, ...] = ()) -> dict[tuple[str, ...], object]:
    found: dict[tuple[str, ...], object] = {}
    for name, value in fields.items():
        path = (*above, str(name))
        found |= _flat(value, path) if isinstance(value, Mapping) and value else {path: value}
    return found
