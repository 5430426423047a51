# SPDX-License-Identifier: Apache-2.0
"""The views of the matrix screen: arch, order, columns, groups, grid, saved views and the way back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from core import kinds
from core.base.errors import TTMatrixError
from core.base.text import one_line
from core.matrix import NO_ARCH
from core.matrix.view import BY_GROUPING, LAYOUTS, Saved, Trail, ViewSpec, columns_elsewhere
from tui import screens
from tui.screens.base import SessionScreen

if TYPE_CHECKING:
    from core.matrix.view import HeatOrder
    from tui.screens.matrix.columns import ColumnChoice
    from tui.screens.pick import Option
    from tui.widgets import MatrixGrid


class ViewActions:
    """Changes the view. Each jump leaves a place to come back to. Its public methods are actions of the screen."""

    def __init__(self, screen: SessionScreen, show: Callable[[], None]) -> None:
        """`show` shows what the view now holds, in the way it says."""
        self._screen = screen
        self._session = screen.session
        self._notify = screen.context.notify
        self._show = show
        self._navigation = screen.context.navigation
        self._trail = Trail((self._session.view.spec,))

    def remember(self) -> None:
        """Leave a place to come back to."""
        self._trail = self._trail.visit(self._session.view.spec)

    def go(self, spec: ViewSpec) -> None:
        """Show another view, with a way back. Where it cannot be shown, an error says why, and everything stays."""
        if spec != self._session.view.spec:
            self._navigation.jump()
        self.show(spec)

    def show(self, spec: ViewSpec) -> None:
        """Show another view, whose way back is known already. An error says why it cannot be."""
        self.remember()
        if self._adopt(spec):
            self.remember()

    def _adopt(self, spec: ViewSpec) -> bool:
        try:
            self._session.view.adopt(spec)
        except TTMatrixError as error:
            self._notify.error(error)
            return False
        self._show()
        return True

    def _present(self) -> ViewSpec:
        return self._session.view.spec

    # The way back

    def step(self, steps: int) -> None:
        """Back or forth among the views that were looked at."""
        before = self._session.view.spec
        self.remember()
        trail = self._trail.step(steps)
        if trail.here != before:
            self._navigation.jump()
            if self._adopt(trail.here):
                self._trail = trail

    def can_step(self, steps: int) -> bool:
        """Whether there is a view that way."""
        here = self._session.view.spec
        return self._trail.visit(here).step(steps).here != here

    # Arch and order

    def next_arch(self) -> None:
        """Show the values for the next arch."""
        view = self._session.view
        archs = [NO_ARCH, *view.matrix.schema.archs]
        view.look_at(archs[(archs.index(view.arch) + 1) % len(archs)])
        self._show()

    def next_sort(self) -> None:
        """Sort by the next column."""
        view = self._session.view
        columns = view.table_columns
        at = columns.index(view.sort_key) if view.sort_key in columns else -1
        view.sort(columns[(at + 1) % len(columns)])
        self._show()

    def sort_by(self, column: int) -> None:
        """Sort by a column of the table, by its number; where it is sorted by it, the other way round."""
        view = self._session.view
        name = view.table_columns[column] if column < len(view.table_columns) else view.sort_key
        view.sort(name, descending=name == view.sort_key and not view.descending)
        self._show()

    def reverse_sort(self) -> None:
        """Sort the other way round."""
        view = self._session.view
        view.sort(view.sort_key, descending=not view.descending)
        self._show()

    def choose_columns(self) -> None:
        """Open the dialog of columns."""
        # 50 ms of the first frame, which shows no dialog.
        from tui.screens.matrix.columns import Columns

        view = self._session.view
        kind = view.row_kind
        dialog = Columns(
            view.spec._replace(columns=view.table_columns), kind.columns, hidden=columns_elsewhere(view.matrix)
        )
        self._screen.app.push_screen(dialog, partial(self._take_columns, kind.name))

    def _take_columns(self, kind: str, choice: ColumnChoice | None) -> None:
        """The choice is for tables of one kind: the others keep their columns."""
        if choice is not None:
            spec = self._session.view.with_columns(kind, choice.columns)
            self.go(spec._replace(sort=choice.sort, descending=choice.descending))
            self._show()
            self._save(lambda saved: saved.with_columns(kind, choice.columns))

    # Groups and grid

    def group(self) -> None:
        """Choose what the rows are grouped by; in the grid, how it is laid out."""
        view = self._session.view
        if view.grid:
            known = [one for one in LAYOUTS if kinds.by_name(one.kind).listed or view.matrix.kinds[one.kind]]
            layouts = [screens.Option(one.name, one.name, one.help) for one in known]
            self._pick("Lay out the grid", layouts, view.grid, lambda name: self._present()._replace(grid=name))
            return
        elsewhere = columns_elsewhere(view.matrix)
        names = [name for name in view.row_kind.groupings or BY_GROUPING if name not in elsewhere]
        fitting = [BY_GROUPING[name] for name in names]
        groupings = [
            screens.Option("", "nothing", "no groups"),
            *(screens.Option(g.name, g.name, g.help) for g in fitting),
        ]
        self._pick("Group the tests by", groupings, view.group, lambda name: self._present()._replace(group=name))

    def _pick(self, title: str, options: list[Option[str]], value: str, spec: Callable[[str], ViewSpec]) -> None:
        pick = screens.Pick(title, options, value)
        self._screen.app.push_screen(pick, lambda name: None if name is None else self.go(spec(name)))

    def toggle_grid(self) -> None:
        """The grid in place of the table, or the table again."""
        view = self._session.view
        fitting = view.layouts
        layouts = (one.grid for one in reversed(self._trail.places) if one.grid in fitting)
        self.go(self._present()._replace(grid="" if view.grid else next(layouts, fitting[0])))

    def compare(self, grid: MatrixGrid) -> None:
        """Show the column of the grid under the cursor beside another one; where two are shown, all again."""
        if not grid.others:
            self._compare(grid, "")
            return
        options = [screens.Option(head, one_line(head), "") for head in grid.others]
        title = f"Compare {one_line(' '.join(grid.heads))} with"
        pick = screens.Pick(title, options, "")
        self._screen.app.push_screen(pick, lambda head: None if head is None else self._compare(grid, head))

    def _compare(self, grid: MatrixGrid, head: str) -> None:
        order = grid.compared(head)
        grid.column = 0
        self.order_grid(order)

    def order_grid(self, order: HeatOrder) -> None:
        """Show the rows of the grid in another order, or two of its columns."""
        self._session.view.heat = order
        self._show()

    # Saved views

    def open_saved(self) -> None:
        """Open the dialog of saved views."""
        # 50 ms of the first frame, which shows no dialog.
        from tui.screens.matrix.saved import Views

        dialog = Views(self._session.view.spec, self._session.saved, self._save)
        self._screen.app.push_screen(dialog, lambda spec: None if spec is None else self.go(spec))

    def _save(self, change: Callable[[Saved], Saved]) -> Saved | None:
        """Change what is saved in the person's file; None and an error where that cannot be."""
        try:
            return self._session.save(change)
        except TTMatrixError as error:
            self._notify.error(error)
            return None
