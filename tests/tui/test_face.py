# SPDX-License-Identifier: Apache-2.0
"""The face of every screen: where the keys go is seen without colours, early keys arrive, and sizes change at any time."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widget import Widget

from core.sources import Checkout
from tests.support.app import build_app, screen_text, until
from tests.support.ci_night import ingest
from tests.support.github_server import GitHub, reached
from tests.support.picture import lines_of
from tests.support.recorded import nights, record_runs
from tests.support.reports import keep
from tests.support.tree import sample
from tests.tui.test_diff import harmful, shown
from tests.tui.test_nightly_screen import opened, two_nights
from tests.tui.test_themes import _faint, _own_colours, _pieces
from tui.app import app as app_module
from tui.app.app import Appearance, TTMatrixApp
from tui.commands import screen_commands
from tui.screens import Dialog, SessionScreen
from tui.themes import THEMES
from tui.widgets import RowTable

hub = pytest.fixture(reached)
_KEYS = [command.keys.split(",")[0] for _, command in screen_commands()]
_BURST = ("j", "j", "G", "g", "j", "k")
_SMALL, _LARGE = (80, 24), (200, 55)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    checkout = sample(tmp_path / "tt-xla")
    keep(checkout, list(nights()))
    record_runs(checkout)
    return checkout


def _at_once(app: TTMatrixApp, *keys: str) -> None:
    """Keys as a terminal sends them that has them all already."""
    driver = app._driver
    assert driver is not None
    for key in keys:
        event = events.Key(key, key if len(key) == 1 else None)
        event.set_sender(app)
        driver.send_message(event)


def _marked(app: TTMatrixApp, widget: Widget) -> bool:
    """Whether a line of the widget is in swapped colours, or the rule of its pane is heavy."""
    lines = lines_of(app)
    region = widget.region
    inside = [lines[y].crop(region.x, region.right) for y in range(region.y, min(region.bottom, len(lines)))]
    swapped = any(piece.style is not None and piece.style.reverse for line in inside for piece in line)
    above = lines[region.y - 1].crop(region.x, region.right).text if region.y else ""
    return swapped or "━" in above or any("━" in line.text for line in inside)


@pytest.mark.parametrize("key", _KEYS)
async def test_where_the_keys_go_is_seen_without_colours(checkout: Checkout, key: str) -> None:
    app = build_app(checkout)
    async with app.run_test(size=_SMALL) as pilot:
        app.theme = "mono"
        await pilot.press(key)
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, SessionScreen) and screen.focused is not None
        focused: list[Widget] = [screen.focused]
        # What is read first has no rows yet.
        await until(pilot, lambda: _marked(app, focused[0]), "the mark")
        # Every pane that the key goes to is marked in its turn.
        for _ in range(2):
            await pilot.press("tab")
            await pilot.pause()
            if screen.focused is not None and app.screen is screen and screen.focused not in focused:
                focused.append(screen.focused)
                await until(pilot, lambda: _marked(app, focused[-1]), f"the mark of {screen.focused}")


@pytest.mark.parametrize("key", ["4", "6", "7"])
async def test_of_a_list_and_the_line_of_its_filter_one_is_heavy(checkout: Checkout, key: str) -> None:
    app = build_app(checkout)
    async with app.run_test(size=_SMALL) as pilot:
        await pilot.press(key)
        await _at_rest(app, pilot)
        await pilot.press("slash", "a")
        await pilot.pause()
        filtered, listed = screen_text(app).splitlines()[2:4]
        assert filtered.startswith("━ / a") and listed.startswith("─") and "━" not in listed
        await pilot.press("enter")
        await pilot.pause()
        filtered, listed = screen_text(app).splitlines()[2:4]
        assert filtered.startswith("─ / a") and listed.startswith("━")


@pytest.mark.parametrize("key", _KEYS)
async def test_keys_that_come_with_the_one_that_opens_a_screen_are_for_it(checkout: Checkout, key: str) -> None:
    slow, fast = build_app(checkout), build_app(checkout)
    places = []
    for app in (slow, fast):
        async with app.run_test(size=_SMALL) as pilot:
            if app is slow:
                await pilot.press(key)
                await _at_rest(app, pilot)
                await pilot.press(*_BURST)
            else:
                _at_once(app, key, *_BURST)
            await _at_rest(app, pilot)
            focused = app.screen.focused
            places.append((type(app.screen), focused.cursor if isinstance(focused, RowTable) else None))
    assert places[0] == places[1]


@pytest.mark.parametrize("keys", [("1", "j"), ("1", "slash", "t", "enter", "j"), ("2", "1", "j")])
async def test_keys_that_are_typed_before_the_first_screen_is_there_are_for_it(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, keys: tuple[str, ...]
) -> None:
    """The app begins with the overview, whose modules come after the first frame: they must not undo what was typed."""
    loaded, load = threading.Event(), app_module._load

    def late(modules: Any) -> None:
        loaded.wait(30)
        load(modules)

    monkeypatch.setattr(app_module, "_load", late)
    app = build_app(checkout, look=Appearance("dark", "overview"))
    async with app.run_test(size=_SMALL) as pilot:
        _at_once(app, *keys)
        await pilot.pause(0.05)
        loaded.set()
        await until(pilot, lambda: app.matrix_screen.table.cursor == 1, "the keys are done")
        await _at_rest(app, pilot)
        assert app.screen is app.matrix_screen


async def _at_rest(app: TTMatrixApp, pilot: Pilot[Any]) -> None:
    await until(pilot, lambda: not any(one.is_running and one._thread_worker for one in app.workers), "all threads")
    await pilot.pause()


_DIALOGS: dict[str, tuple[str, ...]] = {
    "help": ("question_mark",),
    "commands": ("colon",),
    "columns": ("C",),
    "views": ("V",),
    "entry menu": ("M",),
    "fields": ("E",),
    "launch": ("R",),
    "history": ("H",),
}


@pytest.mark.parametrize("keys", _DIALOGS.values(), ids=list(_DIALOGS))
async def test_a_dialog_outlives_other_sizes_of_the_terminal(checkout: Checkout, keys: tuple[str, ...]) -> None:
    app = build_app(checkout, query="has:entry mode:inference")
    async with app.run_test(size=_LARGE) as pilot:
        await pilot.press("1", *keys)
        await until(pilot, lambda: isinstance(app.screen, Dialog), "the dialog")
        dialog, before = app.screen, app.screen.focused
        for size in (_SMALL, (120, 36), _SMALL, _LARGE):
            await pilot.resize_terminal(*size)
            await until(pilot, _sized(app, size), "the size")
            assert app.screen is dialog and app.screen.focused is before
            region = dialog.children[0].region
            assert region.x >= 0 and region.y >= 0 and region.right <= size[0] and region.bottom <= size[1]
            assert before is None or before.region.area > 0
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.matrix_screen, "the matrix again")
        assert app.matrix_screen.size == _LARGE


def _sized(app: TTMatrixApp, size: tuple[int, int]) -> Callable[[], bool]:
    return lambda: app.size == size and app.screen.size == size


@pytest.mark.parametrize("theme", THEMES)
async def test_a_night_and_a_difference_can_be_read_in_every_theme(hub: GitHub, tmp_path: Path, theme: str) -> None:
    """Jobs that died, new failures, code that was added and removed, an error in a log; without colours with none."""
    checkout = harmful(tmp_path / "tt-xla")
    two_nights(hub)
    ingest(checkout)
    app = build_app(checkout)
    async with app.run_test(size=(120, 36)) as pilot:
        app.theme = theme

        async def check(what: str) -> None:
            await _at_rest(app, pilot)
            pieces = list(_pieces(app, lines_of(app)))
            wrong = _own_colours(pieces, mono=theme == "mono") if THEMES[theme].ansi else _faint(pieces)
            assert pieces and not wrong, what

        await opened(app, pilot)
        await check("night")
        await pilot.press("L")
        await until(pilot, lambda: "Segmentation fault" in screen_text(app), "the error")
        await check("log")
        await shown(app, pilot)
        await pilot.press("plus")
        await check("difference")
        await pilot.press("j", "enter")
        await until(pilot, lambda: "class Model" in screen_text(app), "the code")
        await check("code")
