# SPDX-License-Identifier: Apache-2.0
"""The line of screens at the top: keys and names of the screens that fit."""

from collections.abc import Sequence
from typing import NamedTuple


class Tab(NamedTuple):
    """A screen in the line."""

    key: str
    name: str
    note: str = ""
    """Its activity: `3 pending`."""
    current: bool = False

    @property
    def text(self) -> str:
        return " · ".join(filter(None, (f"{self.key} {self.name}".strip(), self.note)))


def tab_gap(before: Tab | None, tab: Tab) -> str:
    """The gap between two tabs: one blank between bare keys, two next to a name, which includes one itself."""
    if before is None:
        return ""
    return "  " if before.text != before.key or tab.text != tab.key else " "


def tab_line(tabs: Sequence[Tab]) -> str:
    """The text of the line."""
    return "".join(tab_gap(before, tab) + tab.text for before, tab in zip((None, *tabs), tabs, strict=False))


def fitted_tabs(tabs: Sequence[Tab], room: int) -> list[Tab]:
    """The tabs for `room` cells: names are dropped from the right, one after the other, never cut.

    The current name stays, and each tab keeps its key and note, even if they do not fit.
    """
    fitted = list(tabs)
    for at in reversed(range(len(fitted))):
        if len(tab_line(fitted)) <= room:
            break
        if not fitted[at].current:
            fitted[at] = fitted[at]._replace(name="")
    return fitted
