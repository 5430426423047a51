# SPDX-License-Identifier: Apache-2.0
"""The app on a small checkout, driven by a pilot; tests wait for conditions, never for a time."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.app import App
from textual.pilot import Pilot

from core.base.settings import Settings, paths
from core.handwritten import with_handwritten
from core.matrix import Matrix, index, with_rows_at_once
from core.matrix.cache import Cache
from core.ops import with_ops
from core.sources import Checkout
from tests.support.git import committed_checkout
from tests.support.idle import settled, wait_for_idle
from tui.app.app import PLAIN, Appearance, TTMatrixApp
from tui.session import Session
from tui.themes import use_themes

SIZES = pytest.mark.parametrize(
    "size", [(80, 24), pytest.param((160, 50), marks=pytest.mark.slow("the larger one of two sizes"))]
)
"""Screen sizes for tests at the smallest size, and with everything visible."""
_PATIENCE_SECONDS = 60.0
_FIRST_SECONDS, _LONGEST_SECONDS = 0.01, 0.1
"""Pause between two checks: a check draws the screen, and while a run lasts the CPU is needed elsewhere."""


def build_app(
    checkout: Checkout,
    *,
    query: str = "",
    settings: Settings | None = None,
    op_cases: bool = False,
    read_only: bool = False,
    look: Appearance = PLAIN,
) -> TTMatrixApp:
    """The app as `ttmatrix` would open it, with state below TTMATRIX_HOME; op cases only on request."""
    settings = settings or Settings()

    def read() -> Matrix:
        matrix, cache = index(checkout), Cache(checkout, paths().cache / "index")
        matrix = with_ops(cache, matrix, settings.ops_dirs) if op_cases else matrix
        return with_rows_at_once(with_handwritten(cache, matrix), cache)

    session = Session.open(read(), paths(), settings, query=query)
    session.read_only = read_only
    return TTMatrixApp(session, lambda _: read(), look=look)


async def until(pilot: Pilot[Any], condition: Callable[[], bool], what: str) -> None:
    """Let the app run until `condition` holds and all of that frame is there; fails with `what` if it never holds."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    await wait_for_idle()
    seconds = _FIRST_SECONDS
    while not condition():
        # The app goes on after an exception: the test does not.
        assert pilot.app._exception is None, repr(pilot.app._exception)
        assert time.monotonic() < deadline, f"never happened: {what}\n{_state(pilot.app)}"
        await asyncio.sleep(seconds)
        seconds = min(_LONGEST_SECONDS, seconds * 1.5)
        await pilot.pause(0)
    await settled()


def _state(app: App[Any]) -> str:
    """What explains a wait in vain: the screen, notifications still shown, and runs."""
    notifications = [one.message for one in app._notifications]
    runs = [
        f"{one.spec.kind} {one.outcome} {one.summary}" for one in (app.session.runs if hasattr(app, "session") else ())
    ]
    return "\n".join([screen_text(app), "notifications:", *notifications, "runs:", *runs])


async def type_text(pilot: Pilot[Any], text: str) -> None:
    """Type `text` as fast as a terminal that pastes it key by key: the app must handle the keys in order."""
    names = {" ": "space", ":": "colon", "-": "minus", "+": "plus", "!": "exclamation_mark", ".": "full_stop"}
    names |= {"/": "slash", "_": "underscore"}
    driver = pilot.app._driver
    assert driver is not None
    for character in text:
        key = events.Key(names.get(character, character), character)
        key.set_sender(pilot.app)
        driver.send_message(key)
    await pilot.pause()


def screen_text(app: App[Any]) -> str:
    """The lines of the screen in front, as text."""
    width = app.size.width
    lines = app.screen._compositor.render_strips()
    return "\n".join(strip.crop(0, width).text.rstrip() for strip in lines)


def flat(app: App[Any]) -> str:
    """The text of the screen in front in one line: sentences that the screen wraps, beside another pane too, are whole."""
    return " ".join(screen_text(app).replace("│", " ").split())


def own_checkout(root: Path) -> Checkout:
    """A git repository at `root`, with its current content in one commit."""
    return committed_checkout(Checkout(root))


def shown_ids(app: TTMatrixApp) -> list[str]:
    """The tests that the matrix lists, from its top."""
    view = app.session.view
    return [view.matrix.ids[row] for row in view.rows]


class ThemedApp(App[None]):
    """The smallest app for our widgets and dialogs: it has their themes and style sheets."""

    CSS_PATH = Path(__file__).parents[2] / "tui" / "screens" / "dialogs.tcss"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        use_themes(self, "dark")
