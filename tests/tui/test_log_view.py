# SPDX-License-Identifier: Apache-2.0
"""A log is searched, filtered and gone through from its keys, and its place is never lost."""

from datetime import datetime
from pathlib import Path

import pytest
from textual import events
from textual.app import ComposeResult
from textual.color import Color
from textual.pilot import Pilot
from textual.widgets import Input

from core.runs.log import Arrivals, LogFile
from tests.support.app import ThemedApp, screen_text, type_text
from tui.widgets import LogPane, LogView
from tui.widgets.log_pane import LogBar


class LogApp(ThemedApp):
    """Nothing but a log."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.file = file
        self.copied: list[str] = []

    def compose(self) -> ComposeResult:
        yield LogPane()

    def on_mount(self) -> None:
        self.query_one(LogPane).open(LogFile(self.file), Arrivals(self.file.with_name("arrivals")))
        self.view.focus()

    def on_log_view_copied(self, event: LogView.Copied) -> None:
        self.copied.append(event.text)

    @property
    def view(self) -> LogView:
        return self.query_one(LogView)

    @property
    def note(self) -> str:
        return str(self.query_one("#log-note").render()) if self.query_one(LogBar).display else ""

    def rows(self) -> list[str]:
        return [strip.text.rstrip() for strip in self.view.render_lines(self.view.size.region)]

    def current(self) -> int | None:
        return self.view.finder.current

    async def settle(self, pilot: Pilot[None]) -> None:
        # What was submitted arrives as a message, and only then is there work to do.
        await pilot.pause()
        while self.view.advance(1):
            pass
        await pilot.pause()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


def numbered(file: Path, count: int = 100) -> LogApp:
    special = {10: "ValueError: ten", 60: "TT_FATAL: sixty"}
    file.write_text("".join(special.get(number, f"line {number}") + "\n" for number in range(count)))
    return LogApp(file)


async def ask(app: LogApp, pilot: Pilot[None], key: str, text: str) -> None:
    await pilot.press(key)
    await type_text(pilot, text)
    await pilot.press("enter")
    await app.settle(pilot)


async def test_search_goes_from_hit_to_hit_and_wraps(log: Path) -> None:
    app = numbered(log)
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("g")
        await ask(app, pilot, "slash", "line 5")
        assert (app.current(), app.note) == (5, "/line 5: 1 of 11")
        for key, number in (("n", 50), ("n", 51), ("N", 50), ("N", 5), ("N", 59), ("n", 5)):
            await pilot.press(key)
            await app.settle(pilot)
            assert app.current() == number
            assert any(row.strip() == f"line {number}" for row in app.rows())
        assert app.note == "/line 5: 1 of 11, wrapped"
        await ask(app, pilot, "slash", "nowhere")
        assert app.note == "/nowhere: none"
        await ask(app, pilot, "slash", "re:(")
        assert "Not an expression" in app.note
        assert app.focused is app.view
        await ask(app, pilot, "slash", "line 5")
        assert app.view.clear()
        assert not app.view.clear()


async def test_errors_and_marks(log: Path) -> None:
    app = numbered(log)
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("E")
        await app.settle(pilot)
        assert (app.current(), app.view.following) == (60, False)
        assert "✗ TT_FATAL: sixty" in app.rows()
        await pilot.press("E")
        assert app.current() == 10
        await pilot.press("e", "e")
        await app.settle(pilot)
        assert (app.current(), app.note) == (10, "errors: 1 of 2, wrapped")


async def test_filters_narrow_and_toggling_them_keeps_the_place(log: Path) -> None:
    app = numbered(log)
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("g", *["j"] * 42)
        assert app.rows()[0] == "  line 42"
        await ask(app, pilot, "ampersand", "line")
        assert app.rows()[0] == "  line 42"
        await ask(app, pilot, "ampersand", "!4")
        assert app.rows()[0] == "  line 50"
        assert app.note == "&line 98  &!4 79 of 100 lines"
        await pilot.press("ctrl+f")
        await app.settle(pilot)
        assert app.rows()[:2] == ["  line 50", "  line 51"]
        assert app.note == "off: &line &!4"
        await pilot.press("k", "ctrl+f")
        await app.settle(pilot)
        assert app.rows()[0] == "  line 50"
        await ask(app, pilot, "ampersand", "")
        assert app.note == "&line 98 of 100 lines"
        assert app.view.clear()
        await app.settle(pilot)
        assert app.note == ""
        assert app.view.source.line_count == 100


async def test_what_a_filter_hides_is_not_new_below(log: Path) -> None:
    app = numbered(log)
    async with app.run_test(size=(60, 20)) as pilot:
        await ask(app, pilot, "ampersand", "line 9")
        await pilot.press("g")
        app.view.following = False
        with log.open("a") as out:
            out.write("other\nline 900\n")
        await app.settle(pilot)
        assert app.view.unseen == 1


async def test_filtering_while_following_stays_at_the_end(log: Path) -> None:
    app = numbered(log)
    async with app.run_test(size=(60, 20)) as pilot:
        await ask(app, pilot, "ampersand", "line")
        assert app.view.following
        with log.open("a") as out:
            out.write("other\nline new\nother\n")
        await app.settle(pilot)
        assert [row for row in app.rows() if row][-1] == "  line new"


async def test_wrapping_shows_the_whole_line_and_the_end(log: Path) -> None:
    log.write_text("".join(f"{number}:" + "x" * 100 + f"<{number}\nshort\n" for number in range(30)))
    app = LogApp(log)
    async with app.run_test(size=(43, 12)) as pilot:
        await pilot.press("g", "w")
        rows = app.rows()
        assert rows[:4] == ["  0:" + "x" * 38, "  " + "x" * 40, "  " + "x" * 22 + "<0", "  short"]
        await pilot.press("G")
        assert any(row.endswith("<29") for row in app.rows())
        await pilot.press("k")
        assert any("<28" in row for row in app.rows())
        await pilot.press("w")
        assert app.rows()[1].startswith("  ")
        await pilot.press("g", *["right"] * 5)
        assert app.rows()[0] == "  " + "x" * 22 + "<0"


async def test_a_large_log_opens_at_its_end_and_keeps_the_place_while_it_is_indexed(log: Path) -> None:
    app = numbered(log, 300_000)
    async with app.run_test(size=(60, 20)) as pilot:
        app.query_one(LogPane).open(LogFile(log))
        assert app.view.source.line_count < 10_000
        assert "  line 299999" in app.rows()
        app.view.action_page(-1)
        before = app.rows()
        assert "  line 299999" not in before
        await app.settle(pilot)
        assert app.view.source.line_count == 300_000
        assert app.rows() == before
        assert app.view.unseen == 0


async def test_keys_typed_at_once_with_the_search_are_text(log: Path) -> None:
    app = numbered(log)
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("slash", "e", "w", "n")
        assert app.query_one(LogBar).input.value == "ewn"
        await pilot.press("escape")
        assert app.focused is app.view
        assert not app.view.painter.wraps


async def test_scrolling_sideways_cuts_coloured_and_wide_lines_alike(log: Path) -> None:
    log.write_bytes("\x1b[31m0123456789\x1b[0mabcdefghijKLM\n0123456789abcdefgh漢KLM\nshort\n".encode())
    app = LogApp(log)
    async with app.run_test(size=(20, 10)) as pilot:
        await app.settle(pilot)
        assert app.rows()[:3] == ["  0123456789abcdefg", "  0123456789abcdefg", "  short"]
        await pilot.press("right")
        assert app.rows()[:3] == ["  ghijKLM", "  gh漢KLM", ""]
        assert {strip.cell_length for strip in app.view.strips(app.view.size.region)} == {19}


@pytest.mark.parametrize("wrapped", [False, True])
async def test_times_of_arrival_are_before_the_lines(log: Path, wrapped: bool) -> None:
    app = numbered(log, 9)
    size = log.stat().st_size
    first = len("line 0\nline 1\n")
    log.with_name("arrivals").write_text(f"1000000000.0 {first}\n1000000061.5 {size - 7}\n")
    async with app.run_test(size=(40, 12)) as pilot:
        await app.settle(pilot)
        plain = app.rows()
        await pilot.press(*(["w"] if wrapped else []), "t")
        one, two = (f"{datetime.fromtimestamp(at):%H:%M:%S} " for at in (1e9, 1e9 + 61))
        heads = [one] * 2 + [two] * 6 + [" " * 9]
        assert app.rows()[:9] == [head + line for head, line in zip(heads, plain[:9], strict=True)]
        await pilot.press("t")
        assert app.rows() == plain


async def test_a_wrapped_line_taller_than_the_screen_is_scrolled_to_its_end_and_back(log: Path) -> None:
    tall = "".join(f"<{number:03}>" for number in range(200))
    log.write_text(f"first\n{tall}\nlast\n")
    app = LogApp(log)
    async with app.run_test(size=(53, 10)) as pilot:
        await app.settle(pilot)
        await pilot.press("w", "g")
        assert app.rows()[0].strip() == "first"
        seen = set[str]()
        for _ in range(30):
            seen |= {app.rows()[0].strip(), app.rows()[-1].strip()}
            await pilot.press("j")
        assert app.rows()[-1].strip() == "last"
        assert all(f"<{number:03}>" in "".join(seen) for number in range(0, 200, 10))
        for _ in range(5):
            await pilot.press("k")
        assert "<000>" not in "".join(app.rows())
        for _ in range(30):
            await pilot.press("k")
        assert app.rows()[0].strip() == "first"


async def test_a_tall_last_line_shows_its_end_while_it_is_followed(log: Path) -> None:
    log.write_text("first\n" + "x" * 1000 + "END\n")
    app = LogApp(log)
    async with app.run_test(size=(53, 10)) as pilot:
        await app.settle(pilot)
        await pilot.press("w")
        assert "END" in "".join(app.rows())
        await pilot.press("k")
        assert "END" not in "".join(app.rows())
        assert not app.view.following
        await pilot.press("F")
        assert "END" in "".join(app.rows())


async def test_the_error_before_the_end_of_a_large_log_is_found_at_once(log: Path) -> None:
    lines = [f"line {number} {'x' * 80}" for number in range(100_000)]
    lines[3], lines[-50] = "ValueError: far away", "ValueError: near the end"
    log.write_text("\n".join(lines) + "\n")
    app = LogApp(log)
    async with app.run_test(size=(100, 20)) as pilot:
        look = app.view.look
        assert look is not None
        while look.opening:
            app.view.advance(0.01)
        await pilot.pause()
        steps = 0
        assert "line 99999" in app.rows()[-1]
        app.view.action_next_error(False)
        while app.current() is None:
            app.view.advance(0)
            look.step()
            steps += 1
        assert app.current() == 99_950
        assert steps < 20
        assert "still searching" in app.view.note
        await app.settle(pilot)
        await pilot.press("E")
        await app.settle(pilot)
        assert app.current() == 3


@pytest.mark.parametrize("ask", ["/", "&"])
async def test_an_expression_that_never_ends_is_given_up(log: Path, ask: str) -> None:
    log.write_text("ok\n" * 30 + "a" * 60 + "!\n" + "ok\n" * 30)
    app = LogApp(log)
    async with app.run_test(size=(60, 20)) as pilot:
        await app.settle(pilot)
        await pilot.press("slash" if ask == "/" else "ampersand")
        await type_text(pilot, "re:")
        app.query_one("#text LogInput" if app.query("#text") else "LogInput", Input).value = "re:(a+a+)+b"
        await pilot.press("enter")
        await app.settle(pilot)
        await pilot.pause()
        assert "takes too long" in app.note
        assert app.view.look is not None
        assert app.view.look.search is None
        assert app.view.look.filters == ()
        assert app.rows()[-1].strip() == "ok"


async def test_a_region_is_drawn_by_what_moves_and_copied_whole(log: Path) -> None:
    app = numbered(log)
    copied = app.copied
    async with app.run_test(size=(60, 20)) as pilot:
        # From the newest line up, beyond the top of the view.
        await pilot.press("v", *["k"] * 30)
        assert app.note == "region: 31 lines, C copies"
        assert app.rows()[0] == "  line 69"
        await pilot.press("C")
        await pilot.pause()
        assert copied.pop() == "".join(f"line {number}\n" for number in range(69, 100))
        assert app.note == ""
        # To what a search finds, without what filters leave out.
        await pilot.press("g", "j", "v")
        await ask(app, pilot, "ampersand", "!3")
        await ask(app, pilot, "slash", "line 14")
        assert app.note.startswith("region: 12 lines")
        await pilot.press("C")
        await pilot.pause()
        lines = ["1", "2", *map(str, range(4, 10)), "ValueError: ten", "11", "12", "14"]
        assert copied.pop() == "".join(f"{'' if ':' in line else 'line '}{line}\n" for line in lines)
        # Without a region it is what is visible; and a region that is dropped is none.
        await pilot.press("v", "j", "v", "C")
        await pilot.pause()
        assert len(copied.pop().splitlines()) == app.view.size.height
        await pilot.press("v")
        assert app.view.clear()
        assert not app.view.drawn


async def test_what_arrives_before_a_region_moves_it_along(log: Path) -> None:
    log.write_text("".join(f"line {number}\n" for number in range(60_000)) + "the end\n")
    app = LogApp(log)
    copied = app.copied
    async with app.run_test(size=(60, 20)) as pilot:
        await app.settle(pilot)
        await pilot.press("v", "k", "k")
        app.view.drawn.shift(-5)
        await pilot.press("C")
        await pilot.pause()
        assert copied == ["line 59993\nline 59994\nline 59995\n"]
        await pilot.press("g", "v", "G", "C")
        await pilot.pause()
        assert len(copied) == 1


async def test_a_search_goes_along_while_it_is_typed_and_back_where_it_is_left(log: Path) -> None:
    app = numbered(log)
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("g", "j", "j")
        await pilot.press("slash", *"line", "space", "7")
        await app.settle(pilot)
        assert (app.current(), app.note) == (7, "1 of 11")
        await pilot.press("7")
        await app.settle(pilot)
        assert (app.current(), app.note) == (77, "1 of 1")
        assert any(row.strip() == "line 77" for row in app.rows())
        await pilot.press("backspace")
        await app.settle(pilot)
        assert app.current() == 7
        await pilot.press("escape")
        await app.settle(pilot)
        assert (app.focused, app.current(), app.note, app.rows()[0].strip()) == (app.view, None, "", "line 2")
        await ask(app, pilot, "slash", "line 70")
        await pilot.press("slash", *"nowhere")
        await app.settle(pilot)
        assert app.note == "none"
        await pilot.press("escape")
        await app.settle(pilot)
        assert (app.current(), app.note) == (70, "/line 70: 1 of 1")


async def test_an_expression_that_is_half_typed_says_so_and_is_typed_on(log: Path) -> None:
    app = numbered(log)
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("g", "slash", *"re:(", "full_stop")
        await app.settle(pilot)
        assert "unterminated" in app.note
        # What was found before is counted on, and its news may come later.
        app.view.post_message(LogView.NoteChanged())
        await app.settle(pilot)
        assert "unterminated" in app.note
        assert app.focused is app.query_one(LogBar).input
        await pilot.press(*"ix)ty", "enter")
        await app.settle(pilot)
        assert (app.current(), app.note) == (60, "/re:(.ix)ty: 1 of 1")


async def test_small_letters_find_capitals_and_capitals_only_themselves(log: Path) -> None:
    app = numbered(log)
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("g")
        await ask(app, pilot, "slash", "tt_fatal")
        assert app.current() == 60
        await ask(app, pilot, "slash", "Tt_fatal")
        assert app.note == "/Tt_fatal: none"


async def test_what_was_searched_for_comes_again_with_the_arrow(log: Path) -> None:
    app = numbered(log)
    async with app.run_test(size=(60, 20)) as pilot:
        for text in ("line 1", "line 2", "line 1"):
            await ask(app, pilot, "slash", text)
        await ask(app, pilot, "ampersand", "line")
        line = app.query_one(LogBar).input
        await pilot.press("slash", "x")
        texts = [line.value]
        for key in ("up", "up", "up", "down", "down"):
            await pilot.press(key)
            texts.append(line.value)
        assert texts == ["x", "line 1", "line 2", "line 2", "line 1", "x"]
        assert line.selected_text == ""
        await pilot.press("up", "end", "0", "enter")
        await app.settle(pilot)
        assert app.note.startswith("/line 10: ")


async def test_what_is_typed_is_seen_and_so_is_what_it_finds(log: Path) -> None:
    app = numbered(log)
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("g", "slash", *"line", "space", "7")
        await app.settle(pilot)
        assert "/line 7" in screen_text(app).splitlines()[-1]
        (strip,) = [strip for strip in app.view.render_lines(app.view.size.region) if "line 7" in strip.text]
        hit = next(segment.style for segment in strip if segment.text == "line 7")
        rest = next(segment.style for segment in strip if not segment.text.strip())
        assert hit and rest and hit.color and hit.bgcolor and rest.bgcolor
        assert hit.bgcolor != rest.bgcolor
        ink, paper = (Color.from_rich_color(one) for one in (hit.color, hit.bgcolor))
        assert abs(ink.brightness - paper.brightness) > 0.4


async def test_who_looks_away_while_typing_goes_on_typing(log: Path) -> None:
    app = numbered(log)
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("slash", *"line")
        app.post_message(events.AppBlur())
        await pilot.pause()
        with log.open("a") as more:
            more.write("line 100\n")
        await app.settle(pilot)
        app.post_message(events.AppFocus())
        await pilot.pause()
        await pilot.press("space", "9")
        assert app.query_one(LogBar).input.value == "line 9"
        assert app.focused is app.query_one(LogBar).input
