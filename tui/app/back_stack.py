# SPDX-License-Identifier: Apache-2.0
"""The model for going in and out: where a person is, how they got there, and the previous view. Pure values."""

from __future__ import annotations

from typing import NamedTuple

_MOST = 50
"""The maximum depth; beyond it, the outermost level is forgotten."""


class Place(NamedTuple):
    """A screen, and what a person was looking at on it."""

    screen: str
    at: object = None
    """View and spot as the screen describes them: `SessionScreen.spot`. None: unchanged."""


class Level(NamedTuple):
    """One step inwards."""

    begun: Place
    """The place where it began; escape leads back there."""
    changed: Place
    """The view of its target screen before."""
    base: str = ""
    """Its restriction of that screen, such as a query: escape alone does not remove that."""


class BackStack(NamedTuple):
    """The levels that lead to the current place, and the previous view."""

    inner: tuple[Level, ...] = ()
    last: tuple[Place, tuple[Level, ...]] | None = None
    """The previous view, with the levels that lead there; None: there was none."""

    @property
    def base(self) -> str:
        """The restriction of the current level on its screen."""
        return self.inner[-1].base if self.inner else ""

    def enter(self, here: Place, target: Place, base: str = "") -> BackStack:
        """Go one level in, from `here` to another place on the screen of `target`, which still shows `target`."""
        return BackStack((*self.inner, Level(here, target, base))[-_MOST:], (here, self.inner))

    def jump(self, here: Place) -> BackStack:
        """Go to another view on the same level."""
        return BackStack(self.inner, (here, self.inner))

    def start(self, here: Place) -> BackStack:
        """Go to a screen by its own key, which starts at the outermost level."""
        return BackStack((), (here, self.inner))

    def back(self, here: Place) -> tuple[Level, BackStack] | None:
        """Go one level out; returns the level that is left and the new levels, or None on the outermost one."""
        if not self.inner:
            return None
        return self.inner[-1], BackStack(self.inner[:-1], (here, self.inner))

    def swap(self, here: Place) -> tuple[Place, BackStack] | None:
        """Go to the previous view, and make `here` the previous one; None if there was none."""
        if self.last is None:
            return None
        place, inner = self.last
        return place, BackStack(inner, (here, self.inner))
