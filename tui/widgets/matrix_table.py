# SPDX-License-Identifier: Apache-2.0
"""The table of tests: plain or in groups, with the rows between a mark that was begun and the cursor."""

from typing import TYPE_CHECKING

from tui.commands import Need, Where, command
from tui.view_models import MatrixRows, RowSource, TreeRows
from tui.widgets.row_table import RowTable

if TYPE_CHECKING:
    from core.matrix.view import Group


class MatrixTable(RowTable):
    """The table of tests, with the keys of a table and of groups."""

    range_start: int | None = None
    """The position where a range began; None: no range is open."""

    def show(self, source: RowSource, *, keep: str | None = None) -> None:
        self.range_start = None
        super().show(source, keep=keep)

    def looks_alike(self, source: RowSource) -> bool:
        old = self.source
        return isinstance(old, MatrixRows) and isinstance(source, MatrixRows) and source.looks_like(old)

    def row_look(self, position: int) -> object:
        # While a query is typed, most rows of one letter are there with the next one, in other places.
        return self.source.key(position)

    @property
    def heading(self) -> "Group | None":
        """The group whose heading is under the cursor."""
        source = self.source
        if not isinstance(source, TreeRows) or self.cursor >= len(source):
            return None
        line = source.line(self.cursor)
        return line.group if line.row is None else None

    def ranged(self) -> range:
        """Positions from where the range began to the cursor."""
        start = self.range_start
        return range(0) if start is None else range(min(start, self.cursor), max(start, self.cursor) + 1)

    def ranged_ids(self) -> list[str]:
        """The tests in the range; of a group whose tests are hidden, all of them."""
        source = self.source
        if not isinstance(source, TreeRows):
            return [source.key(position) for position in self.ranged()]
        ids: list[str] = []
        for position in self.ranged():
            line = source.line(position)
            if line.row is not None:
                ids.append(source.key(position))
            elif line.group.text not in source.tree.opened:
                ids.extend(line.group.ids())
        return ids

    def mark_at(self, position: int) -> str:
        if self.range_start is not None and position in self.ranged():
            return "│"
        return self.source.mark(position) if isinstance(self.source, TreeRows) else super().mark_at(position)

    def watch_cursor(self, old: int, new: int) -> None:
        super().watch_cursor(old, new)
        if self.range_start is not None:
            self.refresh()

    @command(
        "tree.open",
        Where.TREE,
        "l,right",
        "Unfold",
        "Show the tests of the group",
        action="fold(True)",
        needs=Need.GROUPS,
    )
    @command(
        "tree.close",
        Where.TREE,
        "h,left",
        "Fold",
        "Hide the tests of the group",
        action="fold(False)",
        needs=Need.GROUPS,
    )
    def action_fold(self, opened: bool) -> None:
        """Unfold the group under the cursor, or fold the one the cursor is in."""
        source = self.source
        if isinstance(source, TreeRows) and self.cursor < len(source):
            group = source.line(self.cursor).group
            self._show_tree(source, (group,), opened=opened, keep=group if not opened else None)

    @command(
        "tree.open_all",
        Where.TREE,
        "plus",
        "Unfold all",
        "Show the tests of every group",
        action="fold_all(True)",
        needs=Need.GROUPS,
    )
    @command(
        "tree.close_all",
        Where.TREE,
        "underscore",
        "Fold all",
        "Hide the tests of every group",
        action="fold_all(False)",
        needs=Need.GROUPS,
    )
    def action_fold_all(self, opened: bool) -> None:
        source = self.source
        if isinstance(source, TreeRows) and self.cursor < len(source):
            self._show_tree(source, source.tree.groups, opened=opened, keep=None)

    def _show_tree(self, source: TreeRows, groups: "tuple[Group, ...]", *, opened: bool, keep: "Group | None") -> None:
        tree = source.tree.fold((group.text for group in groups), opened=opened)
        folded = source.over(tree)
        self.show(folded, keep=folded.heading_key(keep) if keep else self.cursor_key)
