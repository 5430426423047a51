# SPDX-License-Identifier: Apache-2.0
"""Loader edits in the review: shown with their diff, taken back byte for byte, and no part of a commit."""

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from core.base.processes import run_command
from core.base.settings import paths
from core.edits import Operation, OpKind
from core.sources import Checkout
from core.workflows import sessions_directory
from core.workflows.loader_code.edits import SourceEdit, put
from core.workflows.loader_code.edits.edit import EditKind
from core.workflows.session import edits_directory
from tests.support.app import build_app, own_checkout, screen_text, until
from tests.support.late import Late
from tests.support.tree import TRAINING
from tests.support.triage_checkout import LOADER, LOADER_FILE, SMALL, triage_checkout
from tui.app.app import TTMatrixApp
from tui.view_models import make_preview

OLD, NEW = "torch.zeros(batch_size, 6)", "torch.zeros(batch_size, 6, dtype=dtype_override)"
EDIT = SourceEdit(EditKind.CONSTRUCTOR, 18, "make row in dtype_override", LOADER, LOADER.replace(OLD, NEW))


@pytest.fixture
def checkout(tmp_path: Path, own_home: Path) -> Checkout:
    checkout = own_checkout(triage_checkout(tmp_path, own_home).root)
    put(
        checkout.root / LOADER_FILE,
        EDIT,
        edits_directory(sessions_directory(paths().state, checkout.root)),
    )
    return checkout


def loader(checkout: Checkout) -> str:
    return (checkout.root / LOADER_FILE).read_text()


async def on_the_edit(app: TTMatrixApp, pilot: Pilot[Any]) -> None:
    await pilot.press("5")
    await until(pilot, lambda: "1 loader edit" in screen_text(app), "the edit")
    await pilot.press("G")
    await until(pilot, lambda: f"+        row = {NEW}" in screen_text(app), "its diff")


async def test_taken_back_after_asking(checkout: Checkout) -> None:
    app = build_app(checkout, query="mode:training")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await on_the_edit(app, pilot)
        assert "never committed" in screen_text(app)
        await pilot.press("a")
        await until(pilot, lambda: "It stays in the work tree" in screen_text(app), "the word")
        await pilot.press("x")
        await until(pilot, lambda: "Revert 1 loader edit?" in screen_text(app), "the question")
        await pilot.press("x", "escape")
        assert loader(checkout) == EDIT.after
        await pilot.press("x", "y")
        await until(pilot, lambda: "1 loader edit" not in screen_text(app), "no edit any more")
        assert (checkout.root / LOADER_FILE).read_bytes() == LOADER.encode()
        await until(pilot, lambda: "-        row" not in screen_text(app), "no diff any more")


async def test_a_file_that_was_changed_since_is_left_alone(checkout: Checkout) -> None:
    app = build_app(checkout, query="mode:training")
    (checkout.root / LOADER_FILE).write_text(EDIT.after + "# mine\n")
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await on_the_edit(app, pilot)
        assert "! clash" in screen_text(app)
        await pilot.press("x", "y")
        await until(pilot, lambda: "It was left as it is" in screen_text(app), "the refusal")
        assert loader(checkout) == EDIT.after + "# mine\n"


@pytest.mark.slow("a job over several screens")
async def test_beside_changes_and_no_part_of_their_commit(checkout: Checkout) -> None:
    app = build_app(checkout, query="mode:training has:entry")
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await until(pilot, lambda: app.matrix_screen.current is not None, "the matrix")
        await pilot.press("E", "right", "enter")
        await on_the_edit(app, pilot)
        await pilot.press("n", "a")
        assert [change.decision for change in app.session.pending.changes] == ["accepted"]
        await pilot.press("c")
        await until(pilot, lambda: "not part of this commit" in screen_text(app), "the warning")
        await until(pilot, lambda: "Commit 1 test" in screen_text(app), "the message")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "Committed" in screen_text(app), "the commit")
    named = run_command(["git", "show", "--name-only", "--format="], cwd=checkout.root).stdout
    assert LOADER_FILE not in named
    assert loader(checkout) == EDIT.after


async def test_the_filter_is_for_edits_too(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 40)) as pilot:
        await on_the_edit(app, pilot)
        await pilot.press("slash", *"absent", "enter")
        await until(pilot, lambda: "applied" not in screen_text(app), "no edit on show")
        await pilot.press("escape")
        await until(pilot, lambda: "applied" in screen_text(app), "the edit again")


async def test_a_preview_that_comes_late_does_not_cover_the_diff_of_an_edit(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, late = build_app(checkout), Late(make_preview)
    bench = app.session.bench
    bench.propose([Operation(OpKind.SET, SMALL, TRAINING, ("reason",), "why")], "", app.session.present)

    monkeypatch.setattr("tui.screens.review.screen.make_preview", late)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("5")
        await until(pilot, late.asked.is_set, "the preview of the change")
        await until(pilot, lambda: "1 loader edit" in screen_text(app), "the edit")
        await pilot.press("G")
        await until(pilot, lambda: f"+        row = {NEW}" in screen_text(app), "its diff")
        late.go_on.set()
        await until(pilot, lambda: late.answered and not any(one.is_running for one in app.workers), "the preview")
        await pilot.pause()
        assert f"+        row = {NEW}" in screen_text(app)
