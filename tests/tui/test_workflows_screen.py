# SPDX-License-Identifier: Apache-2.0
"""Workflows on a screen: begun from the matrix, stopped at the device, gone on with, accepted into the review."""

import re
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from core.base.settings import load_settings, paths
from core.sources import Checkout
from core.workflows import WorkflowState
from tests.support.app import build_app, flat, screen_text, type_text, until
from tests.support.triage_checkout import LARGE, LOADER, LOADER_FILE, SMALL, device_xml, triage_checkout
from tui.app.app import TTMatrixApp
from tui.screens import WorkflowsScreen

pytestmark = pytest.mark.slow("workflows wait for runs")


@pytest.fixture
def checkout(tmp_path: Path, own_home: Path) -> Checkout:
    return triage_checkout(tmp_path, own_home)


def opened(checkout: Checkout) -> TTMatrixApp:
    return build_app(checkout, query="mode:training", settings=load_settings(paths().settings_file))


def loader(checkout: Checkout) -> str:
    return (checkout.root / LOADER_FILE).read_text()


async def begun(app: TTMatrixApp, pilot: Pilot[Any]) -> None:
    """A workflow on the small variant, as far as it goes without a device."""
    await until(pilot, lambda: app.matrix_screen.current is not None, "the matrix")
    app.matrix_screen.go_to(SMALL)
    await until(pilot, lambda: app.matrix_screen.current == SMALL, "the test")
    await pilot.press("T")
    state = WorkflowState.DEVICE
    await until(
        pilot,
        lambda: [one.state for one in app.navigation.screen(WorkflowsScreen).board.items] == [state],
        "the device stop",
    )
    await until(pilot, lambda: "needs a device" in screen_text(app), "the word")


async def test_from_a_failing_test_to_the_review(checkout: Checkout, tmp_path: Path) -> None:
    app = opened(checkout)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await begun(app, pilot)
        assert loader(checkout) == LOADER
        text = app.navigation.screen(WorkflowsScreen).pane.text
        assert "▸ run on a device: 2 tests" in text
        assert "row = torch.zeros(batch_size, 6, dtype=dtype_override)" in text
        await pilot.press("2")
        # The last look at both variants was one batch, which they ran in together.
        await until(pilot, lambda: re.search(r"net · cpu █+ 2 100%", flat(app)) is not None, "its heading")
        await pilot.press("9")
        await pilot.press("D")
        await type_text(pilot, str(device_xml(tmp_path / "junit.xml")))
        await pilot.press("enter")
        await until(pilot, lambda: "ready" in screen_text(app), "the end")
        assert not app.session.open_changes
        await pilot.press("a")
        await until(pilot, lambda: len(app.session.pending.changes) == 1, "the change")
        (change,) = app.session.pending.changes
        assert {op.id for op in change.ops} == {SMALL, LARGE}
        assert change.note == "triage: dtype-bfloat16: fixed"
        assert "dtype=dtype_override" in loader(checkout)
        await until(pilot, lambda: not app.navigation.screen(WorkflowsScreen).board.items, "an empty board")


async def test_dropping_asks_and_leaves_nothing(checkout: Checkout) -> None:
    app = opened(checkout)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await begun(app, pilot)
        await pilot.press("x")
        await until(pilot, lambda: "Delete this workflow?" in screen_text(app), "the question")
        await pilot.press("y")
        await until(pilot, lambda: not app.navigation.screen(WorkflowsScreen).board.items, "an empty board")
        assert loader(checkout) == LOADER


@pytest.mark.slow("a job over several screens")
async def test_a_workflow_left_by_another_start_is_there_again(checkout: Checkout) -> None:
    first = opened(checkout)
    async with first.run_test(size=(120, 40)) as pilot:
        await begun(first, pilot)
    second = opened(checkout)
    async with second.run_test(size=(120, 40)) as pilot:
        await pilot.press("9")
        await until(pilot, lambda: SMALL in screen_text(second), "the workflow")
        assert [one.state for one in second.navigation.screen(WorkflowsScreen).board.items] == [WorkflowState.DEVICE]
        await pilot.press("r")
        await until(pilot, lambda: "needs a device" in screen_text(second), "the device stop")


async def test_downloads_are_asked_about_with_the_caches_they_go_to(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    with (checkout.root / LOADER_FILE).open("a") as file:
        file.write('\n_ = lambda: AutoModel.from_pretrained("org/some")\n')
    app = opened(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.matrix_screen.current is not None, "the matrix")
        app.matrix_screen.go_to(SMALL)
        await until(pilot, lambda: app.matrix_screen.current == SMALL, "the test")
        await pilot.press("T")
        await until(pilot, lambda: "1 checkpoint: org/some" in screen_text(app), "the question")
        assert "HF_HOME says so" in " ".join(screen_text(app).split())
        assert f"For {SMALL}:" in screen_text(app)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.matrix_screen, "the matrix again")
        assert not app.navigation.screen(WorkflowsScreen).board.items


async def test_tests_that_no_workflow_is_for_are_said(checkout: Checkout) -> None:
    app = build_app(checkout, query="mode:inference")
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await until(pilot, lambda: app.matrix_screen.current is not None, "the matrix")
        await pilot.press("T")
        await until(pilot, lambda: "No workflow fits" in screen_text(app), "the word")
        assert app.screen is app.matrix_screen
