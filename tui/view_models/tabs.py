# SPDX-License-Identifier: Apache-2.0
"""The line of screens at the top: which there are, by key and name, as far as there is room."""

from collections.abc import Sequence
from typing import NamedTuple

_GAP = 2
"""Cells between two tabs."""
_SHORT = 4
"""Letters of a name that is cut."""


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


def fitted_tabs(tabs: Sequence[Tab], room: int) -> list[Tab]:
    """The tabs within `room` cells: from the right, one name after the other is cut, then left out.

    The current one stays whole, and each keeps its key and its note, also where that needs more room than there is.
    """
    fitted = list(tabs)
    for length in (_SHORT, 0):
        for at in reversed(range(len(fitted))):
            if sum(len(tab.text) + _GAP for tab in fitted) - _GAP <= room:
                return fitted
            if not fitted[at].current:
                fitted[at] = fitted[at]._replace(name=fitted[at].name[:length])
    return fitted
