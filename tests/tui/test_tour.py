# SPDX-License-Identifier: Apache-2.0
"""The tour, done as it says."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.sources import Checkout
from tests.support.app import build_app, screen_text, type_text, until
from tests.support.tree import sample
from tui.app.app import TTMatrixApp
from tui.commands import all_commands
from tui.tour import STEPS


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


async def _begin(app: TTMatrixApp, pilot: Pilot[None], words: str = "tour") -> None:
    await pilot.press("colon")
    await type_text(pilot, words)
    await pilot.press("enter")


def test_each_step_is_about_commands_that_there_are() -> None:
    known = {one.id for one in all_commands()}
    assert len(STEPS) == 6
    for step in STEPS:
        assert known.issuperset(step.commands), step


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_each_command_leads_to_the_next_step(checkout: Checkout, size: tuple[int, int]) -> None:
    app = build_app(checkout)
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.press("0")
        await _begin(app, pilot)
        for number, keys in enumerate((["1"], ["slash", "escape"], ["d"]), start=1):
            await until(pilot, lambda number=number: f"Step {number} of 6" in screen_text(app), f"step {number}")  # type: ignore[misc]
            await pilot.press("j")
            assert f"Step {number} of 6" in screen_text(app)
            await pilot.press(*keys)
        await until(pilot, lambda: "Step 4 of 6" in screen_text(app), "step 4")
        for id, then in (("matrix.run", "Step 5 of 6"), ("app.runs", "Step 6 of 6")):
            app.tour.used([id])
            await until(pilot, lambda then=then: then in screen_text(app), then)  # type: ignore[misc]
        await pilot.press("4")
        await until(pilot, lambda: "of 6" not in screen_text(app), "the end")


async def test_it_is_left_and_begun_again(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await _begin(app, pilot)
        await until(pilot, lambda: "Step 1 of 6" in screen_text(app), "the first step")
        await _begin(app, pilot, "tour end")
        await until(pilot, lambda: "Step 1 of 6" not in screen_text(app), "no step")
        await pilot.press("1")
        assert "of 6" not in screen_text(app)
        await _begin(app, pilot)
        await until(pilot, lambda: "Step 1 of 6" in screen_text(app), "the first step again")
