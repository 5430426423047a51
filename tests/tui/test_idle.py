# SPDX-License-Identifier: Apache-2.0
"""Unchanged content is not repainted: over a slow link every frame is noticeable."""

from pathlib import Path
from typing import Any

import pytest
from rich.console import RenderableType
from textual.screen import Screen

from tests.support.app import build_app, until
from tests.support.idle import wait_for_idle
from tests.support.sample import sample_checkout
from tui.commands import Where
from tui.screens import SCREENS, SessionScreen

_ROUNDS = 10


@pytest.mark.parametrize("place", [one.where for one in SCREENS], ids=lambda place: place.value)
async def test_an_idle_screen_is_not_painted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: Where) -> None:
    app = build_app(sample_checkout(tmp_path / "demo"))
    frames: list[Screen[Any]] = []

    def display(screen: Screen[Any], renderable: RenderableType | None) -> None:
        if renderable is not None:
            frames.append(screen)

    async with app.run_test(size=(120, 40)) as pilot:
        app.navigation.switch(place.value)
        await until(pilot, lambda: place in getattr(app.screen, "PLACES", ()), f"the screen {place.value}")
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, SessionScreen)
        for _, act in screen.repeated:
            act()
        await wait_for_idle()
        monkeypatch.setattr(app, "_display", display)
        screen.refresh()
        await wait_for_idle()
        assert frames, "a screen that changes is painted"

        async def quiet() -> bool:
            """Whether nothing is painted while all that the screen does again and again is done twice."""
            frames.clear()
            for _, act in screen.repeated * 2:
                act()
                await wait_for_idle()
            return not frames

        # What comes from threads after the start may still be painted, in the matrix behind too.
        assert any([await quiet() for _ in range(_ROUNDS)])
