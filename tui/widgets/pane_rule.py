# SPDX-License-Identifier: Apache-2.0
"""The line above a pane: its title, what there is to say, and where the cursor is; heavy where the keys go."""

from collections.abc import Sequence

from rich.cells import cell_len

from tui.view_models import fit, rule_line
from tui.widgets.cell_lines import CellLines

_LEAST_ID = 24
"""Cells that the id in a title has, whatever else is said there."""
_AROUND = 6
"""Cells of a rule that are not of its words."""


class PaneRule(CellLines):
    """A rule with words in it."""

    def __init__(self, title: str = "", *, id: str | None = None) -> None:
        super().__init__(id=id, margin=0)
        self._title = title
        self._words: Sequence[str] = ()
        self._test = ""
        """The test that is the title: as much of its id as there is room for."""
        self._place = ""
        self._lit = False

    @property
    def words(self) -> Sequence[str]:
        """The title and what is said beside it."""
        return self._title, *self._words

    def say(self, title: str, *words: str) -> None:
        """Show another title, and other words beside it; empty ones are left out."""
        self._title, self._words, self._test = title, tuple(filter(None, words)), ""
        self._show()

    def say_test(self, id: str, *words: str) -> None:
        """Show the id of a test as title: shortened to what the words beside it leave, whenever the width changes."""
        self._test, self._words = id, tuple(filter(None, words))
        self._show()

    def at(self, place: str) -> None:
        """Show where the cursor is."""
        self._place = place
        self._show()

    def light(self, lit: bool) -> None:
        """Show whether the pane has the keys."""
        self._lit = lit
        self._show()

    def on_resize(self) -> None:
        self._show()

    def _show(self) -> None:
        if self.size.width:
            if self._test:
                room = max(_LEAST_ID, self.size.width - sum(cell_len(one) + 3 for one in self._words) - _AROUND)
                self._title = fit(self._test, room, elide=True).rstrip()
            self.show([rule_line(self._title, self._words, self._place, self.size.width, lit=self._lit)])
