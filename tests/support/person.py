# SPDX-License-Identifier: Apache-2.0
"""A person at the keyboard, whose keys are counted. Typed texts do not count."""

from collections.abc import Callable
from typing import Any

from textual.pilot import Pilot

from tests.support.app import screen_text, type_text, until
from tui.app.app import TTMatrixApp


class Person:
    """Presses keys, and counts them."""

    def __init__(self, app: TTMatrixApp, pilot: Pilot[Any]) -> None:
        self._app = app
        self._pilot = pilot
        self.keys = 0

    async def press(self, *keys: str) -> None:
        self.keys += len(keys)
        await self._pilot.press(*keys)

    async def write(self, text: str) -> None:
        """Type a text, which does not count."""
        await type_text(self._pilot, text)

    async def see(self, what: str | Callable[[], bool]) -> None:
        """Wait for a text on the screen, or for a condition."""
        condition = what if callable(what) else lambda: what in screen_text(self._app)
        await until(self._pilot, condition, f"what a person waits for: {what}")
