# SPDX-License-Identifier: Apache-2.0
"""The form that sets fields: what has no effect is refused with the reason, unless it is asked for twice."""

from pathlib import Path

import pytest
from textual.widgets import Input

from core.edits import OpKind
from core.edits.pending import Decision
from core.sources import Checkout
from tests.support.app import build_app, screen_text, type_text, until
from tests.support.tree import sample
from tui.screens.matrix import SetFields

ORG = "org/name has:entry"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


async def test_an_edit_without_effect_is_refused_until_asked_for_again(checkout: Checkout) -> None:
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("E", "down", "down", "down")
        await type_text(pilot, "0.99")
        await pilot.press("enter")
        await until(pilot, lambda: "No effect: required_pcc is 0.99 by default" in screen_text(app), "the reason")
        assert not app.session.pending.changes
        await pilot.press("enter")
        await until(pilot, lambda: bool(app.session.pending.changes), "the proposal")
    (change,) = app.session.pending.changes
    assert [(op.op, op.path, op.value) for op in change.ops] == [(OpKind.SET, ("required_pcc",), 0.99)]


@pytest.mark.parametrize("size", [(80, 24), (100, 30)])
async def test_the_form_says_what_its_values_do_not_include(checkout: Checkout, size: tuple[int, int]) -> None:
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=size) as pilot:
        for count, said in enumerate(("", "1 pending change", "2 pending changes")):
            await pilot.press("E", "down", "down", "down")
            await until(pilot, lambda: isinstance(app.focused, Input), "the field")
            assert ("As in the files, without" in screen_text(app)) is bool(said)
            assert said in screen_text(app)
            assert "enter propose" in screen_text(app)
            await type_text(pilot, f"0.9{count}")
            await pilot.press("enter")
            await until(pilot, lambda count=count: len(app.session.pending.changes) > count, "the proposal")  # type: ignore[misc]
        for change in app.session.pending.changes:
            app.context.edits.decide(Decision.REJECTED, [change.id])
        await pilot.press("E")
        await until(pilot, lambda: isinstance(app.screen, SetFields), "the form")
        assert "As in the files" not in screen_text(app)


async def test_a_test_without_a_file_for_its_entry_is_refused_in_the_form(checkout: Checkout) -> None:
    """It was accepted, and could never be written."""
    id = "gamma/jax-Base-data_parallel-training"
    app = build_app(checkout, query=id)
    async with app.run_test(size=(160, 30)) as pilot:
        await pilot.press("E", "down", "down")
        await type_text(pilot, "why")
        await pilot.press("enter")
        await until(
            pilot, lambda: "jax/test_config_training_data_parallel.yaml for one." in screen_text(app), "the reason"
        )
        assert isinstance(app.screen, SetFields)
    assert not app.session.pending.changes


async def test_on_one_arch_the_other_keeps_what_it_has(checkout: Checkout) -> None:
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("E", "up", "right")
        await until(pilot, lambda: "values on n150" in screen_text(app), "the scope")
        # The form shows what counts there, though it is written at the entry.
        await until(pilot, lambda: "Too large for single chip" in screen_text(app), "the reason")
        await pilot.press("down", "left", "enter")
        await until(pilot, lambda: bool(app.session.pending.changes), "the proposal")
    (change,) = app.session.pending.changes
    assert [op.path[:2] for op in change.ops] == [("arch_overrides", "n150")]


async def test_what_a_field_cannot_hold_is_reported_in_place_and_stays_to_be_corrected(checkout: Checkout) -> None:
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("E", "down", "down", "down")
        await type_text(pilot, "abc")
        # Left, it says so at once; proposed, it gets the focus back.
        await pilot.press("down")
        said = "required_pcc must be a number from 0 to 1, not 'abc'"
        await until(pilot, lambda: said in screen_text(app), "what it can hold")
        await pilot.press("enter")
        line = app.screen.query_one("#field-required_pcc", Input)
        await until(pilot, lambda: app.focused is line, "the field")
        assert said in screen_text(app)
        assert line.value == "abc"
        await pilot.press("ctrl+u")
        await type_text(pilot, "0.5")
        assert said not in screen_text(app)
        await pilot.press("enter")
        await until(pilot, lambda: bool(app.session.pending.changes), "the proposal")


async def test_a_marker_that_nobody_knows_is_asked_about_once(checkout: Checkout) -> None:
    app = build_app(checkout, query=ORG)
    (checkout.root / "pytest.ini").write_text("[pytest]\nmarkers =\n    push: on pull requests\n")
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("E", *["down"] * 5)
        await type_text(pilot, "pussh")
        await pilot.press("enter")
        await until(pilot, lambda: "Did you mean push?" in screen_text(app), "the doubt")
        assert not app.session.pending.changes
        await pilot.press("enter")
        await until(pilot, lambda: bool(app.session.pending.changes), "the proposal")


async def test_another_scope_keeps_what_was_typed_and_nothing_typed_says_so(checkout: Checkout) -> None:
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("E", "enter")
        await until(pilot, lambda: "Nothing is changed yet" in screen_text(app), "the word")
        await pilot.press("down", "down")
        await type_text(pilot, "kept")
        await pilot.press(*["up"] * 3, "right")
        await until(pilot, lambda: "values on n150" in screen_text(app), "the scope")
        await until(pilot, lambda: app.screen.query_one("#field-reason", Input).value == "kept", "the text")


async def test_what_is_changed_is_dropped_only_when_asked_twice(checkout: Checkout) -> None:
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("E", "escape")
        await until(pilot, lambda: app.screen is app.matrix_screen, "an untouched form closes at once")
        await pilot.press("E", "down", "down")
        await type_text(pilot, "why")
        await pilot.press("escape")
        await until(pilot, lambda: "esc again drops what you have changed here" in screen_text(app), "the warning")
        await type_text(pilot, "!")
        await pilot.press("escape")
        await until(pilot, lambda: "esc again drops" in screen_text(app), "it is said anew after another change")
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is app.matrix_screen, "the matrix")
        assert not app.session.pending.changes
