# SPDX-License-Identifier: Apache-2.0
"""How tests are shown on the matrix screen: arch, order, columns, groups, grid, saved views and the way back."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from core.errors import TTMatrixError
from core.matrix import NO_ARCH
from core.matrix.view import Kept, Trail, ViewSpec
from tui.screens.base import SessionScreen

if TYPE_CHECKING:
    from tui.screens.matrix.columns import ColumnChoice
    from tui.screens.pick import Option

# Dialogs, groups and grids are imported when they are opened: they are no part of the first frame.


class ViewActions(SessionScreen):
    """The actions on the view. Each jump leaves a place to come back to."""

    trail: Trail
    _before: ViewSpec
    """Where the last jump began."""

    def show_view(self) -> None:
        """Show what the view now holds, in the way it says."""
        raise NotImplementedError

    def start_trail(self) -> None:
        """Begin the way back here."""
        self._before = self.session.view.spec
        self.trail = Trail((self._before,))

    def remember(self) -> None:
        """Leave a place to come back to."""
        self.trail = self.trail.visit(self.session.view.spec)

    def go(self, spec: ViewSpec) -> None:
        """Look at something else. An error is told, and everything stays."""
        before = self.session.view.spec
        self.remember()
        if self._adopt(spec) and spec != before:
            self._before = before
            self.remember()

    def _adopt(self, spec: ViewSpec) -> bool:
        try:
            self.session.view.adopt(spec)
        except TTMatrixError as error:
            self.host.tell(error)
            return False
        self.show_view()
        return True

    def _change(self, **parts: object) -> None:
        self.go(self.session.view.spec._replace(**parts))  # type: ignore[arg-type]

    # The way back

    def action_step(self, steps: int) -> None:
        """Back or forth among the views that were looked at."""
        before = self.session.view.spec
        self.remember()
        trail = self.trail.step(steps)
        if trail.here == before:
            self.host.say("There is no view before this one." if steps < 0 else "There is no view after this one.")
        elif self._adopt(trail.here):
            self.trail, self._before = trail, before

    def action_last_view(self) -> None:
        """The view before the last jump; once more, back again."""
        self.go(self._before)

    # Arch and order

    def action_next_arch(self) -> None:
        view = self.session.view
        archs = [NO_ARCH, *view.matrix.schema.archs]
        view.look_at(archs[(archs.index(view.arch) + 1) % len(archs)])
        self.show_view()

    def action_next_sort(self) -> None:
        view = self.session.view
        at = view.columns.index(view.sort_key) if view.sort_key in view.columns else -1
        view.sort(view.columns[(at + 1) % len(view.columns)])
        self.show_view()

    def action_turn_sort(self) -> None:
        view = self.session.view
        view.sort(view.sort_key, descending=not view.descending)
        self.show_view()

    def action_columns(self) -> None:
        from tui.screens.matrix.columns import Columns

        self.app.push_screen(Columns(self.session.view.spec), self._take_columns)

    def _take_columns(self, choice: "ColumnChoice | None") -> None:
        if choice is not None:
            self._change(columns=choice.columns, sort=choice.sort, descending=choice.descending)
            self._keep(lambda kept: kept._replace(columns=choice.columns))

    # Groups and grid

    def action_group(self) -> None:
        """Choose what the rows are grouped by; in the grid, how it is laid out."""
        from core.matrix.view import GROUPINGS, LAYOUTS
        from tui.screens.pick import Option

        view = self.session.view
        if view.grid:
            layouts = [Option(one.name, one.name, one.help) for one in LAYOUTS]
            self._pick("Lay out the grid", layouts, view.grid, lambda name: self._change(grid=name))
            return
        groupings = [
            Option("", "nothing", "every test by itself"),
            *(Option(g.name, g.name, g.help) for g in GROUPINGS),
        ]
        self._pick("Group the tests by", groupings, view.group, lambda name: self._change(group=name))

    def _pick(self, title: str, options: "list[Option[str]]", value: str, take: Callable[[str], None]) -> None:
        from tui.screens.pick import Pick

        self.app.push_screen(Pick(title, options, value), lambda name: None if name is None else take(name))

    def action_grid(self) -> None:
        """The grid in place of the table, or the table again."""
        from core.matrix.view import LAYOUTS

        layouts = (one.grid for one in reversed(self.trail.places) if one.grid)
        self._change(grid="" if self.session.view.grid else next(layouts, LAYOUTS[0].name))

    # Saved views

    def action_views(self) -> None:
        from tui.screens.matrix.saved import Views

        self.app.push_screen(Views(self.session.view.spec, self.session.kept, self._keep), self._open_view)

    def _open_view(self, spec: ViewSpec | None) -> None:
        if spec is not None:
            self.go(spec)

    def _keep(self, change: Callable[[Kept], Kept]) -> Kept | None:
        """Change what is kept in the person's file; None and a notice where that cannot be."""
        try:
            return self.session.keep(change)
        except TTMatrixError as error:
            self.host.tell(error)
            return None
