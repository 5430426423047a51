# SPDX-License-Identifier: Apache-2.0
"""Styles are computed once for a widget, again with another theme; style sheets are parsed before they are needed."""

from pathlib import Path

import pytest
from textual.css.stylesheet import Stylesheet

from core.sources import Checkout
from tests.support.app import build_app, until
from tests.support.picture import colours, lines_of
from tests.support.tree import sample
from tui.app.app import PLAIN, TTMatrixApp


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


def _backgrounds(app: TTMatrixApp) -> list[str]:
    return [node.background_colors[1].hex for node in app.screen.walk_children()]


async def test_a_screen_that_was_hidden_has_the_theme_of_now(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("2")
        dark = _backgrounds(app)
        await pilot.press("1")
        app.theme = "light"
        await pilot.press("2")
        light = _backgrounds(app)
        assert len(light) == len(dark)
        assert light != dark
        await pilot.press("1")
        app.theme = "dark"
        await pilot.press("2")
        assert _backgrounds(app) == dark


@pytest.mark.parametrize("theme", ["dark", "light", "mono"])
async def test_the_first_frame_has_the_theme_without_reading_style_sheets_again(
    checkout: Checkout, theme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The theme of the start looks like the same one chosen later."""
    read_again: list[Stylesheet] = []
    monkeypatch.setattr(Stylesheet, "reparse", lambda self: read_again.append(self))
    app = build_app(checkout, look=PLAIN._replace(theme=theme))
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        assert read_again == []
        assert [app.has_class(f"-{kind}-mode") for kind in ("dark", "light")] == [theme != "light", theme == "light"]
        first = _backgrounds(app), colours(lines_of(app))
        monkeypatch.undo()
        for name in ("contrast", theme):
            app.theme = name
            await pilot.pause()
        assert (_backgrounds(app), colours(lines_of(app))) == first


async def test_no_dialog_and_no_screen_waits_for_a_style_sheet(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = build_app(checkout, query="has:entry")
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: any("Form." in name for _, name in app.stylesheet.source), "the styles of forms")
        assert len(app.stylesheet.source) < 64, (
            "Textual remembers so many: with more, each new one has all parsed again"
        )
        parsed: list[str] = []
        monkeypatch.setattr(Stylesheet, "parse", lambda _: parsed.append(type(app.screen).__name__))
        for key in ("E", "R", "H", "question_mark", "colon"):
            before = app.screen
            await pilot.press(key)
            await until(pilot, lambda before=before: app.screen is not before, f"what {key} opens")  # type: ignore[misc]
            await pilot.press("escape")
            await until(pilot, lambda before=before: app.screen is before, "the matrix")  # type: ignore[misc]
        await pilot.press("0", "2", "4", "5", "6", "7", "1")
        assert parsed == []
