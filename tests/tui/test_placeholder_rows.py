# SPDX-License-Identifier: Apache-2.0
"""Placeholders on the main screen: seen, removed, made entries of."""

from pathlib import Path

import pytest

from core.edits import Operation, OpKind
from core.sources import Checkout
from tests.support.app import build_app, screen_text, shown_ids, type_text, until
from tests.support.tree import INFERENCE, LOADERS, YAML, write_checkout
from tui.app.app import TTMatrixApp

FILE = "torch/test_config_placeholders.yaml"
PLACEHOLDERS = "PLACEHOLDER_MODELS:\n  org/Delta:\n    bringup_status: NOT_STARTED\n  Other Model:\n    reason: Waits\n"
TEST = "delta/pytorch-single_device-inference"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return write_checkout(tmp_path / "tt-xla", LOADERS, YAML | {FILE: PLACEHOLDERS})


def _proposed(app: TTMatrixApp) -> list[Operation]:
    return [op for change in app.session.pending.changes for op in change.ops]


async def test_one_is_seen_and_made_an_entry_of(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "2 placeholders" in screen_text(app), "their number")
        await pilot.press("slash")
        await type_text(pilot, "is:placeholder org")
        await pilot.press("enter")
        assert shown_ids(app) == ["org/Delta"]
        await pilot.press("enter")
        await until(pilot, lambda: TEST in screen_text(app), "the test of its model")
        assert all(word in screen_text(app) for word in ("org_delta", "NOT_STARTED", f"{FILE}:2"))
        await pilot.press("escape")
        depth = len(app.screen_stack)
        await pilot.press("r", "T", "X", "E", "s", "H", "L", "B")
        assert len(app.screen_stack) == depth, "these are for tests of models"
        await pilot.press("M")
        await until(pilot, lambda: "make entry" in screen_text(app), "the menu")
        await type_text(pilot, "make")
        await pilot.press("enter")
        await until(pilot, lambda: TEST in screen_text(app) and "another test" in screen_text(app), "its tests")
        await type_text(pilot, "device-inference")
        await pilot.press("enter")
        await until(pilot, lambda: "Status of the entry" in screen_text(app), "the question for a status")
        await type_text(pilot, "passing")
        await pilot.press("enter")
        await until(pilot, lambda: bool(_proposed(app)), "the change")
    assert _proposed(app) == [
        Operation(OpKind.REMOVE, "org/Delta", FILE),
        Operation(OpKind.ADD, TEST, INFERENCE, value={"status": "EXPECTED_PASSING"}),
    ]


async def test_what_no_loader_names_asks_for_a_test(checkout: Checkout) -> None:
    app = build_app(checkout, query="is:placeholder other")
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("M")
        await until(pilot, lambda: "make entry" in screen_text(app), "the menu")
        await pilot.press("enter")
        await until(pilot, lambda: "No loader has exactly this model" in screen_text(app), "the question")
        await type_text(pilot, "nothing like it")
        await pilot.press("enter")
        await until(pilot, lambda: "There is no test" in screen_text(app), "the refusal")
        await pilot.press(*["backspace"] * 20)
        await type_text(pilot, "alpha/pytorch-tiny-single_device-inference")
        await pilot.press("enter")
        await until(pilot, lambda: bool(_proposed(app)), "the change: the entry is there already")
    assert _proposed(app) == [Operation(OpKind.REMOVE, "Other Model", FILE)]


async def test_several_are_removed_after_a_question(checkout: Checkout) -> None:
    app = build_app(checkout, query="is:placeholder")
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("asterisk", "M")
        await until(pilot, lambda: "make entry" in screen_text(app), "the menu")
        await type_text(pilot, "remove")
        await pilot.press("enter")
        await until(pilot, lambda: "Remove 2 placeholders?" in screen_text(app), "the question")
        await pilot.press("y")
        await until(pilot, lambda: len(_proposed(app)) == 2, "the change")
    assert {(op.op, op.id, op.file) for op in _proposed(app)} == {
        (OpKind.REMOVE, "org/Delta", FILE),
        (OpKind.REMOVE, "Other Model", FILE),
    }
