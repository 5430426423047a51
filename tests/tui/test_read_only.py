# SPDX-License-Identifier: Apache-2.0
"""A read-only app refuses, with the reason, every command that changes more than the screen, and no other."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.base.settings import paths
from tests.support.app import build_app, own_checkout, screen_text, until
from tests.support.tree import sample
from tui.app.app import TTMatrixApp
from tui.commands import Where, all_commands, refusal, screen_commands
from tui.keymap import advice
from tui.screens import Dialog, SessionScreen
from tui.screens.profiles import NONE

_CHANGING = {one.id for one in all_commands() if one.changes}
_ELSEWHERE = {"app.quit", "app.interrupt", "app.suspend"}
"""Commands that end or stop the app."""


def _files(root: Path) -> dict[str, bytes]:
    """A person's files: runs, the journal, saved views, sessions; not those that can be rebuilt."""
    caches = paths().cache
    own = (path for path in root.rglob("*") if path.is_file() and not path.is_relative_to(caches))
    return {str(path): path.read_bytes() for path in own}


def test_effects_are_of_commands() -> None:
    assert all(refusal(id, read_only=True).startswith("Read-only: this would ") for id in _CHANGING)
    assert {refusal(command.id, read_only=False) for command in all_commands()} == {""}


async def test_empty_lists_name_no_key_that_is_refused(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path / "tt-xla"), query="has:entry", read_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        for key, said in (("2", "No runs yet."), ("5", "Nothing is pending."), ("9", "There is no workflow yet.")):
            await pilot.press(key)
            await until(pilot, lambda said=said: said in screen_text(app), said)  # type: ignore[misc]
            assert "in the matrix" not in screen_text(app)
    assert advice(NONE, app.context.keymap, read_only=True) == "No batch of several profiles has run here."


def _front(app: TTMatrixApp) -> Where | None:
    screen = app.screen
    return screen.PLACES[0] if isinstance(screen, SessionScreen) else None


def _commands(place: Where) -> Iterator[tuple[str, str]]:
    return ((one.id, one.action) for one in all_commands() if one.where is place and one.id not in _ELSEWHERE)


@pytest.mark.slow("every command of every screen")
async def test_no_command_changes_anything(tmp_path: Path) -> None:
    checkout = own_checkout(sample(tmp_path / "tt-xla").root)
    app = build_app(checkout, query="has:entry", read_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: "read-only" in screen_text(app), "the title")
        # Another journal begins by itself when it is read for the first time, under a lock.
        journal = paths().journal
        await until(pilot, lambda: bool([*journal.glob("*.jsonl")]), "the journal")
        await until(pilot, lambda: not [*journal.glob("*.holder")], "its lock let go")
        before = _files(paths().state.parent)
        for place, shows in screen_commands():
            for id, action in _commands(place):
                if _front(app) is not place:
                    await app.run_action(shows.action)
                    await pilot.pause()
                await app.run_action(action, app.screen)
                await pilot.pause()
                refused = [one.message for one in app._notifications if one.message.startswith("Read-only: ")]
                assert bool(refused) == (id in _CHANGING), id
                app.clear_notifications()
                while isinstance(app.screen, Dialog):
                    await pilot.press("escape")
        assert _files(paths().state.parent) == before
        status = subprocess.run(["git", "status", "--porcelain"], cwd=checkout.root, capture_output=True, check=True)
        assert status.stdout == b""


@pytest.mark.parametrize("read_only", [False, True])
async def test_the_line_of_keys_has_what_works(tmp_path: Path, read_only: bool) -> None:
    app = build_app(sample(tmp_path / "tt-xla"), query="has:entry", read_only=read_only)
    async with app.run_test(size=(160, 40)) as pilot:
        await until(pilot, lambda: "/ Filter" in screen_text(app), "the keys")
        keys = screen_text(app).rstrip().splitlines()[-1]
        assert ("r Run" in keys, "E Edit" in keys) == (not read_only, not read_only)
        assert "space Mark" in keys


async def test_marks_are_the_apps_own_and_views_are_not_saved(tmp_path: Path) -> None:
    checkout = sample(tmp_path / "tt-xla")
    app = build_app(checkout, query="has:entry", read_only=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("space")
        assert app.session.view.marks
        assert not app.session.bench.state.marks
        await pilot.press("V", "n", "a", "enter")
        await until(pilot, lambda: "open read-only" in screen_text(app), "the refusal")
        assert not paths().views_file.exists()
