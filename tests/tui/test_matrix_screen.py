# SPDX-License-Identifier: Apache-2.0
"""The main screen, driven by keys."""

import gc
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.dom import DOMNode

from core.edits import Operation, OpKind
from core.matrix import Matrix, index
from core.matrix.query import Query, lacking_words, select
from core.matrix.view import EVIDENCE
from core.sources import Checkout
from tests.support.app import build_app, flat, screen_text, shown_ids, type_text, until
from tests.support.sample import sample_checkout
from tests.support.tree import INFERENCE, YAML, sample
from tui.screens import HelpScreen
from tui.screens.matrix import SetFields
from tui.screens.matrix.filter import why_nothing
from tui.view_models import Cell, MatrixRows
from tui.widgets import QueryInput

TINY, NET, ORG = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug", "org/name"))


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


async def test_typing_filters_and_enter_goes_to_the_rows(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("slash")
        await type_text(pilot, "has:entry mode:inference")
        assert shown_ids(app) == [NET, ORG, TINY]
        await pilot.press("enter", "j")
        assert app.matrix_screen.current == ORG
        await pilot.press("escape")
        assert len(app.session.view.rows) == len(app.session.matrix.ids)
        assert app.matrix_screen.current == ORG


async def test_the_cursor_stays_near_to_where_a_query_was_begun(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(100, 30)) as pilot:
        screen = app.matrix_screen
        begun = screen.current
        await pilot.press("slash")
        # The first letters find this one only, and the whole query does not mean it.
        await type_text(pilot, "tiny")
        assert "tiny" in (screen.current or "")
        await type_text(pilot, " or has:entry")
        assert screen.current == shown_ids(app)[0] < NET
        await pilot.press("escape")
        assert screen.current == begun
        await pilot.press("slash")
        await type_text(pilot, "has:entry mode:inference")
        await pilot.press("enter", "j", "slash", "end")
        # Where a person went is where the next query begins.
        await type_text(pilot, " !org")
        assert screen.current == TINY
        await pilot.press(*["backspace"] * 5)
        assert screen.current == ORG


async def test_a_bad_query_says_so_and_keeps_the_rows(checkout: Checkout) -> None:
    app = build_app(checkout, query="has:entry")
    async with app.run_test(size=(120, 30)) as pilot:
        app.matrix_screen.query_one(QueryInput).value = "has:entry stauts:x"
        await pilot.pause()
        assert len(app.session.view.rows) == 5
        await until(pilot, lambda: "Did you mean status:?" in screen_text(app), "Did you mean status:?")
        app.edits.refresh()
        await pilot.pause()
        assert "Did you mean status:?" in screen_text(app)
        app.matrix_screen.query_one(QueryInput).value = "has:entry"
        await until(pilot, lambda: "Did you mean" not in screen_text(app), "the count again")


async def test_rows_that_stay_while_a_query_is_typed_are_not_made_again(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    cells_of = MatrixRows.cells_of

    def counting(rows: MatrixRows, row: int) -> Sequence[Sequence[Cell]]:
        made.append(row)
        return cells_of(rows, row)

    monkeypatch.setattr(MatrixRows, "cells_of", counting)
    app = build_app(checkout, query="has:entry")
    async with app.run_test(size=(120, 30)) as pilot:
        await until(pilot, lambda: set(made) == set(app.session.view.rows), "the first rows")
        screen = app.matrix_screen
        screen.table.repaint_rows()
        await pilot.pause()
        assert TINY in screen_text(app)
        made.clear()
        screen.query_one(QueryInput).value = "has:entry tiny"
        await until(pilot, lambda: ORG not in screen_text(app), "fewer rows")
        # The cursor is not where it was, and neither are its two rows what they were, in one frame or in two.
        assert len(set(made)) <= 2
        await pilot.press("at")
        await until(pilot, lambda: set(made) == set(app.session.view.rows), "rows that look otherwise")


async def test_a_hint_is_said_without_a_look_at_all_widgets(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may come after each key, and to look at all widgets took a tenth of the time that a cursor key takes."""
    app = build_app(checkout)
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.press("j")
        with monkeypatch.context() as strict:
            strict.setattr(DOMNode, "query", lambda _, *selector: pytest.fail(f"looked for {selector}"))
            app.matrix_screen.say_hint("x does that")
        await until(pilot, lambda: "x does that" in screen_text(app), "the hint")


async def test_nothing_found_names_the_nearest(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    closest, asked = Matrix.closest, list[threading.Thread]()

    def noted(matrix: Matrix, wanted: str, count: int = 3) -> list[str]:
        asked.append(threading.current_thread())
        return closest(matrix, wanted, count)

    monkeypatch.setattr(Matrix, "closest", noted)
    app = build_app(checkout)
    async with app.run_test(size=(160, 30)) as pilot:
        await pilot.press("slash")
        await type_text(pilot, "alpha/pytorch-tinny-single_device-inference")
        await until(pilot, lambda: f"nearest: {TINY}" in screen_text(app), f"nearest: {TINY}")
        assert "No test matches the filter: / changes it, esc clears it." in screen_text(app)
    assert asked and threading.current_thread() not in asked, "letters do not wait for it"


async def test_a_field_that_the_kind_of_rows_lacks_is_said_as_the_command_says_it(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(160, 30)) as pilot:
        await pilot.press("slash")
        await type_text(pilot, "kind:handwritten bringup:none")
        (said,) = lacking_words(Query.parse("kind:handwritten bringup:none"))
        await until(pilot, lambda: " ".join(said.split()) in flat(app), "why nothing matches")


async def test_nothing_found_names_the_term_that_excludes_all(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(160, 30)) as pilot:
        await pilot.press("slash")
        await type_text(pilot, "tiny pcc:<0.5 has:entry mode:inference")
        await until(pilot, lambda: "1 match without pcc:<0.5" in screen_text(app), "the term that excludes all")


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("tiny has:entry mode:inference pcc:<0.5", "1 match without pcc:<0.5"),
        ("tiny pcc:<0.5 has:entry mode:inference", "1 match without pcc:<0.5"),
        ('tiny has:entry "no such"', '2 match without "no such"'),
        ("alpha/pytorch-tinny-single_device-inference status:pass", f"nearest: {TINY}"),
        ("tiny mode:inference status:skip pcc:<0.5", ""),
        ("pcc:<0.5", ""),
    ],
)
def test_why_a_query_selects_nothing(checkout: Checkout, text: str, cause: str) -> None:
    """Where two terms exclude all, no single one explains it; and a term alone needs no explanation."""
    matrix, query = index(checkout), Query.parse(text)
    assert select(matrix, query) == []
    assert why_nothing(matrix, query, select) == cause


async def test_a_value_that_facts_do_not_have_is_why_a_query_selects_nothing(checkout: Checkout) -> None:
    app = build_app(checkout, query="has:entry group:red")
    async with app.run_test(size=(160, 30)) as pilot:
        await until(pilot, lambda: "No group matches 'red'" in screen_text(app), "the value that no group has")
        assert app.screen is app.matrix_screen


async def test_keys_typed_into_the_filter_do_nothing_else(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("slash", "r", "q", "E", "S", "1", "question_mark")
        assert app.screen is app.matrix_screen
        assert app.session.runs == []


async def test_marks_stay_with_their_tests(checkout: Checkout) -> None:
    app = build_app(checkout, query="has:entry mode:inference")
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("space", "space")
        assert app.session.view.marks == {NET, ORG}
        await pilot.press("escape", "slash")
        await type_text(pilot, "tiny")
        await until(pilot, lambda: "2 marked (2 hidden)" in screen_text(app), "2 marked (2 hidden)")
        await pilot.press("enter", "ctrl+n")
        assert app.session.view.marks == set()
        await pilot.press("asterisk")
        assert len(app.session.view.marks) == len(app.session.view.rows)


async def test_facets_toggle_values_of_the_query(checkout: Checkout) -> None:
    app = build_app(checkout, query="has:entry")
    async with app.run_test(size=(140, 40)) as pilot:
        await pilot.press("f", *"jjjjjjjjj", "space")
        assert str(app.session.view.query) == "has:entry status:known_failure_xfail"
        assert len(app.session.view.rows) == 2
        await pilot.press("space")
        assert str(app.session.view.query) == "has:entry"
        await pilot.press("escape")
        assert app.focused is app.matrix_screen.table


async def test_the_detail_shows_the_entry_with_its_place(checkout: Checkout) -> None:
    app = build_app(checkout, query="net-v1.5+aug has:entry")
    async with app.run_test(size=(100, 50)) as pilot:
        await until(pilot, lambda: "test_config_inference_single_device.yaml:5" in screen_text(app), "the detail")
        shown = screen_text(app)
        assert "supported_archs: [n150, n300-llmbox]" in shown
        assert "KNOWN_FAILURE_XFAIL  override · n150" in shown
        await pilot.press("d")
        assert "supported_archs" not in screen_text(app)


async def test_arch_and_sort(checkout: Checkout) -> None:
    app = build_app(checkout, query="has:entry")
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("at")
        assert app.session.view.arch == "n150"
        await until(pilot, lambda: "arch n150" in screen_text(app), "arch n150")
        await pilot.press("greater_than_sign")
        assert app.session.view.sort_key == "status"


async def test_help_lists_runs_and_filters_what_works_here(checkout: Checkout) -> None:
    app = build_app(checkout, query="has:entry")
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("question_mark")
        assert isinstance(app.screen, HelpScreen)
        await type_text(pilot, "clear marks")
        assert "Accept this change" not in screen_text(app)
        await pilot.press("escape", "space", "question_mark")
        await type_text(pilot, "clear all marks")
        await pilot.press("enter")
        await until(pilot, lambda: not app.session.view.marks, "the command chosen in help")


async def test_set_fields_proposes_only_what_was_changed(checkout: Checkout) -> None:
    app = build_app(checkout, query="org/name has:entry")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("E")
        assert isinstance(app.screen, SetFields)
        await pilot.press("left", "left", "enter")
        (change,) = app.session.pending.changes
        assert change.ops == (Operation(OpKind.SET, ORG, INFERENCE, ("status",), "EXPECTED_PASSING"),)
        assert (checkout.test_config / INFERENCE).read_text() == YAML[INFERENCE]
        await until(pilot, lambda: "1 pending" in screen_text(app), "1 pending")


async def test_a_value_that_cannot_be_is_refused_in_the_form(checkout: Checkout) -> None:
    app = build_app(checkout, query="org/name has:entry")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("E", "down", "down", "down")
        await type_text(pilot, "7")
        await pilot.press("enter")
        assert isinstance(app.screen, SetFields)
        await until(pilot, lambda: "required_pcc" in screen_text(app), "required_pcc")
        await pilot.press("escape")
        assert app.session.pending.changes == ()


async def test_a_run_that_cannot_be_is_reported(checkout: Checkout) -> None:
    app = build_app(checkout, query="gamma/jax mode:training parallelism:single_device")
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("r")
        await until(pilot, lambda: "cannot import jax" in screen_text(app), "the reason")
        await pilot.press("escape")
        assert app.screen is app.matrix_screen
        assert app.session.runs == []


async def test_reload_keeps_the_cursor_on_its_test(checkout: Checkout) -> None:
    app = build_app(checkout, query="has:entry")
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("G")
        before = app.matrix_screen.current
        path = checkout.test_config / INFERENCE
        path.write_text(YAML[INFERENCE].replace("NOT_SUPPORTED_SKIP", "EXCLUDE_MODEL"))
        matrix = app.session.matrix
        await pilot.press("f5")
        await until(pilot, lambda: app.session.matrix is not matrix, "the reload")
        assert app.matrix_screen.current == before
        assert app.session.matrix.status["n150"][app.session.matrix.rows[ORG]] == "EXCLUDE_MODEL"


@pytest.mark.parametrize("column", ["reason", EVIDENCE])
async def test_no_matrix_outlives_the_next_one(checkout: Checkout, column: str) -> None:
    app = build_app(checkout, query="group:red has:entry")
    app.session.view.columns = ("id", column)
    async with app.run_test(size=(140, 40)) as pilot:
        await until(pilot, lambda: {"models", "jobs"} <= set(app.session.view.learned), "facts")
        before = weakref.ref(app.session.matrix)
        # As in the app, where the collector hardly ever looks at what is a cycle.
        gc.disable()
        try:
            await pilot.press("f5")
            await until(pilot, lambda: before() is None, "nobody holds the one before")
        finally:
            gc.enable()


async def test_hostile_names_are_shown_as_text(tmp_path: Path) -> None:
    hostile = '"[red]x[/] \\e[31m \\u202e end"'
    text = f"test_config:\n  {TINY}:\n    status: EXPECTED_PASSING\n    reason: {hostile}\n"
    checkout = sample(tmp_path / "hostile")
    (checkout.test_config / INFERENCE).write_text(text)
    app = build_app(checkout, query="has:entry tiny mode:inference")
    async with app.run_test(size=(160, 50)) as pilot:
        await until(pilot, lambda: "effective" in screen_text(app), "the detail")
        shown = screen_text(app)
        assert "[red]x[/]" in shown
        assert "\x1b" not in shown
        assert "\u202e" not in shown


async def test_the_detail_comes_to_know_the_ci_jobs(tmp_path: Path) -> None:
    app = build_app(sample_checkout(tmp_path / "demo"), query="patch_vit status:xfail")
    async with app.run_test(size=(140, 60)) as pilot:
        await until(pilot, lambda: "scheduled CI jobs: 2" in screen_text(app), "the jobs")
        await until(
            pilot,
            lambda: "model-test-training-xfail-weekly.json" in screen_text(app),
            "model-test-training-xfail-weekly.json",
        )


async def test_the_detail_takes_the_whole_screen_and_gives_it_back(checkout: Checkout) -> None:
    app = build_app(checkout, query="net-v1.5+aug has:entry")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        await until(pilot, lambda: "effective" in screen_text(app), "the whole detail")
        assert "bring-up" not in screen_text(app)
        await pilot.press("escape")
        await until(pilot, lambda: "test id" in screen_text(app), "the table")
        assert "supported_archs" not in screen_text(app)
        await until(pilot, lambda: app.matrix_screen.table.has_focus, "the focus")
