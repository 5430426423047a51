# SPDX-License-Identifier: Apache-2.0
"""FileCheck patterns on a screen: beside the program, edited and tried without a run, written from lines."""

import os
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import TextArea

from core.payload.ttmatrix_payload.execute.filecheck import find_filecheck
from core.runs import PATTERNS
from core.sources import Checkout
from tests.support.app import build_app, screen_text, type_text, until
from tests.support.recorded import record_profiles
from tests.support.sample import sample_checkout
from tui.app.app import TTMatrixApp
from tui.screens.pattern_check import PatternCheck

installed = pytest.mark.skipif(
    find_filecheck(os.environ.get("PATH", os.defpath)) is None,
    reason="LLVM's FileCheck is not installed (Debian package llvm)",
)
NAME = "sum.stablehlo.mlir"
TEXT = "// CHECK: stablehlo.convert\n// CHECK-NEXT: stablehlo.gelu\n// CHECK: return\n"
ENTRY = '  patch_vit/pytorch-Small_Patch8-single_device-training:\n    filechecks: ["absent.ttnn.mlir"]\n'


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    found = sample_checkout(tmp_path / "tt-xla")
    for file in found.test_config.rglob("*.yaml"):
        file.write_text(file.read_text().replace(ENTRY.partition("\n")[0] + "\n", ENTRY))
    (found.root / PATTERNS).mkdir(parents=True)
    (found.root / PATTERNS / NAME).write_text(TEXT)
    record_profiles(found)
    return found


async def programs(app: TTMatrixApp, pilot: Pilot[None]) -> None:
    """The program of StableHLO of the run under the default profile."""
    await pilot.press("2")
    await until(pilot, lambda: "6 runs" in screen_text(app), "the runs")
    await pilot.press("G", "i")
    await until(pilot, lambda: "programs of" in screen_text(app), "the programs")
    await pilot.press("G")
    await until(pilot, lambda: "module @IrToHlo.90" in screen_text(app), "the text")


async def opened(app: TTMatrixApp, pilot: Pilot[None]) -> PatternCheck:
    """The pattern of the checkout on that program."""
    await programs(app, pilot)
    await pilot.press("p")
    await until(pilot, lambda: "Try which pattern?" in screen_text(app), "the choice")
    await type_text(pilot, "sum")
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(app.screen, PatternCheck), "the pattern")
    assert isinstance(app.screen, PatternCheck)
    return app.screen


@installed
async def test_an_edited_pattern_is_tried_and_written(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(app, pilot)
        await until(pilot, lambda: "failed at line 2, CHECK-NEXT" in screen_text(app), "the failure")
        assert "not reached" in screen_text(app)
        assert screen.query_one("#pattern", TextArea).cursor_location == (1, 0)
        await pilot.press("end", *["backspace"] * 4)
        await type_text(pilot, "add")
        await until(pilot, lambda: "passed" in screen_text(app), "the edited pattern")
        assert "edited" in screen_text(app).partition("\n")[0]
        await pilot.press("escape")
        await until(pilot, lambda: "Close without writing" in screen_text(app), "the question")
        await pilot.press("escape", "ctrl+s")
        await until(pilot, lambda: "Write this pattern" in screen_text(app), "the name")
        await pilot.press("enter")
        await until(pilot, lambda: "exists and is replaced" in screen_text(app), "the doubt")
        await pilot.press("enter")
        await until(pilot, lambda: "edited" not in screen_text(app).partition("\n")[0], "that it is written")
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, PatternCheck), "the end")
    assert (checkout.root / PATTERNS / NAME).read_text() == TEXT.replace("gelu", "add")


@installed
async def test_a_mistake_in_a_pattern_is_shown_in_its_place(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await opened(app, pilot)
        screen.query_one("#pattern", TextArea).text = "// CHECK: [[\n"
        await until(pilot, lambda: "Invalid substitution block" in screen_text(app), "the mistake")
        screen.query_one("#pattern", TextArea).text = ""
        await until(pilot, lambda: "The pattern is empty" in screen_text(app), "what to do")


@installed
async def test_a_first_pattern_from_a_region(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 40)) as pilot:
        await programs(app, pilot)
        await pilot.press("enter", "j", "j", "v", "j", "j", "P")
        await until(pilot, lambda: "passed" in screen_text(app), "the pattern")
        screen = app.screen
        assert isinstance(screen, PatternCheck)
        assert 'stablehlo.constant dense<"{{.*}}">' in screen.query_one("#pattern", TextArea).text
        assert "not written yet" in screen_text(app)
        await pilot.press("ctrl+s", "ctrl+u")
        await type_text(pilot, "first.txt")
        await pilot.press("enter")
        await until(pilot, lambda: "must end with .mlir" in screen_text(app), "what is wrong")
        await pilot.press("ctrl+u")
        await type_text(pilot, "tests/filecheck/first.stablehlo.mlir")
        await pilot.press("enter")
        file, text = checkout.root / PATTERNS / "first.stablehlo.mlir", screen.query_one("#pattern", TextArea).text
        await until(pilot, file.is_file, "the file")
    assert file.read_text() == text


async def test_a_missing_pattern_of_the_entry_is_named(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 40)) as pilot:
        await programs(app, pilot)
        await pilot.press("p")
        await until(pilot, lambda: "of the entry; there is no tests/filecheck/absent" in screen_text(app), "it")
        await pilot.press("enter")
        await until(pilot, lambda: "absent.ttnn.mlir · not written yet" in screen_text(app), "its text")
        assert "not written yet" in screen_text(app)


async def test_without_filecheck_the_package_is_named(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.runs.filecheck.find_filecheck", lambda *_: None)
    app = build_app(checkout)
    async with app.run_test(size=(120, 40)) as pilot:
        await opened(app, pilot)
        await until(pilot, lambda: "apt install llvm" in screen_text(app), "what is missing")
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, PatternCheck), "the end")
