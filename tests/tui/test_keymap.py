# SPDX-License-Identifier: Apache-2.0
"""A person's own keys: they work, are shown where keys are shown, and never mean two things."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.base.errors import TTMatrixError
from core.base.settings import load_settings
from core.cli import AppRequest
from tests.support.app import build_app, flat, screen_text, until
from tests.support.recorded import record_runs
from tests.support.tree import sample
from tui.app import open_app
from tui.app.app import Appearance, TTMatrixApp
from tui.commands import all_commands
from tui.key_names import KEY_NAMES
from tui.keymap import PRESETS, Keymap, read_keymap


def test_without_settings_the_table_counts() -> None:
    assert Keymap().applied(all_commands()) == list(all_commands())
    assert Keymap().clash() is None


@pytest.mark.parametrize("preset", PRESETS)
def test_no_preset_gives_a_key_two_meanings(preset: str) -> None:
    assert read_keymap(preset, {}).clash() is None


@pytest.mark.parametrize(
    ("written", "key"),
    [("x", "x"), ("^d", "ctrl+d"), ("ctrl+x", "ctrl+x"), ("?", "question_mark"), ("pgdn", "pagedown"), ("f5", "f5")],
)
def test_keys_are_written_as_they_are_shown(written: str, key: str) -> None:
    others = ("app.reload", "app.help", "table.half_down", "table.page_down", "lines.half_down", "lines.page_down")
    asked = {"runs.copy": written, **dict(zip(others, ("f8", "f9", "f10", "f11", "f12", "insert"), strict=True))}
    asked |= {id: asked[id.replace("lines", "table")] for id in asked if id.startswith("lines")}
    asked |= {f"text.{one}": asked[f"table.{one}"] for one in ("half_down", "page_down")}
    assert read_keymap("vim", asked).changed["runs.copy"] == key


@given(
    st.sampled_from([one.id for one in all_commands()]),
    st.sampled_from([*KEY_NAMES, *"abcdefghijklmnop", "f5", "ctrl+t"]),
)
def test_a_key_is_the_commands_or_is_refused(id: str, key: str) -> None:
    try:
        keymap = read_keymap("vim", {id: key})
    except TTMatrixError as error:
        assert "would mean two things" in error.title
        assert id in error.detail
    else:
        assert keymap.clash() is None
        assert keymap.changed == {id: key}


@pytest.mark.parametrize(
    ("preset", "keys", "said"),
    [
        ("emcas", {}, "There is no keymap 'emcas'"),
        ("vim", {"matrix.rnu": "x"}, "There is no command 'matrix.rnu'"),
        ("vim", {"matrix.run": "ctrl+s"}, "cannot have the key ctrl\\+s"),
        ("vim", {"matrix.run": "ctr+x"}, "there is none"),
        ("vim", {"matrix.run": ""}, "there is none"),
        ("vim", {"matrix.run": "j"}, "The key j would mean two things"),
        ("emacs", {"matrix.run": "ctrl+n"}, "The key \\^n|The key ctrl\\+n would mean two things"),
    ],
)
def test_mistakes_are_named(preset: str, keys: dict[str, str], said: str) -> None:
    with pytest.raises(TTMatrixError, match=said):
        read_keymap(preset, keys)


def test_a_command_that_is_misspelt_has_a_nearest_one() -> None:
    with pytest.raises(TTMatrixError) as raised:
        read_keymap("vim", {"matrix.rnu": "x"})
    assert "matrix.run" in raised.value.hint


def test_keys_are_read_from_the_settings(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('keymap = "emacs"\n[keys]\n"matrix.run" = "x,f9"\n')
    settings = load_settings(file)
    assert read_keymap(settings.keymap, settings.keys).key("matrix.run") == "x"


async def test_a_key_of_ones_own_works_and_is_shown(tmp_path: Path) -> None:
    keymap = read_keymap("emacs", {"matrix.detail": "x", "app.doctor": "f10"})
    plain = build_app(sample(tmp_path / "tt-xla"))
    app = TTMatrixApp(plain.session, lambda matrix: matrix, look=Appearance(keymap=keymap))
    async with app.run_test(size=(160, 40)) as pilot:
        before = app.matrix_screen.current
        await pilot.press("ctrl+n")
        await until(pilot, lambda: app.matrix_screen.current != before, "the next row")
        assert "x Detail" in screen_text(app)
        assert "f10 Doctor" in screen_text(app)
        detail = app.screen.query_one("#detail")
        first = detail.has_class("shown")
        await pilot.press("x")
        await until(pilot, lambda: detail.has_class("shown") != first, "the detail, or its end")
        await pilot.press("d")
        await pilot.pause()
        assert detail.has_class("shown") != first
        await pilot.press("question_mark")
        await until(pilot, lambda: "Show or hide the detail panel" in screen_text(app), "the help")
        line = next(line for line in screen_text(app).splitlines() if "Show or hide the detail panel" in line)
        assert "x" in line.split()
        await pilot.press("escape", "f10")
        await until(pilot, lambda: "finding" in screen_text(app), "the doctor")


async def test_messages_name_the_keys_that_commands_have(tmp_path: Path) -> None:
    keymap = read_keymap("vim", {"app.review": "f8", "matrix.set": "f9"})
    plain = build_app(sample(tmp_path / "tt-xla"), query="has:entry")
    app = TTMatrixApp(plain.session, lambda matrix: matrix, look=Appearance(keymap=keymap))
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("f8")
        await until(pilot, lambda: "Nothing is pending: f9 in the matrix" in flat(app), "the way on")
        await pilot.press("escape", "f9", "left", "enter")
        said = "Added to the pending changes. f8 reviews them."
        await until(pilot, lambda: [note.message for note in app._notifications] == [said], "where it is")


async def test_notes_and_hints_name_the_keys_that_commands_have(tmp_path: Path) -> None:
    keymap = read_keymap("vim", {"log.copy": "f9", "overview.open": "f8", "matrix.arch": "f10"})
    checkout = sample(tmp_path / "tt-xla")
    record_runs(checkout)
    plain = build_app(checkout, query="has:entry")
    app = TTMatrixApp(plain.session, lambda matrix: matrix, look=Appearance(keymap=keymap))
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("3")
        await until(pilot, lambda: "BFLOAT16" in screen_text(app), "the log")
        await pilot.press("v", "k")
        await until(pilot, lambda: "f9 copies" in screen_text(app), "the key that copies")
        await pilot.press("0")
        await until(pilot, lambda: "f8 shows the tests that match" in screen_text(app), "the key that opens")
        await pilot.press("f3")
        await until(pilot, lambda: "f10 in the matrix" in flat(app), "the key that chooses an arch")


def test_all_mistakes_are_said_at_once() -> None:
    with pytest.raises(TTMatrixError) as raised:
        read_keymap("nano", {"matrix.rnu": "x", "matrix.run": "ctrl+b", "matrix.mark": "nokey"})
    assert raised.value.title == "4 settings of keys are wrong"
    for words in ("'nano'", "'matrix.rnu'", "ctrl+b", "'nokey'"):
        assert words in raised.value.detail


def test_the_app_names_all_that_is_wrong_with_its_settings(own_home: Path) -> None:
    file = own_home / "config" / "settings.toml"
    file.parent.mkdir(parents=True)
    file.write_text('theme = "pink"\ncpu_slots = "two"\n[keys]\n"matrix.rnu" = "x"\n[profiles."b c"]\n')
    with pytest.raises(TTMatrixError) as raised:
        open_app(AppRequest(None))
    assert raised.value.title == f"4 settings in {file} are wrong"
    for words in ("'pink'", "'cpu_slots'", "'matrix.rnu'", "'b c'"):
        assert words in raised.value.detail


@pytest.mark.parametrize(
    ("written", "now"),
    [
        ("triage.accept", "decide.accept"),
        ("review.accept", "decide.accept"),
        ("review.undo", "decide.undo"),
        ("triage.skip", "decide.next"),
        ("review.enter", "decide.go"),
        ("doctor.filter", "list.filter"),
    ],
)
def test_a_key_for_a_command_by_its_earlier_id_counts(written: str, now: str) -> None:
    assert read_keymap("vim", {written: "f9"}).key(now) == "f9"


def test_no_more_commands_are_said_twice() -> None:
    """Two records with the same key and the same words are one command in two places: it has a place of its own."""
    said = [(one.keys, one.label, one.help) for one in all_commands()]
    twice = {one for one in said if said.count(one) > 1}
    moving = {"Half a page down", "Half a page up", "A page down", "A page up", "A line down"}
    assert {help for _, _, help in twice} - moving <= {
        "Copy the id",
        "First line",
        "Last line",
        "Next hit of the search",
        "Previous error",
        "Reverse sort",
        "Show the test in the matrix",
        "Toggle results of machines that fail alone",
    }
