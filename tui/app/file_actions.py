# SPDX-License-Identifier: Apache-2.0
"""The checkout's files: reading them again, and opening them in the person's editor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from textual.app import App, SuspendNotSupported

from core import kinds, sources
from core.base.errors import TTMatrixError
from core.base.text import one_line
from core.domain.ids import TestId
from core.matrix import Matrix
from core.workspace import Workspace
from tui import terminal
from tui.protocol import Background, Notify
from tui.session import Session

if TYPE_CHECKING:
    from core.matrix import Detail
    from core.matrix.query import Learned


class FileActions:
    """Indexes the checkout again when it may have changed, and opens its files."""

    def __init__(
        self,
        app: App[Any],
        session: Session,
        notify: Notify,
        background: Background,
        reindex: Callable[[Matrix], Matrix],
        replace: Callable[[Workspace, Learned], None],
    ) -> None:
        """`reindex` is called in a thread, `replace` in the app's own."""
        self._app = app
        self._session = session
        self._notify = notify
        self._background = background
        self._reindex = reindex
        self._replace = replace

    def reload(self) -> None:
        """Index the checkout again in the background; the screen stays usable."""
        session, before, wanted = self._session, self._session.workspace, self._session.view.needs

        def read() -> tuple[Workspace, Learned]:
            matrix = self._reindex(before.matrix)
            matrix.complete()
            workspace = before.replaced(matrix)
            return workspace, session.compute_columns(workspace, wanted)

        self._background.run("reload", read, lambda read: self._replace(*read), supersede=True)

    def take_new_reports(self) -> None:
        """List the tests that only reports know as soon as these are read; what is looked at stays as it is."""
        session, before = self._session, self._session.workspace

        def read() -> tuple[Workspace, Learned] | None:
            matrix = kinds.with_new_reports(before)
            if matrix is None:
                return None
            matrix.complete()
            workspace = before.replaced(matrix)
            # All that is shown, so that nothing has to wait for it again.
            return workspace, session.compute_columns(workspace, tuple(session.view.learned))

        def take(found: tuple[Workspace, Learned] | None) -> None:
            if found is not None and session.workspace is before:
                self._replace(*found)

        # What needs the results says why they cannot be read.
        self._background.run("rows of reports", read, take, supersede=True, fail=lambda _: None)

    def edit_test(self, detail: Detail) -> None:
        """Open $EDITOR at the entry of a test, or at its loader if it has no entry."""
        declared = detail.declared[-1] if detail.declared else None
        if declared is None:
            self.edit_loader(detail)
        else:
            self.edit_file(declared.path, declared.entry.line)

    def edit_loader(self, detail: Detail) -> None:
        """Open $EDITOR at the loader of a test, on the line of the variant."""
        if detail.loader:
            parsed = TestId.parse(detail.id)
            models = self._session.checkout.models
            line = sources.variant_line(models, parsed.directory, parsed.variant or "") if parsed else 1
            self.edit_file(detail.loader, line)
        elif detail.declared:
            error = TTMatrixError("Nothing to edit", f"No loader generates {one_line(detail.id)}.")
            self._notify.error(error)
        else:
            error = TTMatrixError("Nothing to edit", f"{one_line(detail.id)} has neither an entry nor a loader.")
            self._notify.error(error)

    def edit_file(self, path: str, line: int) -> None:
        """Open $EDITOR at a line of a file, whose path is relative to the checkout; then index the checkout again."""
        root = self._session.checkout.root
        try:
            self._edit(terminal.editor_command(root / path, line))
        except SuspendNotSupported:
            hint = f"Open it elsewhere: {one_line(path)}:{line}"
            self._notify.error(TTMatrixError("No terminal for an editor", "The app runs in a browser.", hint))
        except TTMatrixError as error:
            self._notify.error(error)
        self.reload()

    def _edit(self, argv: Sequence[str]) -> None:
        """Lend the terminal to an editor. Raises TTMatrixError if that cannot be started."""
        failed: TTMatrixError | None = None
        with self._app.suspend():
            # An error that left this block would leave the app without its terminal.
            try:
                terminal.edit(argv, self._session.checkout.root, partial(terminal.lend_terminal, self._app))
            except TTMatrixError as error:
                failed = error
        if failed is not None:
            raise failed
