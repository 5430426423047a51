# SPDX-License-Identifier: Apache-2.0
"""Logs: the view follows until a person scrolls up, and then nothing moves it."""

from textual.app import ComposeResult

from tests.support.app import ThemedApp
from tui.widgets import LinesView, TextLines


class Bound(LinesView):
    """A view with its keys."""


class LinesApp(ThemedApp):
    """Nothing but lines."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = [f"line {number}" for number in range(100)]

    def compose(self) -> ComposeResult:
        yield Bound(lambda line: "error" if "9" in line else "")

    @property
    def view(self) -> Bound:
        return self.query_one(Bound)

    def top(self) -> str:
        return self.view.render_lines(self.view.size.region)[0].text.rstrip()

    def add(self, count: int) -> None:
        before = len(self.lines)
        self.lines += [f"line {before + number}" for number in range(count)]
        self.view.grew(before)


async def test_following_stays_at_the_end() -> None:
    app = LinesApp()
    async with app.run_test(size=(40, 10)):
        app.view.show(TextLines(app.lines), follow=True)
        app.add(5)
        assert app.top() == "line 95"
        assert app.view.unseen == 0


async def test_scrolling_up_stops_following_and_new_lines_are_counted() -> None:
    app = LinesApp()
    async with app.run_test(size=(40, 10)) as pilot:
        app.view.show(TextLines(app.lines), follow=True)
        await pilot.press("k")
        top = app.top()
        app.add(7)
        app.add(3)
        await pilot.pause()
        assert app.top() == top == "line 89"
        assert (app.view.following, app.view.unseen) == (False, 10)
        await pilot.press("j")
        assert not app.view.following
        await pilot.press("F")
        assert app.top() == "line 100"
        assert (app.view.following, app.view.unseen) == (True, 0)


async def test_moving_through_and_sideways() -> None:
    app = LinesApp()
    async with app.run_test(size=(40, 10)) as pilot:
        app.view.show(TextLines(app.lines))
        for key, top in (
            ("j", "line 1"),
            ("space", "line 10"),
            ("pageup", "line 1"),
            ("G", "line 90"),
            ("g", "line 0"),
        ):
            await pilot.press(key)
            assert app.top() == top, key
        app.view.show(TextLines(["0123456789abcdefXYZ"]))
        await pilot.press("right")
        assert app.top() == "XYZ"
        await pilot.press("left", "left")
        assert app.top() == "0123456789abcdefXYZ"


async def test_fewer_lines_than_rows() -> None:
    app = LinesApp()
    async with app.run_test(size=(40, 10)) as pilot:
        app.view.show(TextLines(["only"]), follow=True)
        await pilot.press("G", "k", "space")
        assert app.top() == "only"
        app.view.show(TextLines())
        assert app.top() == ""
