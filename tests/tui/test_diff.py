# SPDX-License-Identifier: Apache-2.0
"""The screen of what differs: by loader, the lines of code, runs of what is touched, entries for new tests."""

import json
from pathlib import Path

import pytest
from textual.pilot import Pilot

from core.sources import Checkout
from tests.support.app import build_app, screen_text, type_text, until
from tests.support.git import git
from tests.support.states import JOB, MODELS, PRESET, commit, with_submodule
from tests.support.tree import INFERENCE, loader_source
from tui.app.app import TTMatrixApp
from tui.screens import DiffScreen, Launch

CONFIG = f"tests/runner/test_config/{INFERENCE}"
TINY = "alpha/pytorch-tiny-single_device-inference"
NEW = "omega/pytorch-Base-single_device-inference"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A last commit that does harm in one loader, and brings another one."""
    checkout = with_submodule(tmp_path / "tt-xla")
    yaml = (checkout.root / CONFIG).read_text().replace(f"{TINY}:\n", f"{TINY}:\n    markers: [push]\n", 1)
    commit(checkout, "pushed", {CONFIG: yaml})
    commit(
        checkout,
        "harm",
        {
            CONFIG: yaml.replace("markers: [push]", "markers: [push]\n    required_pcc: 0.9"),
            PRESET: json.dumps([JOB | {"test-mark": "n150 and psuh"}]),
            f"{MODELS}/alpha/pytorch/loader.py": loader_source(["tiny"]),
            f"{MODELS}/omega/pytorch/loader.py": loader_source(["Base"]),
        },
    )
    return checkout


async def shown(app: TTMatrixApp, pilot: Pilot[None], range: str = "HEAD~1..HEAD") -> DiffScreen:
    """The screen with what differs in a range."""
    app.navigation.show_diff(range)
    await until(pilot, lambda: isinstance(app.screen, DiffScreen), "the screen")
    screen = app.screen
    assert isinstance(screen, DiffScreen)
    await until(pilot, lambda: screen._found is not None and screen._range == range, "the difference")
    return screen


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_groups_by_loader_with_the_harm_first(checkout: Checkout, size: tuple[int, int]) -> None:
    app = build_app(checkout)
    async with app.run_test(size=size) as pilot:
        screen = await shown(app, pilot)
        text = screen_text(app)
        groups = [group.key for group in screen._groups.grouped.groups]
        assert groups[0] == "alpha/pytorch"
        assert set(groups) >= {"omega/pytorch", "CI jobs"}
        assert "1 test leaves CI" in text
        await pilot.press("plus")
        assert screen._listed[0].what == "leaves CI: n150"


async def test_enter_shows_the_code(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 36)) as pilot:
        await shown(app, pilot)
        await pilot.press("enter")
        await until(
            pilot, lambda: "--- a/third_party/tt_forge_models/alpha/pytorch/loader.py" in screen_text(app), "code"
        )
        assert "-    V1 = 'net-v1.5+aug'" in screen_text(app)
        await pilot.press("enter")
        await until(pilot, lambda: "--- a/" not in screen_text(app), "the words")


async def test_what_is_touched_is_run_the_riskiest_first(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await shown(app, pilot)
        assert screen._chosen()[0] == TINY
        assert NEW in screen._chosen()
        await pilot.press("r")
        await until(pilot, lambda: "within how many hours?" in screen_text(app), "the question")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Launch), "the dialog")
        assert isinstance(app.screen, Launch)
        dialog = app.screen
        assert dialog._ids[0] == TINY
        await until(pilot, lambda: dialog._plan is not None, "the plan")
        assert dialog._plan is not None and len(dialog._plan.specs) == len(dialog._ids) < 12


async def test_only_so_much_is_run_as_fits_into_the_hours(checkout: Checkout) -> None:
    """As `diff --hours` says: nothing is known of how long tests take, so ten minutes each."""
    app = build_app(checkout)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await shown(app, pilot)
        await pilot.press("r")
        await until(pilot, lambda: "within how many hours?" in screen_text(app), "the question")
        await pilot.press("ctrl+u", *"0.2", "enter")
        await until(pilot, lambda: isinstance(app.screen, Launch) and app.screen._plan is not None, "the plan")
        assert isinstance(app.screen, Launch) and app.screen._plan is not None
        assert [spec.test_id for spec in app.screen._plan.specs] == [TINY]
        assert "Not within 0.2 hours" in screen_text(app)
        assert screen._chosen()[0] == TINY


async def test_marks_choose_what_is_run(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await shown(app, pilot)
        app.session.view.marks.add(NEW)
        assert screen._chosen() == (NEW,)
        await pilot.press("space")
        assert TINY in app.session.view.marks


async def test_entries_for_new_tests(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await shown(app, pilot)
        assert NEW in screen._without_entry()
        await pilot.press("E")
        await until(pilot, lambda: app.screen is not screen and NEW in app.session.view.marks, "the form")


async def test_other_commits_are_asked_for(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await shown(app, pilot)
        await pilot.press("b")
        await until(pilot, lambda: "Compare what?" in screen_text(app), "the question")
        await pilot.press("ctrl+u")
        await type_text(pilot, "models HEAD~1..HEAD")
        await pilot.press("enter")
        await until(pilot, lambda: screen._uplift and screen._found is not None, "the uplift")
        models = [git(checkout.models, "rev-parse", one).strip()[:10] for one in ("HEAD~1", "HEAD")]
        assert f"models {models[0]}..{models[1]}" in screen_text(app)


async def test_what_cannot_be_compared_says_why(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        app.navigation.show_diff("gone..HEAD")
        await until(pilot, lambda: "No commit is named 'gone'" in screen_text(app), "the reason")
