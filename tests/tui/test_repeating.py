# SPDX-License-Identifier: Apache-2.0
"""tui.app.bridge: work that is repeated ends with the app, also where more is asked for."""

from textual.app import App

from tui.app.bridge import Repeating


async def test_what_is_started_after_its_end_does_nothing() -> None:
    done: list[int] = []
    app = App[None]()
    async with app.run_test() as pilot:
        rounds = Repeating(app, "rounds", 60, lambda: done.append(1), lambda _: None)
        rounds.stop()
        rounds.start()
        rounds.now()
        await pilot.pause()
    assert done == []
