# SPDX-License-Identifier: Apache-2.0
"""The line above a pane: its title, what there is to say, and where the cursor is; heavy where the keys go."""

from collections.abc import Sequence

from tui.view_models import rule_line
from tui.widgets.cell_lines import CellLines


class PaneRule(CellLines):
    """A rule with words in it."""

    def __init__(self, title: str = "", *, id: str | None = None) -> None:
        super().__init__(id=id, margin=0)
        self._title = title
        self._words: Sequence[str] = ()
        self._place = ""
        self._lit = False

    @property
    def words(self) -> Sequence[str]:
        """The title and what is said beside it."""
        return self._title, *self._words

    def say(self, title: str, *words: str) -> None:
        """Show another title, and other words beside it; empty ones are left out."""
        self._title, self._words = title, tuple(filter(None, words))
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
            self.show([rule_line(self._title, self._words, self._place, self.size.width, lit=self._lit)])
