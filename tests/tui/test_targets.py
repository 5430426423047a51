# SPDX-License-Identifier: Apache-2.0
"""The target of an action is named first, hidden marks are counted and asked about, and an empty target is reported."""

from pathlib import Path

import pytest

from core.matrix import index
from core.matrix.query import Query
from core.matrix.view import Targets, View
from core.sources import Checkout
from tests.support.app import build_app, screen_text, type_text, until
from tests.support.tree import sample
from tui.commands import Need
from tui.screens import Launch, Pick
from tui.screens.matrix import SetFields
from tui.screens.target_question import TargetQuestion

_ACTIONS = "rREMT"
TINY, NET, ORG = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug", "org/name"))


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


def test_marks_come_before_the_cursor_and_hidden_ones_are_known(checkout: Checkout) -> None:
    view = View(index(checkout))
    assert (view.targets([ORG]).plain, view.targets([ORG]).name) == (True, ORG)
    assert view.targets([ORG, NET]).name == "2 tests"
    view.mark([NET, TINY])
    view.filter(Query.parse(f'"{NET}"'))
    found = view.targets([NET])
    assert (found.ids, found.hidden, found.plain) == ((NET, TINY), (TINY,), False)
    assert found.name == "2 marked tests (1 hidden by the filter)"
    assert found.listing == f"Hidden by the filter:\n{TINY}"
    assert found.visible == Targets((NET,), (), marked=True)
    # One mark that the cursor is not on must not pass for the row that a person looks at.
    view.marks = {NET}
    assert [view.targets([one]).plain for one in (NET, ORG)] == [True, False]


def test_a_long_list_is_cut_and_says_so() -> None:
    assert Targets(tuple(f"id-{at}" for at in range(9))).listing.endswith("id-5\nand 3 more")


@pytest.mark.parametrize("key", _ACTIONS)
async def test_every_action_counts_hidden_marks_and_asks(checkout: Checkout, key: str) -> None:
    app = build_app(checkout, query="mode:training has:entry")
    async with app.run_test(size=(100, 30)) as pilot:
        everything = [app.session.matrix.ids[row] for row in app.session.view.rows]
        await pilot.press("asterisk", "slash", "ctrl+u")
        await type_text(pilot, "no such test")
        await pilot.press("enter", key)
        await until(pilot, lambda: isinstance(app.screen, TargetQuestion), "the question")
        text = screen_text(app)
        assert f"{len(everything):,} marked test" in text or key == "T"
        assert "hidden by the filter)?" in text
        assert everything[0][:60] in text or key == "T"
        # None of them is visible: there is no choice of those.
        assert "visible" not in text
        await pilot.press("v", "escape")
        assert app.screen is app.matrix_screen
        assert (app.session.runs, app.session.pending.changes) == ([], ())


@pytest.mark.parametrize(("key", "form"), [("r", Launch), ("R", Launch), ("E", SetFields), ("M", Pick)])
async def test_only_the_visible_ones_can_be_meant(checkout: Checkout, key: str, form: type) -> None:
    app = build_app(checkout, query="has:entry")
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("asterisk", "slash", "ctrl+u")
        await type_text(pilot, "org/name has:entry")
        await pilot.press("enter", key)
        await until(pilot, lambda: isinstance(app.screen, TargetQuestion), "the question")
        await pilot.press("v")
        await until(pilot, lambda: isinstance(app.screen, form), "the form")
        left = [app.session.matrix.ids[row] for row in app.session.view.rows]
        await until(
            pilot, lambda: (left[0] if len(left) == 1 else f"{len(left)} marked tests") in screen_text(app), "it"
        )


@pytest.mark.parametrize(
    ("key", "need"),
    [*((key, Need.TESTS) for key in _ACTIONS), *((key, Need.TEST) for key in "yYeL"), ("space", Need.ROWS)],
)
async def test_an_action_on_nothing_says_so_and_asks_nothing(checkout: Checkout, key: str, need: Need) -> None:
    app = build_app(checkout, query="nosuchtestanywhere")
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press(key)
        await until(pilot, lambda: need.value in screen_text(app), "the word")
        assert app.screen is app.matrix_screen


async def test_a_workflow_is_for_training_entries_and_says_so_before_it_asks(checkout: Checkout) -> None:
    app = build_app(checkout, query="mode:inference")
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("asterisk", "T")
        await until(pilot, lambda: "No workflow fits" in screen_text(app), "the word")
        assert app.screen is app.matrix_screen


async def test_several_visible_tests_are_named_before_a_workflow_begins(checkout: Checkout) -> None:
    app = build_app(checkout, query="mode:training has:entry")
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("asterisk", "T")
        await until(pilot, lambda: isinstance(app.screen, TargetQuestion), "the question")
        assert "Start a workflow on " in screen_text(app)
        await pilot.press("escape")
        assert app.screen is app.matrix_screen
