# SPDX-License-Identifier: Apache-2.0
"""The needs of the commands of the matrix, and whether they are met."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from tui.commands import Need
from tui.screens.matrix.listing import Listing

if TYPE_CHECKING:
    from tui.screens.matrix.views import ViewActions


def missing_for(need: Need, listing: Listing, views: ViewActions, panes: int) -> bool | None:
    """Whether what a command needs is missing; None where that is not of the matrix. `panes` are shown."""
    view = listing.view
    missing: Mapping[Need, Callable[[], bool]] = {
        Need.PREVIOUS_VIEW: lambda: not views.can_step(-1),
        Need.NEXT_VIEW: lambda: not views.can_step(1),
        Need.NO_GRID: lambda: bool(view.grid),
        Need.GROUPS: lambda: not view.group,
        Need.COLUMNS: lambda: len(listing.grid.source.columns) < 3,
        Need.PANE: lambda: panes < 2,
        Need.MARKS: lambda: listing.unmarked,
        Need.TESTS: lambda: not listing.targets().ids,
        Need.TEST: lambda: listing.current is None,
        Need.ROWS: lambda: not view.rows,
    }
    return missing[need]() if need in missing else None
