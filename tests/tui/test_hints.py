# SPDX-License-Identifier: Apache-2.0
"""Hints: each shown once, on the line of messages, gone when followed, remembered for the person."""

import json
from pathlib import Path

from tests.support.app import build_app, screen_text, until
from tests.support.recorded import record_runs
from tests.support.sample import sample_checkout
from tests.support.tree import sample
from tui.commands import Where, all_commands
from tui.hints import Hints, all_hints
from tui.keymap import Keymap


def test_each_is_shown_once_and_remembered(tmp_path: Path) -> None:
    file = tmp_path / "state" / "hints.json"
    hints = Hints(file, Keymap())
    assert hints.next([Where.MATRIX]) == "enter goes in, esc back"
    assert Hints(file, Keymap()).next([Where.MATRIX]) == ": finds any command"
    rest = [hint for hint in all_hints() if hint.where is Where.MATRIX]
    for _ in rest:
        again = Hints(file, Keymap()).next([Where.MATRIX])
    assert again == ""
    assert {*json.loads(file.read_text())} == {hint.id for hint in rest}


def test_what_is_found_alone_needs_no_hint(tmp_path: Path) -> None:
    hints = Hints(tmp_path / "hints.json", Keymap())
    assert not hints.used(["clusters.enter"])
    assert hints.next([Where.CLUSTERS]) == ""


def test_the_log_of_a_run_has_other_hints_than_the_list_of_runs(tmp_path: Path) -> None:
    hints = Hints(tmp_path / "hints.json", Keymap())
    assert hints.next([Where.RUNS, Where.LINES, Where.LOG]) == "e goes to the next error"
    assert hints.next([Where.RUNS, Where.RUN_TABLE, Where.TABLE]) == "enter shows the log full size"


def test_a_file_that_cannot_be_read_or_written_only_shows_them_again(tmp_path: Path) -> None:
    file = tmp_path / "hints.json"
    for text in ("{", "7", '{"a": 1}'):
        file.write_text(text)
        assert Hints(file, Keymap()).next([Where.OVERVIEW])
    (tmp_path / "no directory").write_text("")
    assert Hints(tmp_path / "no directory" / "hints.json", Keymap()).next([Where.OVERVIEW])


def test_hints_are_short_and_about_commands() -> None:
    assert {id for hint in all_hints() for id in hint.commands} <= {one.id for one in all_commands()}
    assert len({hint.id for hint in all_hints()}) == len(all_hints())
    assert all(len(hint.words) <= 60 for hint in all_hints())


async def test_a_hint_is_on_the_line_of_messages_until_it_is_followed(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        assert "goes in" not in screen_text(app)
        app.begin_hints(Hints(tmp_path / "hints.json", app.context.keymap))
        await until(pilot, lambda: "enter goes in, esc back" in screen_text(app).splitlines()[-2], "the hint")
        last = screen_text(app).splitlines()[-1]
        assert "# Grid" in last and "? Help" in last
        await pilot.press("slash")
        await until(pilot, lambda: "goes in" not in screen_text(app), "the line where the keys of the hint are text")
        await pilot.press("escape")
        await until(pilot, lambda: "enter goes in, esc back" in screen_text(app), "the hint again")
        await pilot.press("j")
        assert "goes in" in screen_text(app)
        await pilot.press("enter")
        await until(pilot, lambda: "goes in" not in screen_text(app), "the line without it")
        await pilot.press("escape", "7")
        await until(pilot, lambda: "lists its cells" in screen_text(app), "the hint of the clusters")
        await pilot.press("1")
        await until(pilot, lambda: ": finds any command" in screen_text(app), "the next one of the matrix")


def test_one_that_cannot_be_followed_waits(tmp_path: Path) -> None:
    hints = Hints(tmp_path / "hints.json", Keymap())
    places = [Where.RUNS, Where.RUN_TABLE]
    assert hints.next(places, lambda _: False) == ""
    assert hints.missed and not hints.shown
    assert hints.next(places, lambda _: True) == "enter shows the log full size"
    assert hints.fits(places, lambda _: True)
    assert not hints.fits(places, lambda _: False) and not hints.fits([Where.RUNS, Where.LOG], lambda _: True)


async def test_without_a_run_nothing_is_said_of_its_log(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    app = build_app(checkout)
    async with app.run_test(size=(100, 24)) as pilot:
        app.begin_hints(Hints(tmp_path / "hints.json", app.context.keymap))
        await pilot.press("2")
        await until(pilot, lambda: "No runs yet" in screen_text(app), "the empty list")
        await pilot.press("j")
        assert "shows the log" not in screen_text(app)
        record_runs(checkout)
        await until(pilot, lambda: bool(app.session.runs), "runs")
        await pilot.press("j")
        await until(pilot, lambda: "enter shows the log full size" in screen_text(app), "the hint")
        await pilot.press("tab")
        await until(pilot, lambda: "shows the log" not in screen_text(app), "the line without it, in the log")


async def test_a_screen_that_the_app_begins_on_is_not_asked_before_it_is_made(tmp_path: Path) -> None:
    app = build_app(sample_checkout(tmp_path / "tt-xla"))
    async with app.run_test(size=(100, 24)) as pilot:
        app.navigation.switch("doctor")
        app.begin_hints(Hints(tmp_path / "hints.json", app.context.keymap))
        await until(pilot, lambda: "findings" in screen_text(app), "the findings")
        await pilot.press("j")
        await until(pilot, lambda: "m adds the fix to the changes" in screen_text(app), "the hint")
