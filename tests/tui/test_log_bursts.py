# SPDX-License-Identifier: Apache-2.0
"""Keys that come in one burst with a search in a log mean the line that it finds."""

from pathlib import Path

from textual import events

from core.base.settings import paths
from tests.support.app import build_app, screen_text, until
from tests.support.recorded import record_runs
from tests.support.sample import sample_checkout
from tests.tui.test_log_view import numbered
from tui.screens import RunsScreen


async def test_keys_behind_a_search_wait_for_the_line_that_it_finds(tmp_path: Path) -> None:
    """Nothing of the log is looked through between two of the keys."""
    app = numbered(tmp_path / "log")
    async with app.run_test(size=(60, 20)) as pilot:
        view = app.view
        view.search("line 5")
        view.action_next_hit(True)
        view.action_region()
        view.move_by(2)
        view.action_copy()
        await app.settle(pilot)
        # The first hit is line 5.
        assert app.copied == ["line 50\nline 51\nline 52\n"]


async def test_a_search_typed_with_the_keys_behind_it_copies_what_it_finds(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    record_runs(checkout)
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("2")
        await until(pilot, lambda: app.navigation.screen(RunsScreen).runs.current is not None, "the runs")
        run = app.navigation.screen(RunsScreen).runs.current
        assert run is not None
        # The line is far above what is read of the log at first.
        run.log.write_text("".join(f"line {number}\n" for number in range(20_000)) + "the end\n")
        await pilot.press("j", "k", "3")
        await until(pilot, lambda: "the end" in screen_text(app), "the log")
        for name in ("slash", *"701", "enter", "v", "C"):
            key = events.Key(name, name if len(name) == 1 else None)
            key.set_sender(app)
            app.post_message(key)
        clip = paths().cache / "clip.txt"
        await until(pilot, clip.is_file, "the copy")
        assert clip.read_text() == "line 701\n"


async def test_escape_takes_back_what_waits_for_a_search(tmp_path: Path) -> None:
    app = numbered(tmp_path / "log")
    async with app.run_test(size=(60, 20)) as pilot:
        app.view.search("line 7")
        app.view.action_region()
        app.view.action_copy()
        assert app.view.clear()
        await app.settle(pilot)
        assert (bool(app.view.drawn), app.copied) == (False, [])
