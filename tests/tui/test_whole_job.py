# SPDX-License-Identifier: Apache-2.0
"""The whole job in the app on the sample checkout: a real torch run, a real commit, no part of it a stand-in."""

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from core.base.processes import run_command
from core.base.settings import Settings
from core.cli.demo_walk import STALE
from core.runs import Outcome
from tests.support.app import SIZES, build_app, screen_text, type_text, until
from tests.support.sample import sample_checkout
from tui.app.app import TTMatrixApp
from tui.widgets import Cycle

pytestmark = pytest.mark.slow("a person's whole job, with runs")


async def choose(app: TTMatrixApp, pilot: Pilot[Any], field: str, value: str) -> None:
    """Step through the options of the focused field until it shows `value`."""
    editor = app.screen.query_one(f"#field-{field}", Cycle)
    assert app.focused is editor
    for _ in editor.options:
        if editor.value != value:
            await pilot.press("left")
    assert editor.value == value


@SIZES
async def test_find_run_watch_edit_review_commit(tmp_path: Path, warm_torch: Path, size: tuple[int, int]) -> None:
    checkout = sample_checkout(tmp_path / "demo")
    app = build_app(checkout, settings=Settings(python=str(warm_torch)))
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.press("slash")
        await type_text(pilot, "status:xfail patch_vit")
        await pilot.press("enter")
        assert app.matrix_screen.current == STALE

        await pilot.press("r")
        await until(pilot, lambda: bool(app.session.runs), "the run")
        await pilot.press("L")
        await until(pilot, lambda: "FLOAT32: ok" in screen_text(app), "the end of the log, live")
        await until(pilot, lambda: not app.session.runs[0].active, "the end of the run")
        assert app.session.runs[0].outcome is Outcome.PASS

        await pilot.press("1", "E")
        await choose(app, pilot, "status", "EXPECTED_PASSING")
        await pilot.press("down")
        await choose(app, pilot, "bringup_status", "")
        await pilot.press("down", "home", "ctrl+k", "enter")
        await pilot.press("5")
        await until(pilot, lambda: "+    status: EXPECTED_PASSING" in screen_text(app), "the diff")
        await pilot.press("a", "c")
        await until(pilot, lambda: "Commit 1 test" in screen_text(app), "the message")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "Committed" in screen_text(app), "the commit")
        await pilot.press("1", "escape", "slash")
        await type_text(pilot, "patch_vit status:xfail")
        await until(pilot, lambda: app.matrix_screen.current is None, "the entry to pass in the matrix")

    done = run_command(["git", "show", "--format=%s", "--unified=0"], cwd=checkout.root).stdout
    assert done.startswith(f"Expect {STALE} to pass\n")
    changed = [line for line in done.splitlines() if line.startswith(("+", "-")) and line[:3] not in ("+++", "---")]
    assert changed == [
        "-    status: KNOWN_FAILURE_XFAIL",
        "-    bringup_status: FAILED_FE_COMPILATION",
        '-    reason: "ValueError: No handler for class ImageClassifierOutput exists in `unpack_forward_output`."',
        "+    status: EXPECTED_PASSING",
    ]
    assert run_command(["git", "status", "--porcelain"], cwd=checkout.root).stdout == ""
