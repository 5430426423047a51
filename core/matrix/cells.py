# SPDX-License-Identifier: Apache-2.0
"""The cells of an entry: on which archs its test is marked, and its status on each."""

from collections.abc import Sequence
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


def cells_of(entry: Entry, archs: Sequence[str]) -> Cells:
    """The cells of `entry` on `archs`. Archs without an override share one answer, which saves most of the work."""
    overrides = entry.overrides
    base, listed = status_on(entry, None), supported_archs(entry)
    return Cells(
        base,
        tuple(status_on(entry, arch) if arch in overrides else base for arch in archs),
        tuple(arch for arch in archs if arch in (supported_archs(entry, arch) if arch in overrides else listed)),
    )
