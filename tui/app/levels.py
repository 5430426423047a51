# SPDX-License-Identifier: Apache-2.0
"""The one model of going in and out: where a person is, how they came there, and the view before. Pure values."""

from __future__ import annotations

from typing import NamedTuple

_MOST = 50
"""How deep one can go in; the outermost level is forgotten then."""


class Place(NamedTuple):
    """A screen, and what on it a person was looking at."""

    screen: str
    at: object = None
    """The view and the spot, as the screen itself says it: `SessionScreen.spot`. None: as it was left."""


class Level(NamedTuple):
    """One way in."""

    begun: Place
    """Where it began, and where escape leads back to."""
    changed: Place
    """What the screen that it leads to showed before."""
    base: str = ""
    """What that screen is narrowed to by it, a query for example: escape does not take that away by itself."""


class Levels(NamedTuple):
    """The levels that lead to where a person is, and the view before."""

    inner: tuple[Level, ...] = ()
    last: tuple[Place, tuple[Level, ...]] | None = None
    """The view before, with the levels that lead there; None: there was none."""

    @property
    def base(self) -> str:
        """What the present level is narrowed to."""
        return self.inner[-1].base if self.inner else ""

    def enter(self, here: Place, target: Place, base: str = "") -> Levels:
        """One level in: from `here` to another place of the screen of `target`, which shows `target` until now."""
        return Levels((*self.inner, Level(here, target, base))[-_MOST:], (here, self.inner))

    def jump(self, here: Place) -> Levels:
        """Another view on the same level."""
        return Levels(self.inner, (here, self.inner))

    def start(self, here: Place) -> Levels:
        """A screen by its own key: the outermost level."""
        return Levels((), (here, self.inner))

    def back(self, here: Place) -> tuple[Level, Levels] | None:
        """One level out, with the level that is left; None on the outermost one."""
        if not self.inner:
            return None
        return self.inner[-1], Levels(self.inner[:-1], (here, self.inner))

    def swap(self, here: Place) -> tuple[Place, Levels] | None:
        """The view before, which then is what `here` is now; None where there was none."""
        if self.last is None:
            return None
        place, inner = self.last
        return place, Levels(inner, (here, self.inner))
