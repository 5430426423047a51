# SPDX-License-Identifier: Apache-2.0
"""Screens with nothing to show say in a few lines what they are for, and what fills them."""

from pathlib import Path

import pytest

from tests.support.app import build_app, flat, screen_text, until
from tests.support.git import committed_checkout
from tests.support.tree import LOADERS, YAML, sample, write_checkout
from tui.screens.list_and_text import ListAndText


@pytest.mark.parametrize("size", [(80, 24), (200, 55)])
@pytest.mark.parametrize(
    ("key", "purpose", "step"),
    [
        ("0", "last night", "ttmatrix ingest"),
        ("2", "Runs of tests", "r in the matrix"),
        ("3", "No runs yet", "r in the matrix"),
        ("4", "Results that disagree with the entries", "ttmatrix ingest"),
        ("5", "Changes before they are written", "E in the matrix"),
        ("7", "Failures by their cause", "ttmatrix ingest"),
        ("8", "What differs between two runs", "ttmatrix ingest"),
        ("9", "A workflow finds why", "T in the matrix"),
        ("f2", "Runs can go to other machines", "ttmatrix hosts add"),
        ("f3", "What fits into the time", "@ in the matrix"),
        ("f4", "No results from", "ttmatrix ingest"),
        ("f6", "What differs in the matrix", "b chooses"),
        ("f7", "Which jobs of CI died", "ttmatrix ingest"),
    ],
)
async def test_it_says_what_it_is_for_and_what_to_do(
    tmp_path: Path, key: str, purpose: str, step: str, size: tuple[int, int]
) -> None:
    checkout = write_checkout(tmp_path / "tt-xla", LOADERS, {} if key == "7" else YAML)
    app = build_app(committed_checkout(checkout) if key == "f6" else checkout)
    async with app.run_test(size=size) as pilot:
        await pilot.press(key)

        await until(pilot, lambda: purpose in flat(app) and step in flat(app), purpose)


@pytest.mark.parametrize("size", [(80, 24), (200, 55)])
@pytest.mark.parametrize("key", ["2", "4", "5", "7", "8", "9", "f3", "f6", "f7"])
async def test_a_list_without_rows_has_the_screen_and_the_keys(tmp_path: Path, key: str, size: tuple[int, int]) -> None:
    checkout = write_checkout(tmp_path / "tt-xla", LOADERS, {} if key == "7" else YAML)
    app = build_app(committed_checkout(checkout) if key == "f6" else checkout)
    async with app.run_test(size=size) as pilot:
        await pilot.press(key)
        await until(pilot, lambda: isinstance(app.screen, ListAndText) and app.screen.panes.alone, "the list")
        screen = app.screen
        assert isinstance(screen, ListAndText)
        await until(pilot, lambda: "ing …" not in flat(app) and screen.PURPOSE[:30] in flat(app), "the words")
        table, text = screen.table, screen.query_one("#text-box")
        await until(pilot, lambda: table.region.width == size[0] and table.region.bottom == size[1] - 2, "all of it")
        assert not text.display
        lines = screen_text(app).splitlines()
        # Its own rule is the only one, and the words are two lines below it, without heads of columns.
        assert sum(line.startswith(("━", "─")) for line in lines) == 1
        assert [at for at, line in enumerate(lines[3:-2]) if line.strip()] in ([0], [0, 1])
        for pressed in ("tab", "j", "ctrl+w"):
            await pilot.press(pressed)
            assert app.focused is table


async def test_the_text_comes_and_goes_with_the_rows(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("6")
        await until(pilot, lambda: isinstance(app.screen, ListAndText) and not app.screen.table.is_empty, "findings")
        screen = app.screen
        assert isinstance(screen, ListAndText)
        text = screen.query_one("#text-box")
        await until(pilot, lambda: text.region.height > 5 and "─" in screen_text(app), "the text")
        await pilot.press("tab")
        assert screen.front.has_focus
        await pilot.press("slash", *"nowhere")
        await until(pilot, lambda: screen.panes.alone and not text.display, "no row is left")
        await pilot.press("escape")
        await until(pilot, lambda: text.display and text.region.height > 5, "the text again")
