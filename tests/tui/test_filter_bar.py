# SPDX-License-Identifier: Apache-2.0
"""The filter line completes words, and yields its keys where there is nothing to complete."""

import threading
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import pytest
from textual import events

from core.matrix.query import Learned
from core.sources import Checkout
from core.workspace import Workspace
from tests.support.app import build_app, screen_text, type_text, until
from tests.support.sample import sample_checkout
from tests.support.tree import sample
from tui.app.app import TTMatrixApp
from tui.session import Session
from tui.widgets import FilterBar, QueryInput


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


@pytest.mark.parametrize("key", ["tab", "right"])
async def test_a_completion_is_shown_and_taken(checkout: Checkout, key: str) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("slash")
        await type_text(pilot, "sta")
        line = app.matrix_screen.query_one(QueryInput)
        assert line.value == "sta"
        await until(pilot, lambda: "status:" in screen_text(app), "status:")
        await pilot.press(key)
        assert (line.value, line.cursor_position) == ("status:", 7)
        await type_text(pilot, "xf")
        await pilot.press(key)
        assert line.value == "status:xfail"
        assert len(app.session.view.rows) == 2


async def test_tab_leaves_the_line_where_there_is_nothing_to_take(checkout: Checkout) -> None:
    app = build_app(checkout, query="has:entry")
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("slash", "tab")
        assert app.focused is not None
        assert not isinstance(app.focused, QueryInput)
        assert str(app.session.view.query) == "has:entry"


async def test_within_the_line_tab_takes_nothing(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("slash")
        await type_text(pilot, "sta")
        await pilot.press("left", "right")
        assert app.matrix_screen.query_one(QueryInput).value == "sta"
        await pilot.press("left", "tab")
        assert app.matrix_screen.query_one(QueryInput).value == "sta"


async def test_a_query_with_groups_filters_and_toggles(checkout: Checkout) -> None:
    app = build_app(checkout, query="has:entry (mode:training or tiny)")
    async with app.run_test(size=(140, 40)) as pilot:
        assert len(app.session.view.rows) == 3
        await pilot.press("f", *"jjjjjjjjj", "space")
        assert str(app.session.view.query) == "has:entry (mode:training or tiny) status:known_failure_xfail"
        assert len(app.session.view.rows) == 1


async def test_a_query_that_must_be_looked_up_says_so_and_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = build_app(sample_checkout(tmp_path / "tt-xla"), query="has:entry")
    entered, may_go_on = threading.Event(), threading.Event()
    learn = Session.compute_columns

    def slowly(session: Session, workspace: Workspace, names: Iterable[str]) -> Learned:
        entered.set()
        assert may_go_on.wait(60)
        return learn(session, workspace, names)

    monkeypatch.setattr(Session, "compute_columns", slowly)
    # So small that no panel asks for anything by itself.
    async with app.run_test(size=(100, 24)) as pilot:
        await pilot.press("slash")
        app.matrix_screen.query_one(QueryInput).value = "has:entry job:none"
        await until(pilot, entered.is_set, "somebody looks it up")
        await until(pilot, lambda: "reading the scheduled CI jobs" in screen_text(app), "reading")
        # Rows of the previous query stay readable, but cannot be acted on by mistake.
        assert app.matrix_screen.current is not None
        await pilot.press("enter", "asterisk")
        assert app.session.view.marks == set()
        may_go_on.set()
        await until(pilot, lambda: "reading" not in screen_text(app), "the answer")
        assert 0 < len(app.session.view.rows) < len(app.session.matrix.entries)
        await pilot.press("slash")
        await type_text(pilot, " mode:training")
        assert "reading" not in screen_text(app)


async def test_the_app_can_be_opened_on_such_a_query_and_reads_on(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    app = build_app(checkout, query="job:none has:entry")
    async with app.run_test(size=(100, 24)) as pilot:
        await until(pilot, lambda: len(app.session.view.rows) > 0, "rows")
        before = len(app.session.view.rows)
        for preset in checkout.presets.glob("*.json"):
            preset.write_text("[]")
        app.action_reload()
        await until(pilot, lambda: len(app.session.view.rows) != before, "rows of the changed checkout")
        assert app.session.view.missing() == ()


async def test_facets_of_the_models_come_with_the_panel(tmp_path: Path) -> None:
    app = build_app(sample_checkout(tmp_path / "tt-xla"), query="has:entry")
    async with app.run_test(size=(140, 100)) as pilot:
        await until(pilot, lambda: {"models", "jobs"} <= set(app.session.view.learned), "facts")
        await until(pilot, lambda: "generality" in screen_text(app), "the group facet")


async def test_the_query_has_the_whole_line_and_the_note_gives_way(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(100, 30)) as pilot:
        bar, line = app.matrix_screen.query_one(FilterBar), app.matrix_screen.query_one(QueryInput)
        # Some tests match: why none does would be a longer note, and come later.
        query = "has:entry (pytorch or " + " or ".join(f"word{at}" for at in range(7)) + ")"
        await pilot.press("slash")
        app.post_message(events.Paste(query))
        await until(pilot, lambda: line.value == query, "the query")
        await until(pilot, lambda: query in screen_text(app), "all of it on the screen")
        assert len(query) > 70
        assert bar.size.height == 1
        app.post_message(events.Paste(" arch:p150 mode:training"))
        await until(pilot, lambda: bar.size.height == 2, "the note on a line of its own")
        await until(pilot, lambda: line.size.width >= 96, "the whole line")
        assert f"of {len(app.session.matrix.ids):,}" in screen_text(app)
        await pilot.press("ctrl+u")
        await until(pilot, lambda: bar.size.height == 1, "one line again")


async def test_a_field_completes_with_its_values(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("slash")
        await type_text(pilot, "status:")
        await until(pilot, lambda: "status: expected_passing, known_failure_xfail" in screen_text(app), "the values")
        await pilot.press("tab")
        assert app.matrix_screen.query_one(QueryInput).value == "status:expected_passing"


async def test_the_rows_are_those_of_the_rest_until_a_field_has_its_value(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(100, 30)) as pilot:
        view = app.session.view
        await pilot.press("slash")
        await type_text(pilot, "arch:n150 stat")
        await until(pilot, lambda: not view.rows, "no name with these letters")
        await type_text(pilot, "us:")
        await until(pilot, lambda: str(view.query) == "arch:n150", "the rest")
        assert view.rows
        assert "No test matches" not in screen_text(app)
        assert "status: expected_passing" in screen_text(app)
        await type_text(pilot, "xfail,")
        await until(pilot, lambda: str(view.query) == "arch:n150 status:xfail", "the value before the comma")
        await type_text(pilot, "skip or name:")
        assert str(view.query) == "arch:n150 status:xfail,skip or name", "what has no rest leaves the rows as they are"


async def test_values_that_do_not_fit_end_with_a_sign(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash")
        await type_text(pilot, "status:")
        await until(pilot, lambda: "status: expected_passing" in screen_text(app), "the values")
        (values,) = (line for line in screen_text(app).splitlines() if "status: expected_passing" in line)
        assert values.endswith("…")


async def test_a_completion_has_room_beside_the_note(checkout: Checkout) -> None:
    app = build_app(checkout, query="has:entry")
    async with app.run_test(size=(100, 24)) as pilot:
        await pilot.press("slash")
        await type_text(pilot, " !has:reason archs:n150,p150 status:not_")
        text = "has:entry !has:reason archs:n150,p150 status:not_supported_skip"
        await until(pilot, lambda: text in screen_text(app), "the whole completion")


def _query_is(app: TTMatrixApp, line: QueryInput, text: str) -> bool:
    return str(app.session.view.query) == text == line.value


async def test_letters_begin_a_new_word_beside_an_earlier_query(checkout: Checkout) -> None:
    app = build_app(checkout, query="status:xfail")
    async with app.run_test(size=(100, 30)) as pilot:
        line = app.matrix_screen.query_one(QueryInput)
        for typed, query in (("mode", "status:xfail mode"), (" pytorch", "status:xfail mode pytorch"), ("", "")):
            await pilot.press("slash")
            await type_text(pilot, typed)
            await pilot.press("enter" if typed else "escape")
            await until(pilot, partial(_query_is, app, line, query), f"{query}, and no space behind it")
        await pilot.press("slash", "x", "enter", "slash", "enter")
        await until(pilot, lambda: line.value == "x", "a word that was not typed leaves nothing")
