# SPDX-License-Identifier: Apache-2.0
"""The programs of a run on a screen: text, search, constants, ops, sources, and comparisons."""

from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.base.errors import TTMatrixError
from core.base.settings import paths
from core.runs.store import RunStore
from core.sources import Checkout
from tests.support.app import build_app, screen_text, type_text, until
from tests.support.recorded import record_profiles
from tests.support.sample import sample_checkout
from tui.app.app import TTMatrixApp
from tui.screens import ProgramsScreen
from tui.widgets import LogPane


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    found = sample_checkout(tmp_path / "tt-xla")
    record_profiles(found)
    return found


async def shown(app: TTMatrixApp, pilot: Pilot[None]) -> ProgramsScreen:
    """The programs of the newest run, that of StableHLO under the cursor."""
    await pilot.press("2")
    await until(pilot, lambda: "6 runs" in screen_text(app), "the runs")
    await pilot.press("i")
    await until(pilot, lambda: "programs of" in screen_text(app), "the programs")
    await pilot.press("G")
    await until(pilot, lambda: "module @IrToHlo.95" in screen_text(app), "the text")
    return app.navigation.screen(ProgramsScreen)


def said(app: TTMatrixApp, words: str) -> bool:
    return any(words in one.message for one in app._notifications)


async def test_text_search_constants_and_ops(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await shown(app, pilot)
        assert "…800 bytes #" in screen_text(app)
        await pilot.press("u")
        await until(pilot, lambda: "3F803F80" in screen_text(app), "the constant")
        await pilot.press("u", "enter", "slash")
        await type_text(pilot, "stablehlo.add")
        await pilot.press("enter")
        await until(pilot, lambda: "1 of 1" in screen_text(app), "the hit")
        await pilot.press("escape", "d")
        await until(pilot, lambda: "1  stablehlo.add" in screen_text(app), "the ops")
        await pilot.press("escape", "escape", "escape")
        await until(pilot, lambda: "6 runs" in screen_text(app), "back")


async def test_its_lines_are_copied_and_what_fails_is_said(checkout: Checkout, own_home: Path) -> None:
    app, copied = build_app(checkout), own_home / "cache" / "clip.txt"
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await shown(app, pilot)
        await pilot.press("enter", "C")
        await until(pilot, lambda: copied.is_file() and "module @IrToHlo.95" in copied.read_text(), "the copy")
        screen.pane.post_message(LogPane.Failed(TTMatrixError("The text cannot be read")))
        await until(pilot, lambda: "The text cannot be read" in screen_text(app), "the failure")


@pytest.mark.slow("screens are shown")
async def test_compared_within_the_run_and_with_another(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 40)) as pilot:
        await shown(app, pilot)
        await pilot.press("c")
        await until(pilot, lambda: said(app, "Mark a program with space"), "what is missing")
        await pilot.press("space", "g", "c")
        await until(pilot, lambda: "stablehlo and fx" in screen_text(app), "two stages")
        await pilot.press("escape", "G", "b")
        await until(pilot, lambda: "Compare with which run?" in screen_text(app), "the runs")
        await type_text(pilot, "default")
        await pilot.press("enter")
        await until(pilot, lambda: "Compare which program?" in screen_text(app), "the programs in common")
        await pilot.press("down", "enter")
        await until(pilot, lambda: "3 same, 2 changed, 1 added" in screen_text(app), "two runs")


@pytest.mark.slow("screens are shown")
async def test_the_source_of_an_op(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 40)) as pilot:
        await shown(app, pilot)
        await pilot.press("s")
        await until(pilot, lambda: "No terminal for an editor" in screen_text(app), "the editor")
        assert "model.py:12" in screen_text(app)
        await pilot.press("escape", "g", "s")
        await until(pilot, lambda: said(app, "has a source location"), "that nothing says so")


async def test_a_run_without_programs_and_a_broken_one(checkout: Checkout) -> None:
    store = RunStore(paths().runs)
    newest = max(store.records(), key=lambda one: one.spec.created)
    (newest.directory / "ir" / "forward.fx.0.py").unlink()
    (newest.directory / "ir" / "forward.stablehlo.mlir").write_bytes(b"\xff\x00module @IrToHlo.95 {\n %0 = stablehlo.a")
    empty = replace(newest.spec, run_id="20261122-115959-00ffff", created="2026-11-22T11:59:59+00:00")
    store.create(empty)
    app = build_app(checkout)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("2")
        await until(pilot, lambda: "7 runs" in screen_text(app), "the runs")
        await pilot.press("i")
        await until(pilot, lambda: "wrote no IR" in screen_text(app), "that there is none")
        await pilot.press("d", "s", "escape", "j", "i", "d")
        await until(pilot, lambda: "stablehlo.a" in screen_text(app), "what can be read")
