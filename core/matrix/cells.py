# SPDX-License-Identifier: Apache-2.0
"""The cells of an entry: on which archs its test is marked, and its status on each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.matrix.effective import status_on, supported_archs
from core.model import Entry, Status


@dataclass(frozen=True, slots=True)
class Cells:
    """What one entry comes to on every arch."""

    base: Status
    """Without an arch."""
    statuses: tuple[Status, ...]
    """One for each arch of the schema, in its order."""
    marked: tuple[str, ...]
    """Archs the test carries the marker of, in the order of the schema."""

    def shown(self, archs: Sequence[str]) -> set[Status]:
        """The statuses on the marked archs; the base status where there are none."""
        found = {status for arch, status in zip(archs, self.statuses, strict=True) if arch in self.marked}
        return found or {self.base}


def all_cells(entries: Mapping[int, Entry], archs: Sequence[str]) -> dict[int, Cells]:
    """The cells of each of `entries`, by the same keys. Two thousand entries come to some dozens of different cells."""
    found: dict[tuple[Status, tuple[str, ...]], Cells] = {}
    cells: dict[int, Cells] = {}
    for row, entry in entries.items():
        base, listed, overrides = status_on(entry, None), supported_archs(entry), entry.overrides
        if overrides:
            cells[row] = _overridden(entry, base, listed, overrides, archs)
            continue
        if (base, listed) not in found:
            found[base, listed] = Cells(base, (base,) * len(archs), tuple(arch for arch in archs if arch in listed))
        cells[row] = found[base, listed]
    return cells


def cells_of(entry: Entry, archs: Sequence[str]) -> Cells:
    """The cells of one entry."""
    return all_cells({0: entry}, archs)[0]


def _overridden(
    entry: Entry, base: Status, listed: tuple[str, ...], overrides: Mapping[str, object], archs: Sequence[str]
) -> Cells:
    return Cells(
        base,
        tuple(status_on(entry, arch) if arch in overrides else base for arch in archs),
        tuple(arch for arch in archs if arch in (supported_archs(entry, arch) if arch in overrides else listed)),
    )
