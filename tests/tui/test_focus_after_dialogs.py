# SPDX-License-Identifier: Apache-2.0
"""When a dialog closes, the keys are for the widget that they were for before it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.screen import Screen
from textual.widget import Widget

from tests.support.app import screen_text, until
from tests.support.recorded import at_noon
from tests.tui.test_pictures import Walk, dialogs, pictured_app
from tui.app.app import TTMatrixApp
from tui.screens.dialogs import Dialog


class _QuickWalk(Walk):
    """The same way through the app, without pictures."""

    async def _take(self, what: str | Callable[[], bool]) -> str:
        shown = what if callable(what) else lambda: what in screen_text(self._app)
        await until(self._pilot, shown, f"the place: {what}")
        return ""


class _Focus:
    """Notes what has the focus when a dialog opens, and again when it has closed."""

    def __init__(self, app: TTMatrixApp, monkeypatch: pytest.MonkeyPatch) -> None:
        self.closed: set[type[Screen[Any]]] = set()
        self.lost: list[str] = []
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


@pytest.mark.slow("every screen is shown")
async def test_the_focus_returns_to_the_widget_that_had_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = pictured_app(tmp_path, monkeypatch)
    focus = _Focus(app, monkeypatch)
    with at_noon():
        async with app.run_test(size=(120, 40)) as pilot:
            async for _ in _QuickWalk(app, pilot).everything():
                pass
    assert focus.lost == []
    assert {one.__name__ for one in dialogs() - focus.closed} == set()
