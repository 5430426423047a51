# SPDX-License-Identifier: Apache-2.0
"""The room of a list beside or above its detail: what it needs, and nothing moves while one works in it."""

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widget import Widget

from core.sources import Checkout
from tests.support.app import build_app, screen_text, until
from tests.support.sample import sample_checkout
from tests.support.three_nights import nightly_checkout
from tui.app.app import TTMatrixApp
from tui.screens import CompareScreen
from tui.screens.list_and_text import ListAndText
from tui.view_models import Cell, Rows, TableColumn
from tui.view_models.widths import LEAST_DETAIL

_WIDE = (200, 55)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample_checkout(tmp_path / "demo")


@pytest.fixture
def nights(tmp_path: Path) -> Checkout:
    return nightly_checkout(tmp_path / "tt-xla")


def _screen(app: TTMatrixApp) -> ListAndText[object]:
    assert isinstance(app.screen, ListAndText)
    return app.screen


def _widths(app: TTMatrixApp) -> tuple[int, int]:
    """Those of the list and of the text."""
    screen = _screen(app)
    return screen.query_one("#list-box").outer_size.width, screen.query_one("#text-box").outer_size.width


def _lines(widget: Widget) -> list[str]:
    return [widget.render_line(y).text.rstrip() for y in range(widget.size.height)]


def _numbers(count: int) -> Rows[object]:
    return Rows(range(count), (TableColumn("name", 10),), lambda row: [[Cell(str(row))]], key=str)


async def _doctor(app: TTMatrixApp, pilot: Pilot[None]) -> None:
    await pilot.press("6")
    await until(pilot, lambda: "findings of" in screen_text(app), "the findings")
    await pilot.pause()


async def test_the_list_has_what_its_columns_need_and_the_detail_is_of_use(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=_WIDE) as pilot:
        await _doctor(app, pilot)
        table, (wide, text) = _screen(app).table, _widths(app)
        assert wide + text == _WIDE[0] and text >= LEAST_DETAIL
        need = table.fitting.need(_WIDE[0] - LEAST_DETAIL)
        assert table.size.width >= need
        await pilot.resize_terminal(400, 55)
        await pilot.pause()
        # What the list does not need is the detail's.
        wide, text = _widths(app)
        assert "…" not in "".join(_lines(table)).replace(" …", "")
        assert wide + text == 400 and text > LEAST_DETAIL


async def test_nothing_moves_while_the_cursor_and_groups_do(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=_WIDE) as pilot:
        await _doctor(app, pilot)
        before = _widths(app)
        for key in ("j", "j", "underscore", "plus", "G", "pageup", "g"):
            await pilot.press(key)
            await pilot.pause()
            assert _widths(app) == before


async def test_the_divider_of_a_person_stays_where_it_is(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=_WIDE) as pilot:
        await _doctor(app, pilot)
        screen = _screen(app)
        screen.panes.move(-7)
        await pilot.pause()
        moved = _widths(app)
        screen.fit_list()
        await pilot.press("1", "6")
        await until(pilot, lambda: app.screen is screen, "the findings again")
        await pilot.pause()
        assert _widths(app) == moved


async def test_the_text_is_broken_where_its_pane_ends(nights: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its lines are made when rows are shown, which is before the pane has the width that these leave."""
    monkeypatch.setattr(CompareScreen, "show_text", lambda screen: screen.say([("word " * 60, "")]))
    app = build_app(nights)
    async with app.run_test(size=_WIDE) as pilot:
        await pilot.press("8")
        await until(
            pilot, lambda: isinstance(app.screen, CompareScreen) and not _screen(app).table.is_empty, "differences"
        )
        screen = _screen(app)
        for width in (200, 180, 240):
            await pilot.resize_terminal(width, 55)
            await pilot.pause()
            assert len(_lines(screen.text)[0]) > screen.text.size.width - len("words ")


@pytest.mark.parametrize("key", ["6", "7", "8", "f3", "f7"])
async def test_a_short_text_leaves_a_long_list_two_thirds_of_the_screen(
    nights: Checkout, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    app = build_app(nights)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, ListAndText), "the screen")
        screen = _screen(app)
        monkeypatch.setattr(type(screen), "show_text", lambda _: None)
        show_rows = screen.show_rows
        # What the screen itself finds out may come later than the rows below.
        monkeypatch.setattr(screen, "show_rows", lambda *_, **__: None)
        show_rows(_numbers(99))
        await pilot.pause()
        box = screen.query_one("#list-box").outer_size
        assert box.height == 36 - 12 - 4
        for _ in range(3):
            await pilot.press("j")
        await pilot.press("G")
        await pilot.pause()
        assert screen.query_one("#list-box").outer_size == box
        show_rows(_numbers(9))
        await pilot.pause()
        assert screen.query_one("#list-box").outer_size.height == 9 + 2
