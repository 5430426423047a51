# SPDX-License-Identifier: Apache-2.0
"""A table whose rows are in groups that can be folded."""

from collections.abc import Collection, Iterable, Sequence

from tui.commands import Where
from tui.view_models import NO_TITLES, GroupedRows, HeadingTitles, RowGroup, RowSource
from tui.widgets.matrix_table import MatrixTable
from tui.widgets.row_table import RowTable


class GroupTable(RowTable):
    """Shows GroupedRows, and remembers which groups are folded."""

    BINDINGS = MatrixTable.BINDINGS

    def __init__(
        self,
        rows: RowSource,
        titles: HeadingTitles = NO_TITLES,
        *,
        id: str | None = None,
        folded: bool = False,
        but: Collection[str] = (),
    ) -> None:
        """With `folded`, groups are folded until they are unfolded; those with the keys `but` are the other way.

        `titles` are above the pieces of headings.
        """
        self._titles = titles
        super().__init__(GroupedRows(rows, ()), id=id)
        self._fold_new = folded
        self._turned = set(but)
        """The groups that are not as new ones are."""

    def places(self) -> tuple[Where, ...]:
        return (*super().places(), Where.TREE)

    @property
    def grouped(self) -> GroupedRows:
        """The rows that are shown."""
        assert isinstance(self.source, GroupedRows)
        return self.source

    @property
    def row(self) -> int | None:
        """The number of the row under the cursor, among all of them; None on a heading."""
        return self.grouped.row(self.cursor)

    @property
    def group(self) -> RowGroup | None:
        """The group that the cursor is in."""
        return self.grouped.group(self.cursor)

    def show_groups(self, rows: RowSource, groups: Sequence[RowGroup], *, keep: str | None = None) -> None:
        """Show other rows; the cursor stays on its own, or goes to the row with the key `keep`."""
        folded = {group.key for group in groups if self.is_folded(group)}
        self.show(GroupedRows(rows, groups, folded, self._titles), keep=keep or self.cursor_key)

    def is_folded(self, group: RowGroup) -> bool:
        """Whether the rows of a group are hidden."""
        return self._fold_new is not (group.key in self._turned)

    def action_fold(self, opened: bool) -> None:
        """Unfold the group under the cursor, or fold the one the cursor is in."""
        if self.group is not None:
            self._fold([self.group], opened=opened)

    def action_fold_all(self, opened: bool) -> None:
        """Unfold all groups, or fold them."""
        self._fold(self.grouped.groups, opened=opened)

    def _fold(self, groups: Iterable[RowGroup], *, opened: bool) -> None:
        shown, keys = self.grouped, {group.key for group in groups if len(group.rows) > 1}
        # What is folded anyway needs no turn to be folded.
        self._turned = self._turned | keys if opened is self._fold_new else self._turned - keys
        hidden = self.group is not None and not opened and self.group.key in keys
        keep = shown.heading_key(self.group) if hidden and self.group is not None else None
        self.show_groups(shown.rows, shown.groups if len(shown.groups) > 1 else (), keep=keep)
