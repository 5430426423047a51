# SPDX-License-Identifier: Apache-2.0
"""What an action acts on: one answer for all actions, and one wording. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.matrix.view import View
from core.text import one_line
from tui.view_models import counted

_NAMED = 6
"""How many tests a question names."""


@dataclass(frozen=True, slots=True)
class Targets:
    """The marked tests, or, where none is marked, those under the cursor: one, or all of a group or a cell."""

    ids: tuple[str, ...]
    hidden: tuple[str, ...] = ()
    """Those of `ids` that the filter hides."""
    marked: bool = False
    """Whether marks say what is meant, and not the cursor."""

    @classmethod
    def of(cls, view: View, chosen: Sequence[str]) -> Targets:
        """What is meant in `view` with the cursor on `chosen`."""
        ids = tuple(view.targets(chosen))
        hidden = tuple(id for id in ids if view.position_of(id) is None) if view.marks else ()
        return cls(ids, hidden, bool(view.marks) and ids != tuple(chosen))

    @property
    def plain(self) -> bool:
        """Whether this is the one test under the cursor, which a person is looking at."""
        return len(self.ids) == 1 and not self.marked

    @property
    def visible(self) -> Targets:
        """Without what the filter hides."""
        return self.where(frozenset(self.ids).difference(self.hidden).__contains__)

    def where(self, fits: Callable[[str], bool]) -> Targets:
        """Only those that fit."""
        return Targets(tuple(filter(fits, self.ids)), tuple(filter(fits, self.hidden)), self.marked)

    @property
    def name(self) -> str:
        """An id, or `5 marked tests (2 hidden by the filter)`."""
        if len(self.ids) == 1 and not self.hidden:
            return one_line(self.ids[0])
        return counted(len(self.ids), "marked test" if self.marked else "test") + hidden_words(len(self.hidden))

    @property
    def listing(self) -> str:
        """Some of the ids, a line each: the hidden ones, where there are any, as they cannot be looked at."""
        ids = self.hidden or self.ids
        lines = [one_line(id) for id in ids[:_NAMED]]
        more = [f"and {len(ids) - _NAMED:,} more"] if len(ids) > _NAMED else []
        return "\n".join((*(["Hidden by the filter:"] if self.hidden else []), *lines, *more))


def hidden_words(count: int) -> str:
    """` (2 hidden by the filter)`; empty for none."""
    return f" ({count:,} hidden by the filter)" if count else ""
