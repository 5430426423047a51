# SPDX-License-Identifier: Apache-2.0
"""The app starts where it was left on the checkout, or with the entries if it was never opened there."""

import gc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.base.errors import TTMatrixError
from core.base.settings import paths
from core.cli import AppRequest
from core.matrix.query import Query
from core.matrix.view import ViewSpec
from core.sources import Checkout
from tests.support.app import screen_text, shown_ids, until
from tests.support.tree import sample
from tui.app import open_app
from tui.app.app import TTMatrixApp
from tui.app.last_place import FIRST_VIEW, LastPlace, place_file, read_place, write_place
from tui.screens.matrix import Spot

Open = Callable[..., TTMatrixApp]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


@pytest.fixture
def opened(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """The app as opened by a command line, to be run by a pilot."""
    apps: list[TTMatrixApp] = []
    monkeypatch.setattr("tui.app.start.Ending.run", lambda ending: apps.append(ending.app))
    before = gc.get_threshold()

    def call(**asked: object) -> TTMatrixApp:
        open_app(AppRequest(checkout.root, **asked))  # type: ignore[arg-type]
        return apps[-1]

    yield call
    gc.unfreeze()
    gc.set_threshold(*before)


def _file(checkout: Checkout) -> Path:
    return place_file(paths().places, checkout.root)


async def test_what_nobody_has_opened_begins_with_the_overview_and_the_entries(opened: Open) -> None:
    app = opened()
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: "waits for you" in screen_text(app), "the overview")
        await pilot.press("1")
        await until(pilot, lambda: "with an entry first" in screen_text(app), "the order")
        has = [app.session.view.matrix.has_entry(row) for row in app.session.view.rows]
        assert any(has) and not all(has)
        assert has == sorted(has, reverse=True)
        assert app.matrix_screen.current == shown_ids(app)[0]


async def test_it_begins_where_it_was_left(opened: Open) -> None:
    app = opened()
    async with app.run_test(size=(100, 16)) as pilot:
        await until(pilot, lambda: app.screen is not app.matrix_screen, "the overview")
        await pilot.press("1")
        app.matrix_screen.go(ViewSpec(Query.parse("mode:inference"), "p150", ("status", "id"), "status", True))
        await pilot.press("G", "k", "k", "ctrl+u", "6")
        await until(pilot, lambda: "finding" in screen_text(app), "the findings")
        left, spot, top = app.session.view.spec, app.matrix_screen.listing.spot, app.matrix_screen.table.scroll_offset.y
        assert spot.above > 0 and top > 0
        app.exit()
    again = opened()
    async with again.run_test(size=(100, 16)) as pilot:
        await until(pilot, lambda: "finding" in screen_text(again), "the screen of before")
        await pilot.press("1")
        assert again.session.view.spec == left
        assert again.matrix_screen.current == spot.cursor
        assert again.matrix_screen.listing.spot == spot
        assert again.matrix_screen.table.scroll_offset.y == top


@pytest.mark.parametrize(
    ("view", "spot"),
    [
        (ViewSpec(group="mode"), lambda app: app.matrix_screen.table.source.tree.opened),
        (ViewSpec(grid="loaders"), lambda app: app.matrix_screen.grid.column),
    ],
    ids=["groups", "grid"],
)
async def test_groups_and_grids_come_back_as_they_were(
    opened: Open, view: ViewSpec, spot: Callable[[TTMatrixApp], object]
) -> None:
    app = opened()
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.screen is not app.matrix_screen, "the overview")
        await pilot.press("1")
        app.matrix_screen.go(view)
        await until(pilot, lambda: app.matrix_screen.listing.front.has_focus, "the rows")
        await pilot.press("j", "l", "j")
        left, where = spot(app), app.matrix_screen.listing.spot
        assert left
        app.exit()
    again = opened()
    async with again.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: again.matrix_screen.listing.front.has_focus, "the rows")
        assert again.session.view.spec == app.session.view.spec
        assert spot(again) == left
        assert again.matrix_screen.listing.spot == where


async def test_a_group_that_waits_for_facts_comes_when_they_do(opened: Open, checkout: Checkout) -> None:
    write_place(_file(checkout), LastPlace("", ViewSpec(group="task")))
    app = opened()
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: app.matrix_screen.table.heading is not None, "the groups")


async def test_what_the_command_line_asks_for_comes_first(opened: Open, checkout: Checkout) -> None:
    write_place(_file(checkout), LastPlace("doctor", ViewSpec(Query.parse("mode:training"), group="mode")))
    asked = opened(query="mode:inference")
    assert asked.session.view.spec.query == Query.parse("mode:inference")
    assert (asked.session.view.group, asked.look.screen) == ("", "")
    asked = opened(screen="review", arch="p150")
    assert (asked.look.screen, asked.session.view.arch, asked.session.view.group) == ("review", "p150", "mode")
    assert opened(fresh=True).session.view.spec.query == Query()
    settings = paths().settings_file
    settings.parent.mkdir(parents=True)
    settings.write_text("restore = false\n")
    assert opened().session.view.spec.sort == FIRST_VIEW.sort


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"version": 2}',
        '{"version": 1, "view": 3}',
        '{"version": 1, "spot": {"above": "x"}}',
        "[" * 9999,
    ],
)
async def test_a_damaged_file_is_a_first_view_and_a_word(opened: Open, checkout: Checkout, text: str) -> None:
    file = _file(checkout)
    file.parent.mkdir(parents=True)
    file.write_text(text)
    app = opened()
    assert app.session.view.spec.sort == FIRST_VIEW.sort
    assert "Cannot read the last view" in app.look.notice


async def test_a_view_that_the_checkout_has_no_more_is_said_on_the_screen(opened: Open, checkout: Checkout) -> None:
    write_place(_file(checkout), LastPlace("nowhere", ViewSpec(arch="n99999"), Spot("gone", 3)))
    app = opened()
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: any("n99999" in one.message for one in app._notifications), "the word")
        assert app.session.view.arch == ""


async def test_two_apps_leave_the_place_of_the_last_one(opened: Open, checkout: Checkout) -> None:
    first, second = opened(), opened(query="mode:training")
    async with second.run_test(size=(80, 24)):
        second.exit()
    async with first.run_test(size=(80, 24)):
        first.exit()
    place = read_place(_file(checkout))
    assert place is not None and place.view == first.session.view.spec


def test_a_place_that_cannot_be_stored_does_not_keep_anybody_from_leaving(checkout: Checkout) -> None:
    file = _file(checkout)
    file.parent.parent.mkdir(parents=True)
    file.parent.write_text("")
    with pytest.raises(TTMatrixError):
        write_place(file, LastPlace())


_texts = st.text(max_size=9)


@given(
    spot=st.builds(Spot, _texts, st.integers(0, 99), st.integers(0, 9), st.lists(_texts, max_size=3).map(tuple)),
    screen=_texts,
)
def test_a_place_is_read_as_it_was_written(tmp_path_factory: pytest.TempPathFactory, spot: Spot, screen: str) -> None:
    file = tmp_path_factory.getbasetemp() / "places" / "one.json"
    place = LastPlace(screen, ViewSpec(Query.parse("status:xfail"), "n150", ("id",), "entry", True, "loader"), spot)
    write_place(file, place)
    assert read_place(file) == place
