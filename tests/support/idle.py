# SPDX-License-Identifier: Apache-2.0
"""Wait until an app under test has nothing left to do, by its event loop instead of a clock.

Textual's own `wait_for_idle` sleeps in steps of 20 ms until the process uses no CPU, twice for every key that a pilot
presses: most of the time of an app test was spent there.
"""

import asyncio
import time
from typing import Any

import textual._wait
import textual.app
import textual.pilot
from textual._context import active_app
from textual.app import App
from textual.screen import Screen

from tui.app.bridge import Background
from tui.app.key_order import KeyOrder

_PATIENCE_SECONDS = 20.0
_FRAME_SECONDS = 0.002
_SCREEN_SECONDS = 120.0
"""Replaces Textual's 30 seconds: every widget has handled its messages by then."""
by_clock = textual._wait.wait_for_idle


async def wait_for_idle(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    """Return when the app is `settled`. While its threads work, use Textual's way too."""
    await settled()
    app = active_app.get(None)
    if app is None or any(worker.is_running and worker._thread_worker for worker in app.workers):
        await by_clock(min_sleep, max_sleep)


async def settled() -> None:
    """Return when every task waits for a timer or for something outside, and pending changes are painted.

    Work that an app defers until after its first frame has then begun, and keys that waited for a question or a list
    have been passed on: how long a thread takes for that depends on the machine, and no test should.
    """
    loop: Any = asyncio.get_running_loop()
    app = active_app.get(None)
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while app is not None and time.monotonic() < deadline:
        await asyncio.sleep(0)
        if loop._ready:
            continue
        if _paint(app):
            continue
        if not (_waits_for_first_frame(app) or _keys_wait(app)):
            break
        await asyncio.sleep(_FRAME_SECONDS)


def _keys_wait(app: App[Any]) -> bool:
    order = getattr(app, "keys", None)
    return app.is_running and isinstance(order, KeyOrder) and order.in_line > 0


def _waits_for_first_frame(app: App[Any]) -> bool:
    background = getattr(app, "background", None)
    return app.is_running and isinstance(background, Background) and not background.first_frame_shown


def _paint(app: App[Any]) -> bool:
    """Do what the app and its screen would do at the next frame; returns whether there was anything to do."""
    if app._resize_timer is not None:
        app._check_resize()
        return True
    screen = app.screen_stack[-1] if app.is_running and app._screen_stacks.get(app._current_mode) else None
    if screen is None or app._batch_count or not _due(screen):
        return False
    screen._on_timer_update()
    return True


def _due(screen: Screen[Any]) -> bool:
    return bool(
        screen._callbacks
        or screen._layout_required
        or screen._scroll_required
        or screen._repaint_required
        or screen._recompose_required
        or screen._dirty_widgets
    )


def use() -> None:
    """Make pilots wait this way."""
    for module in (textual.app, textual.pilot):
        module.wait_for_idle = wait_for_idle  # type: ignore[attr-defined]
    textual.pilot.Pilot._wait_for_screen.__defaults__ = (_SCREEN_SECONDS,)
