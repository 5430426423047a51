# SPDX-License-Identifier: Apache-2.0
"""What has the focus before and after each dialog."""

from typing import Any

import pytest
from textual.app import App
from textual.screen import Screen
from textual.widget import Widget

from tui.screens import Dialog


class Focus:
    """Notes what has the focus when a dialog opens, and again when it has closed."""

    def __init__(self, app: App[Any], monkeypatch: pytest.MonkeyPatch) -> None:
        self.closed: set[type[Screen[Any]]] = set()
        """The classes of the dialogs that have closed."""
        self.lost: list[str] = []
        """The dialogs after which something else had the focus."""
        self._app = app
        self._below: dict[Screen[Any], tuple[Screen[Any], Widget | None]] = {}
        push, dismiss = app.push_screen, Dialog.dismiss

        def opening(screen: Any, *arguments: Any, **options: Any) -> Any:
            if isinstance(screen, Dialog):
                self._below[screen] = app.screen, app.screen.focused
            return push(screen, *arguments, **options)

        def closing(dialog: Dialog[Any], *result: Any) -> Any:
            app.call_after_refresh(self._compare, dialog)
            return dismiss(dialog, *result)

        monkeypatch.setattr(app, "push_screen", opening)
        monkeypatch.setattr(Dialog, "dismiss", closing)

    def _compare(self, dialog: Dialog[Any]) -> None:
        below, had = self._below[dialog]
        # What was chosen may have opened another dialog or screen.
        if self._app.screen is below:
            self.closed.add(type(dialog))
            if had is None or self._app.focused is not had:
                self.lost.append(f"{type(dialog).__name__}: from {had} to {self._app.focused}")
