# SPDX-License-Identifier: Apache-2.0
"""Lines that are painted once. The compositor asks every widget on the screen for all its lines with each frame."""

from collections.abc import Sequence

from textual.containers import Vertical
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static


class KeptLines(Widget):
    """A widget that gives the lines it gave before, but for those made dirty since.

    It stands after a stock one: whose style a widget has, Textual tells by its first base.
    """

    _kept_at = Region()
    _kept_over: object = None
    _kept: Sequence[Strip | None] = ()

    def _set_dirty(self, *regions: Region) -> None:
        super()._set_dirty(*regions)
        if not regions:
            self._kept = ()
        for region in regions:
            first, last = (max(0, y - self._kept_at.y) for y in (region.y, region.bottom))
            self._kept = [None if first <= at < last else strip for at, strip in enumerate(self._kept)]

    def render_lines(self, crop: Region) -> list[Strip]:
        # What stands behind it, another widget changes.
        over = None if self.styles.background.a == 1 else self.background_colors
        same = self._kept and (crop, over) == (self._kept_at, self._kept_over)
        kept = self._kept if same else [None] * crop.height
        missing = [at for at, strip in enumerate(kept) if strip is None]
        if missing:
            first, last = missing[0], missing[-1] + 1
            painted = self.paint_lines(Region(crop.x, crop.y + first, crop.width, last - first))
            kept = [*kept[:first], *painted, *kept[last:]]
        self._kept_at, self._kept_over, self._kept = crop, over, kept
        return [strip for strip in kept if strip is not None]

    def paint_lines(self, crop: Region) -> list[Strip]:
        """The lines of a region of the widget as they are now."""
        return super().render_lines(crop)


class KeptBox(Vertical, KeptLines):
    """A box that is there with each frame, as the stock one but for its price."""


class KeptText(Static, KeptLines):
    """A text that is there with each frame, as the stock one but for its price."""
