# SPDX-License-Identifier: Apache-2.0
"""The first key for errors in a log leads to what went wrong, not to where pytest sums up."""

from pathlib import Path

from tests.tui.test_log_view import numbered


async def test_from_the_end_the_next_error_is_the_first_one(tmp_path: Path) -> None:
    """At the end pytest sums up; a person wants to know what went wrong."""
    log = tmp_path / "log"
    app = numbered(log)
    log.write_text(f"{log.read_text()}FAILED test_it.py::test - ValueError\n")
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("e")
        await app.settle(pilot)
        assert (app.current(), app.note) == (10, "errors: 1 of 3")
        await pilot.press("e")
        await app.settle(pilot)
        assert app.current() == 60
