# SPDX-License-Identifier: Apache-2.0
"""The pending changes, as a list to decide on."""

from collections.abc import Callable, Collection, Sequence
from enum import StrEnum
from functools import partial

from core.edits.pending import Change, Decision, GroupBy, group_changes
from tui.protocol import Context
from tui.screens.review.lists import loader_of
from tui.screens.review.loader_edits import LoaderEdits
from tui.view_models import PendingLook, ReviewRows, edit_rows, search_text


class PendingChanges:
    """A ChangeSource; the loader edits are listed below the changes."""

    orders: Sequence[StrEnum] = tuple(GroupBy)
    noun = "change"

    def __init__(self, context: Context, edits: LoaderEdits, deciding: Callable[[], None]) -> None:
        """`deciding` is called before each decision."""
        self._deciding = deciding
        self._session = context.session
        self._context = context
        self._edits = edits

    @property
    def changes(self) -> Sequence[Change]:
        return self._session.pending.changes

    def rows(
        self, changes: Sequence[Change], by: StrEnum, opened: Collection[str], matches: Callable[[str], bool]
    ) -> ReviewRows:
        order = GroupBy(by)
        groups = group_changes(changes, order, partial(loader_of, self._session.matrix))
        look = PendingLook(order, self._session.conflicts)
        return ReviewRows(groups, look, opened, edit_rows(self._edits.matching(matches)))

    def search_text(self, change: Change) -> str:
        return search_text(change)

    def decide(self, decision: Decision, changes: Sequence[Change]) -> None:
        self._deciding()
        self._context.edits.decide(decision, [change.id for change in changes])

    def warning(self, changes: Sequence[Change]) -> str:
        return ""
