# SPDX-License-Identifier: Apache-2.0
"""Unchanged content is not repainted: over a slow link every frame is noticeable."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import RenderableType
from textual.screen import Screen

from core.runs.planning import course_of
from tests.core.runs.planning.test_estimate import going
from tests.support.app import build_app, screen_text, until
from tests.support.idle import wait_for_idle
from tests.support.sample import sample_checkout
from tui.app.app import TTMatrixApp
from tui.commands import Where
from tui.screens import SCREENS, SessionScreen
from tui.view_models import far_words

_ROUNDS = 10


def _painted(app: TTMatrixApp, monkeypatch: pytest.MonkeyPatch) -> list[Screen[Any]]:
    """The screens that are painted from now on, one for each frame."""
    frames: list[Screen[Any]] = []

    def display(screen: Screen[Any], renderable: RenderableType | None) -> None:
        if renderable is not None:
            frames.append(screen)

    monkeypatch.setattr(app, "_display", display)
    return frames


async def test_the_bar_at_the_top_is_painted_only_when_what_it_says_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = build_app(sample_checkout(tmp_path / "demo"))
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: app.polling.taken is not None, "the first look")
        app.polling.stop()
        seen, now = app.polling.taken, time.time()
        assert seen is not None
        runs = [going(60.0, now), going(60.0, now)]
        said = [far_words(course_of(runs).at(now + gone)) for gone in (0.5, 1.0, 1.5, 11.5)]
        assert said == ["0 of 2 runs, 1 min left"] * 3 + ["0 of 2 runs, 50 s left"]
        first = replace(seen, going=said[0], runs=runs, all_runs=runs)
        app.polling.take(first)
        await until(pilot, lambda: said[0] in screen_text(app), "how far they are")
        await wait_for_idle()
        frames = _painted(app, monkeypatch)
        for words in said[1:3]:
            app.polling.take(replace(first, going=words))
            await wait_for_idle()
        assert not frames, "time alone repaints nothing"
        app.polling.take(replace(first, going=said[3]))
        await until(pilot, lambda: said[3] in screen_text(app), "the next step")
        assert frames


@pytest.mark.parametrize("place", [one.where for one in SCREENS], ids=lambda place: place.value)
async def test_an_idle_screen_is_not_painted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: Where) -> None:
    app = build_app(sample_checkout(tmp_path / "demo"))
    async with app.run_test(size=(120, 40)) as pilot:
        app.navigation.switch(place.value)
        await until(pilot, lambda: place in getattr(app.screen, "PLACES", ()), f"the screen {place.value}")
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, SessionScreen)
        for _, act in screen.repeated:
            act()
        await wait_for_idle()
        frames = _painted(app, monkeypatch)
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
