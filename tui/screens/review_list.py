# SPDX-License-Identifier: Apache-2.0
"""The list of the review: the pending changes, in groups, and the decisions on them."""

from collections.abc import Sequence
from typing import ClassVar

from core.edits.conflicts import Take
from core.edits.pending import Change, Decision
from core.edits.review_groups import GroupBy, group_changes
from tui.review_rows import ReviewRows
from tui.screens.change_list import ChangeList


class ListActions(ChangeList):
    """The pending changes, and who of two wins where both changed something."""

    ORDER: ClassVar[Sequence[GroupBy]] = tuple(GroupBy)

    @property
    def changes(self) -> Sequence[Change]:
        return self.session.pending.changes

    def rows_of(self, changes: Sequence[Change], opened: frozenset[str]) -> ReviewRows:
        by = GroupBy(self.by)
        return ReviewRows(group_changes(changes, by, self.loader_of), by, opened, self.session.conflicts)

    def decide(self, decision: Decision, changes: Sequence[Change]) -> None:
        self.host.decide(decision, [change.id for change in changes])

    def action_take(self, side: str) -> None:
        """Decide what was changed elsewhere too."""
        change = self.current
        found = self.session.conflicts(change) if change else ()
        if change is None or not found:
            self.host.say("This was not changed elsewhere.")
            return
        self.host.resolve(change.id, found, Take(side))
