# SPDX-License-Identifier: Apache-2.0
"""The line of screens at the top: which there are, by key and name, as far as there is room."""

from collections.abc import Sequence
from typing import NamedTuple


class Tab(NamedTuple):
    """A screen in the line."""

    key: str
    name: str
    note: str = ""
    """What goes on there: `3 pending`."""
    current: bool = False

    @property
    def text(self) -> str:
        return " · ".join(filter(None, (f"{self.key} {self.name}".strip(), self.note)))


def tab_gap(before: Tab | None, tab: Tab) -> str:
    """What is between two tabs: a blank between keys alone, two beside a name, which has one itself."""
    if before is None:
        return ""
    return "  " if before.text != before.key or tab.text != tab.key else " "


def tab_line(tabs: Sequence[Tab]) -> str:
    """The line of these tabs."""
    return "".join(tab_gap(before, tab) + tab.text for before, tab in zip((None, *tabs), tabs, strict=False))


def fitted_tabs(tabs: Sequence[Tab], room: int) -> list[Tab]:
    """The tabs within `room` cells: from the right, one name after the other is left out. A part of one says little.

    The current one stays, and each has its key and its note, also where that needs more room than there is.
    """
    fitted = list(tabs)
    for at in reversed(range(len(fitted))):
        if len(tab_line(fitted)) <= room:
            break
        if not fitted[at].current:
            fitted[at] = fitted[at]._replace(name="")
    return fitted
