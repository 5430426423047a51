# SPDX-License-Identifier: Apache-2.0
"""Keys that come in one burst with a search in a log mean the line that it finds."""

from pathlib import Path

from tests.tui.test_log_view import numbered


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


async def test_escape_takes_back_what_waits_for_a_search(tmp_path: Path) -> None:
    app = numbered(tmp_path / "log")
    async with app.run_test(size=(60, 20)) as pilot:
        app.view.search("line 7")
        app.view.action_region()
        app.view.action_copy()
        assert app.view.clear()
        await app.settle(pilot)
        assert (bool(app.view.drawn), app.copied) == (False, [])
