# SPDX-License-Identifier: Apache-2.0
"""The form that sets fields: what has no effect is refused with the reason, unless it is asked for twice."""

from pathlib import Path

import pytest

from core.edits.operations import OpKind
from core.sources.checkout import Checkout
from tests.support.app import build_app, screen_text, type_text, until
from tests.support.tree import sample

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


async def test_on_one_arch_the_other_keeps_what_it_has(checkout: Checkout) -> None:
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("E", "up", "right")
        await until(pilot, lambda: "what counts on n150" in screen_text(app), "the scope")
        # The form shows what counts there, though it stands at the entry.
        await until(pilot, lambda: "Too large for single chip" in screen_text(app), "the reason")
        await pilot.press("down", "left", "enter")
        await until(pilot, lambda: bool(app.session.pending.changes), "the proposal")
    (change,) = app.session.pending.changes
    assert [op.path[:2] for op in change.ops] == [("arch_overrides", "n150")]
