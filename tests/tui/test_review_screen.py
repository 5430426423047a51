# SPDX-License-Identifier: Apache-2.0
"""Review: from a pending change to a commit, with every step back."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from core.base.processes import run_command
from core.edits.pending import Decision
from core.sources import Checkout
from tests.support.app import build_app, own_checkout, screen_text, type_text, until
from tests.support.git import hook
from tests.support.tree import INFERENCE, TRAINING, YAML, sample
from tui.app.app import TTMatrixApp
from tui.screens.review import ReviewScreen

ORG = "org/name has:entry"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return own_checkout(sample(tmp_path / "tt-xla").root)


def _decisions(app: TTMatrixApp) -> list[Decision]:
    return [change.decision for change in app.session.pending.changes]


def _has_changes(app: TTMatrixApp, count: int) -> bool:
    return len(app.session.pending.changes) == count


def _git(checkout: Checkout, *words: str) -> str:
    return run_command(["git", *words], cwd=checkout.root).stdout


async def _committing(app: TTMatrixApp, pilot: Pilot[Any]) -> None:
    """Wait for the composed message, and commit."""
    await until(pilot, lambda: "Commit 1 test" in screen_text(app), "the message")
    await pilot.press("ctrl+s")


async def test_accept_write_and_commit(checkout: Checkout) -> None:
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("E", "right", "enter", "5")
        await until(pilot, lambda: "-    status: NOT_SUPPORTED_SKIP" in screen_text(app), "the diff")
        await until(pilot, lambda: "2 cells SKIP→" in screen_text(app), "2 cells SKIP→")
        await pilot.press("a", "w")
        assert (checkout.test_config / INFERENCE).read_text() == YAML[INFERENCE]
        await pilot.press("y")
        await until(pilot, lambda: bool(app.session.uncommitted), "the write")
        assert app.session.pending.changes == ()
        assert _git(checkout, "status", "--porcelain").split() == ["M", f"tests/runner/test_config/{INFERENCE}"]
        await pilot.press("c")
        await _committing(app, pilot)
        await until(pilot, lambda: not app.session.uncommitted, "the commit")
        assert _git(checkout, "status", "--porcelain") == ""
        title, _, body = _git(checkout, "log", "-1", "--format=%B").partition("\n\n")
        assert title == "Update status of alpha/pytorch-org/name-single_device-inference"
        assert "status: NOT_SUPPORTED_SKIP -> UNSPECIFIED" in body


@pytest.mark.slow("a job over several screens")
async def test_other_work_stays_out_of_the_commit(checkout: Checkout) -> None:
    (checkout.root / "staged.txt").write_text("mine")
    _git(checkout, "add", "staged.txt")
    (checkout.test_config / TRAINING).write_text(YAML[TRAINING] + "# mine too\n")
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("E", "right", "enter", "5", "a", "c")
        await _committing(app, pilot)
        await until(pilot, lambda: "Committed" in screen_text(app), "the commit")
    assert _git(checkout, "show", "--name-only", "--format=").split() == [f"tests/runner/test_config/{INFERENCE}"]
    assert _git(checkout, "status", "--porcelain").splitlines() == [
        "A  staged.txt",
        f" M tests/runner/test_config/{TRAINING}",
    ]


async def test_reject_undo_redo(checkout: Checkout) -> None:
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("E", "right", "enter", "E", "left", "enter", "5")
        await pilot.press("a", "x")
        assert _decisions(app) == [Decision.ACCEPTED, Decision.REJECTED]
        await pilot.press("u", "u")
        assert _decisions(app) == [Decision.UNDECIDED, Decision.UNDECIDED]
        await pilot.press("u", "u", "u")
        assert _decisions(app) == []
        await pilot.press("U", "U", "U", "U")
        assert _decisions(app) == [Decision.ACCEPTED, Decision.REJECTED]
        await pilot.press("u", "A")
        await until(pilot, lambda: "Accept 1 change?" in screen_text(app), "Accept 1 change?")
        await pilot.press("y")
        assert _decisions(app) == [Decision.ACCEPTED, Decision.ACCEPTED]


async def test_nothing_pending_is_said_and_nothing_happens(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("5", "a", "x", "s", "u", "U", "A", "X", "w", "c", "d")
        await pilot.pause()
        assert app.screen is app.navigation.screen(ReviewScreen)
        await until(pilot, lambda: "Nothing is pending: E in the matrix edits" in screen_text(app), "the way on")


@pytest.mark.slow("a job over several screens")
async def test_what_was_changed_behind_our_back_stays(checkout: Checkout) -> None:
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("E", "right", "enter", "5", "a", "w")
        await until(pilot, lambda: "Write 1 change?" in screen_text(app), "the question")
        (checkout.test_config / INFERENCE).write_text(YAML[INFERENCE].replace("DRAM OOM", "other words"))
        await pilot.press("y")
        await until(pilot, lambda: bool(app.session.uncommitted), "the write")
    text = (checkout.test_config / INFERENCE).read_text()
    assert "other words" in text
    assert "NOT_SUPPORTED_SKIP" not in text


@pytest.mark.slow("a job over several screens")
async def test_a_field_changed_elsewhere_is_shown_with_both_sides_and_never_overwritten(checkout: Checkout) -> None:
    app = build_app(checkout, query=ORG)
    elsewhere = YAML[INFERENCE].replace("NOT_SUPPORTED_SKIP", "EXCLUDE_MODEL")
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("E", "right", "enter", "5", "a", "T")
        await until(pilot, lambda: "has no conflict" in screen_text(app), "that there is nothing to take")
        (checkout.test_config / INFERENCE).write_text(elsewhere)
        await pilot.press("w", "y")
        await until(pilot, lambda: "Nothing was written" in screen_text(app), "the refusal")
        assert (checkout.test_config / INFERENCE).read_text() == elsewhere
        await pilot.press("escape", "f5")
        await until(pilot, lambda: "! clash" in screen_text(app), "the conflict")
        for words in ("theirs: EXCLUDE_MODEL", "before: NOT_SUPPORTED_SKIP", "ours:   UNSPECIFIED"):
            await until(pilot, lambda words=words: words in screen_text(app), words)  # type: ignore[misc]
        await pilot.press("T")
        assert app.session.pending.changes == ()
        await pilot.press("u", "O")
        await until(pilot, lambda: "✓ accept" in screen_text(app), "the decision that stood")
        await pilot.press("w", "y")
        await until(pilot, lambda: bool(app.session.uncommitted), "the write")
    assert (checkout.test_config / INFERENCE).read_text() == elsewhere.replace("EXCLUDE_MODEL", "UNSPECIFIED")


@pytest.mark.slow("a job over several screens")
async def test_git_refusing_is_reported_in_its_own_words(checkout: Checkout) -> None:
    hook(checkout.root, "pre-commit", "echo the hook says no >&2\nexit 1")
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("E", "right", "enter", "5", "a", "c")
        await _committing(app, pilot)
        await until(pilot, lambda: "the hook says no" in screen_text(app), "git's words")
        assert (checkout.test_config / INFERENCE).read_text() == YAML[INFERENCE]
        assert _decisions(app) == [Decision.ACCEPTED]
        (checkout.root / ".git" / "hooks" / "pre-commit").unlink()
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "Committed" in screen_text(app), "the second try")


@pytest.mark.slow("a job over several screens")
async def test_after_a_write_the_next_change_has_the_pane_and_the_place_is_among_what_is_left(
    checkout: Checkout,
) -> None:
    app = build_app(checkout, query="has:entry mode:inference")
    async with app.run_test(size=(100, 30)) as pilot:
        for row in range(3):
            await pilot.press("g", *["j"] * row, "E", "down", "down")
            await type_text(pilot, f"why{row}")
            await pilot.press("enter")
            await until(pilot, partial(_has_changes, app, row + 1), "the change")
        await pilot.press("5")
        await until(pilot, lambda: " 1 of 3 ━" in screen_text(app), "the place")
        await pilot.press("a")
        await until(pilot, lambda: " 2 of 3 ━" in screen_text(app), "the place behind it")
        await pilot.press("c")
        await _committing(app, pilot)
        await until(pilot, lambda: "Verified on disk: 1 of 1 change" in screen_text(app), "what became of it")
        await until(pilot, lambda: '+    reason: "why1"' in screen_text(app), "the diff of the next change")
        await until(pilot, lambda: " 1 of 2 ━" in screen_text(app), "the place among what is left")
        assert "committed " in screen_text(app)
        # Who goes on has read it.
        await pilot.press("x")
        await until(pilot, lambda: "Verified" not in screen_text(app), "the way on")


@pytest.mark.slow("a job over several screens")
async def test_the_place_is_among_what_the_filter_leaves_and_the_question_what_it_hides(checkout: Checkout) -> None:
    app = build_app(checkout, query="has:entry mode:inference")
    async with app.run_test(size=(100, 30)) as pilot:
        for row in range(3):
            await pilot.press("g", *["j"] * row, "E", "down", "down")
            await type_text(pilot, f"why{row}")
            await pilot.press("enter")
            await until(pilot, partial(_has_changes, app, row + 1), "the change")
        await pilot.press("5", "a", "a", "a", "g")
        await until(pilot, lambda: " 1 of 3 ━" in screen_text(app), "the place")
        await pilot.press("slash")
        await type_text(pilot, "why0")
        await until(pilot, lambda: " 1 of 1 ─" in screen_text(app), "the place among what is left")
        await pilot.press("enter", "w")
        await until(pilot, lambda: "Write 3 changes (2 hidden by the filter)?" in screen_text(app), "the question")
        await pilot.press("escape", "c")
        await until(pilot, lambda: "Commit 3 tests (2 hidden by the filter)" in screen_text(app), "the commit")


async def test_a_note_that_it_is_to_be_as_before_once_an_issue_is_closed(checkout: Checkout) -> None:
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("E", "right", "enter", "5", "i")
        await type_text(pilot, "nonsense")
        await pilot.press("enter")
        await until(pilot, lambda: "is not an issue reference" in screen_text(app), "why not")
        await pilot.press("ctrl+u")
        await type_text(pilot, "tt-xla#7")
        await pilot.press("enter")
        await until(pilot, lambda: "Restore when tenstorrent/tt-xla#7 is closed" in screen_text(app), "the note")
        await pilot.press("i", "ctrl+u", "enter")
        await until(pilot, lambda: not app.session.pending.changes[0].restore, "no note")
        await pilot.press("u")
        await until(pilot, lambda: bool(app.session.pending.changes[0].restore), "the note again")
        assert not app.session.bench.state.reminders
        await pilot.press("a", "c")
        await _committing(app, pilot)
        await until(pilot, lambda: "Committed" in screen_text(app), "the commit")
        (back,) = app.session.bench.state.reminders
        assert back.restore == "tenstorrent/tt-xla#7"
        assert [(op.path, op.value) for op in back.ops] == [(("status",), "NOT_SUPPORTED_SKIP")]
    assert "tt-xla#7" not in (checkout.test_config / INFERENCE).read_text()
    assert "Restore when tenstorrent/tt-xla#7 is closed" in _git(checkout, "log", "-1", "--format=%B")


async def test_all_that_a_commit_would_do_is_shown_and_copied_before_it(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The consequences in the order of harm, for pending changes: nothing is accepted or written."""
    app = build_app(checkout, query=ORG)
    copied: list[str] = []
    monkeypatch.setattr(app.notifications, "copy", copied.append)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("E", "right", "enter", "5")
        await until(pilot, lambda: _has_changes(app, 1), "the change")
        await pilot.press("D")
        await until(pilot, lambda: bool(copied), "the text")
        assert copied[0].startswith("# Update status of alpha/pytorch-org/name")
        await until(pilot, lambda: "What is not committed (pending)" in screen_text(app), "the text in the pane")
        assert "**1 entry changed**" in screen_text(app)
        assert _git(checkout, "status", "--porcelain") == ""
        await pilot.press("d")
        await until(pilot, lambda: "What is not committed" not in screen_text(app), "something else")
