# SPDX-License-Identifier: Apache-2.0
"""What is done to an entry besides setting fields, from the menu and from the command line, at both sizes."""

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from core.edits import Operation, OpKind
from core.sources import Checkout
from tests.support.app import build_app, screen_text, type_text, until
from tests.support.tree import INFERENCE, TRAINING, sample
from tui.app.app import TTMatrixApp

NAME = "alpha/pytorch-org/name-single_device-inference"
ORG = "org/name has:entry"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


async def _choose(app: TTMatrixApp, pilot: Pilot[Any], words: str, then: str) -> None:
    """Choose an action from the menu and wait for its question."""
    await pilot.press("M")
    await until(pilot, lambda: "delete" in screen_text(app) and "esc cancel" in screen_text(app), "the menu")
    await type_text(pilot, words)
    await pilot.press("enter")
    await until(pilot, lambda: then in screen_text(app), then)


def _proposed(app: TTMatrixApp) -> list[Operation]:
    return [op for change in app.session.pending.changes for op in change.ops]


@pytest.mark.slow("a job over several screens")
async def test_a_marker_more_and_one_less(checkout: Checkout) -> None:
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(80, 24)) as pilot:
        await _choose(app, pilot, "add marker", "Add which marker?")
        await type_text(pilot, "push")
        await pilot.press("enter")
        await until(pilot, lambda: len(_proposed(app)) == 1, "the marker")
        await _choose(app, pilot, "remove marker", "Remove which marker?")
        await type_text(pilot, "large")
        await pilot.press("enter")
        await until(pilot, lambda: len(_proposed(app)) == 2, "the other marker")
    assert _proposed(app) == [
        Operation(OpKind.ADD, NAME, INFERENCE, ("markers",), "push"),
        Operation(OpKind.REMOVE, NAME, INFERENCE, ("markers",), "large"),
    ]


@pytest.mark.slow("a job over several screens")
async def test_rename_and_move(checkout: Checkout) -> None:
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(80, 24)) as pilot:
        await _choose(app, pilot, "rename", "Rename the entry to")
        await pilot.press("end")
        await type_text(pilot, "-x")
        await pilot.press("enter")
        await until(pilot, lambda: len(_proposed(app)) == 1, "the rename")
        await pilot.press("5")
        await until(pilot, lambda: f"no test has the id {NAME}-x" in " ".join(screen_text(app).split()), "the warning")
        await pilot.press("1")
        await _choose(app, pilot, "move", "Move to which file?")
        await pilot.press("enter")
        await until(pilot, lambda: len(_proposed(app)) == 2, "the move")
    assert _proposed(app) == [
        Operation(OpKind.RENAME, NAME, INFERENCE, to=f"{NAME}-x"),
        Operation(OpKind.MOVE, NAME, INFERENCE, to=TRAINING),
    ]


@pytest.mark.slow("a job over several screens")
async def test_enter_does_not_delete(checkout: Checkout) -> None:
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(80, 24)) as pilot:
        await _choose(app, pilot, "delete", "Delete the entry?")
        await pilot.press("enter", "escape")
        assert _proposed(app) == []
        await _choose(app, pilot, "delete", "Delete the entry?")
        await pilot.press("y")
        await until(pilot, lambda: bool(_proposed(app)), "the proposal")
    assert _proposed(app) == [Operation(OpKind.REMOVE, NAME, INFERENCE)]


async def test_the_menu_is_in_the_command_line(checkout: Checkout) -> None:
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("colon")
        await type_text(pilot, "marker or arch")
        await until(pilot, lambda: "Change markers or archs" in screen_text(app), "the command")
        await pilot.press("enter")
        await until(pilot, lambda: "remove arch" in screen_text(app), "the menu")


async def test_what_is_so_already_is_said(checkout: Checkout) -> None:
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await _choose(app, pilot, "add marker", "Add which marker?")
        await type_text(pilot, "large")
        await pilot.press("enter")
        await until(pilot, lambda: "already says this" in screen_text(app), "the word")
    assert _proposed(app) == []


async def test_a_marker_is_refused_or_doubted_where_it_is_typed(checkout: Checkout) -> None:
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(80, 24)) as pilot:
        await _choose(app, pilot, "add marker", "Add which marker?")
        for text, said in (
            ("large", "already says this"),
            ("pussh", "Did you mean push?"),
            ("push nightly", "one at a time"),
        ):
            await pilot.press("ctrl+u")
            await type_text(pilot, text)
            await pilot.press("enter")
            await until(pilot, lambda said=said: said in screen_text(app), said)  # type: ignore[misc]
            assert text in screen_text(app)
            assert not _proposed(app)
        await pilot.press("ctrl+u")
        await type_text(pilot, "mine")
        await pilot.press("enter")
        await until(pilot, lambda: "Enter again" in screen_text(app), "the doubt")
        await pilot.press("enter")
        await until(pilot, lambda: [op.value for op in _proposed(app)] == ["mine"], "the marker")


async def test_a_name_that_is_taken_stays_to_be_corrected(checkout: Checkout) -> None:
    app = build_app(checkout, query=ORG)
    async with app.run_test(size=(80, 24)) as pilot:
        other = next(id for id in app.session.matrix.entries if id != NAME)
        await _choose(app, pilot, "rename", "Rename the entry to")
        await pilot.press("ctrl+u")
        await type_text(pilot, other)
        await pilot.press("enter")
        await until(pilot, lambda: "has an entry already" in screen_text(app), "why not")
        assert not _proposed(app)
        await pilot.press("end")
        await type_text(pilot, "2")
        await pilot.press("enter")
        await until(pilot, lambda: [op.to for op in _proposed(app)] == [f"{other}2"], "the other name")
