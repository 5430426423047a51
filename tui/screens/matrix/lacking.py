# SPDX-License-Identifier: Apache-2.0
"""What the commands of the matrix need, and whether it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.needs import Need
from tui.screens.matrix.listing import Listing

if TYPE_CHECKING:
    from tui.screens.matrix.views import ViewActions


def missing_for(need: Need, listing: Listing, views: ViewActions, panes: int) -> bool | None:
    """Whether what a command needs is missing; None where that is not of the matrix. `panes` are shown."""
    view = listing.view
    match need:
        case Need.PREVIOUS_VIEW | Need.NEXT_VIEW:
            return not views.can_step(-1 if need is Need.PREVIOUS_VIEW else 1)
        case Need.NO_GRID:
            return bool(view.grid)
        case Need.GROUPS:
            return not view.group
        case Need.COLUMNS:
            return len(listing.grid.source.columns) < 3
        case Need.PANE:
            return panes < 2
        case Need.MARKS:
            return not view.marks
        case _:
            return _no_test(need, listing)


def _no_test(need: Need, listing: Listing) -> bool | None:
    match need:
        case Need.TESTS:
            return not listing.targets().ids
        case Need.TEST:
            return listing.current is None
        case Need.ROWS:
            return not listing.view.rows
        case _:
            return None
