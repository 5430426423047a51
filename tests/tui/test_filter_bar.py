# SPDX-License-Identifier: Apache-2.0
"""The filter line completes what is typed, and gives way where there is nothing to complete."""

from pathlib import Path

import pytest

from core.sources.checkout import Checkout
from tests.support.app import build_app, screen_text, type_text, until
from tests.support.tree import sample
from tui.widgets.filter_bar import QueryInput


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
        await pilot.press("f", "j", "j", "space")
        assert str(app.session.view.query) == "has:entry (mode:training or tiny) status:known_failure_xfail"
        assert len(app.session.view.rows) == 1
