# SPDX-License-Identifier: Apache-2.0
"""The dialog before a launch: what it shows is what runs; what is in the way keeps a launch from starting."""

import shlex
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from core.base.errors import UsageError
from core.base.settings import Profile, Settings
from core.runs import shell_command
from core.runs.planning import EXPORT_KINDS, KINDS, LaunchPlan, plan_launch
from core.sources import Checkout
from tests.support.app import build_app, screen_text, until
from tests.support.fake_python import use_fake_python, without_package
from tests.support.tree import INFERENCE, sample
from tui.screens import Launch
from tui.widgets import CachedText, Cycle, DialogBox, TextPane

PASSES = "tiny has:entry mode:training"


@pytest.fixture
def checkout(tmp_path: Path, own_home: Path) -> Checkout:
    use_fake_python(own_home, tmp_path)
    return sample(tmp_path / "tt-xla")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(
        python=str(tmp_path / "python"),
        profiles={"long": Profile(timeout=7200.0), "two": Profile(options={"optimization_level": 2})},
    )


@pytest.mark.parametrize("size", [(120, 40), (200, 55)])
async def test_the_box_is_as_large_as_its_plan_and_does_not_shrink(
    checkout: Checkout, settings: Settings, size: tuple[int, int]
) -> None:
    app = build_app(checkout, query=PASSES, settings=settings)
    async with app.run_test(size=size) as pilot:
        await pilot.press("R")
        await until(pilot, lambda: "1 run" in screen_text(app), "the plan")
        await pilot.pause()
        box, plan = app.screen.query_one(DialogBox), app.screen.query_one(TextPane)
        assert box.outer_size.height < size[1] * 0.9
        assert plan.size.height in (plan.virtual_size.height, plan.virtual_size.height + 1), "all of it, and no more"
        assert "esc cancel" in screen_text(app)
        await pilot.press("down", "down", "right", "down", "9")
        await until(pilot, lambda: "9 runs" in screen_text(app), "the new plan")
        await pilot.pause()
        large = box.outer_size
        assert large.height <= size[1] and "esc cancel" in screen_text(app)
        await pilot.press("backspace")
        await until(pilot, lambda: "1 run" in screen_text(app), "the first plan again")
        await pilot.pause()
        assert box.outer_size == large


@pytest.mark.slow("runs are started")
async def test_what_is_shown_is_what_runs(checkout: Checkout, settings: Settings, own_home: Path) -> None:
    app = build_app(checkout, query=PASSES, settings=settings)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("R")
        await until(pilot, lambda: "1 run" in screen_text(app), "the plan")
        await pilot.press("down", "down", "right", "down", "2", "down", "9", "0")
        await until(pilot, lambda: "2 runs" in screen_text(app), "the new plan")
        # The plan may still be on its way: what is wanted of it is done once it is there.
        clip = own_home / "cache" / "clip.txt"
        await pilot.press("y")
        await until(pilot, clip.is_file, "the copy")
        assert "ready to run" in screen_text(app)
        copied = clip.read_text().splitlines()
        shown = app.screen.query_one(TextPane).text
        assert all(shlex.split(line)[:3] == ["cd", str(checkout.root), "&&"] for line in copied)
        assert all(line in shown for line in copied)
        await pilot.press("enter")
        await until(pilot, lambda: len(app.session.runs) == 2, "the runs")
        specs = [record.spec for record in app.session.runs]
        assert sorted(map(shell_command, specs)) == sorted(copied)
        assert {(spec.timeout, spec.kind) for spec in specs} == {(90.0, "cpu")}
        assert all((record.directory / "provenance.json").is_file() for record in app.session.runs)
        await until(pilot, lambda: not any(record.active for record in app.session.runs), "their ends")


@pytest.mark.slow("runs are started")
async def test_keys_typed_ahead_start_the_plan_once_it_is_there(checkout: Checkout, settings: Settings) -> None:
    app = build_app(checkout, query=PASSES, settings=settings)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("R", "enter")
        await until(pilot, lambda: len(app.session.runs) == 1, "the run")
        await until(pilot, lambda: not app.session.runs[0].active, "its end")


async def test_what_is_in_the_way_is_reported_with_its_remedy_and_nothing_starts(
    checkout: Checkout, settings: Settings, tmp_path: Path
) -> None:
    without_package(tmp_path / "python", "pytest")
    app = build_app(checkout, query=PASSES, settings=settings)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("R", "right", "right")
        await until(pilot, lambda: "blocker" in screen_text(app), "the obstacle")
        assert "cannot import" in screen_text(app)
        await pilot.press("enter")
        await until(pilot, lambda: "cannot start here" in screen_text(app), "the refusal")
        await pilot.press("escape")
        await pilot.pause()
        assert not isinstance(app.screen, Launch)
        assert app.session.runs == []


@pytest.mark.slow("runs are started")
async def test_tests_that_cannot_run_are_left_out_with_the_reason(checkout: Checkout, settings: Settings) -> None:
    file = checkout.test_config / INFERENCE
    file.write_text(f"{file.read_text()}  absent/pytorch-single_device-inference:\n    status: EXPECTED_PASSING\n")
    app = build_app(checkout, query="absent", settings=settings)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("asterisk", "R")
        await until(pilot, lambda: "left out" in screen_text(app), "the reason")
        await until(pilot, lambda: "Nothing can be run" in screen_text(app), "all of it")
        await pilot.press("enter", "escape")
        assert app.session.runs == []


async def test_a_kind_that_exports_has_fields_for_it_and_a_path_takes_any_letter(
    checkout: Checkout, settings: Settings, tmp_path: Path
) -> None:
    app = build_app(checkout, query=PASSES, settings=settings)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("R")
        await until(pilot, lambda: "sweep" in screen_text(app), "the fields")
        assert "export to" not in screen_text(app)
        await pilot.press(*["right"] * (1 + list(KINDS).index("export")))
        await until(pilot, lambda: "export to" in screen_text(app), "the fields of an export")
        assert "sweep" not in screen_text(app)
        await pilot.press(*["down"] * 6, *"/any", "down", "right", "right")
        place = "/any/alpha_pytorch-tiny-single_device-training"
        await until(pilot, lambda: f"--export-path={place}" in app.screen.query_one(TextPane).text, "the path")
        assert "--export-tensors=false" in app.screen.query_one(TextPane).text
        assert not (tmp_path / "cache/clip.txt").exists()


async def test_a_profile_that_compiles_runs_where_models_are_compiled(checkout: Checkout, settings: Settings) -> None:
    app = build_app(checkout, query=PASSES, settings=settings)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("R")
        await until(pilot, lambda: "1 run: the loader's model" in screen_text(app), "the plan of no profile")
        assert "device for profiles that compile" in screen_text(app)
        await pilot.press("down", "down", "right", "right")
        await until(
            pilot, lambda: "own runner through pytest" in screen_text(app), "the plan of a profile that compiles"
        )
        assert "--compile-option=optimization_level=2" in app.screen.query_one(TextPane).text
        await pilot.press("up", "up", "right")
        await until(pilot, lambda: "--kind cpu does not take" in screen_text(app), "the refusal of what was asked for")


async def test_it_says_that_it_plans(checkout: Checkout, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    may_go_on = threading.Event()

    def slow(*arguments: object, **options: object) -> object:
        assert may_go_on.wait(60)
        return plan_launch(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("tui.screens.launch.plan_launch", slow)
    app = build_app(checkout, query=PASSES, settings=settings)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("R")
        await until(pilot, lambda: "planning …" in screen_text(app), "that it plans")
        may_go_on.set()
        await until(pilot, lambda: "1 run" in screen_text(app) and "planning" not in screen_text(app), "the plan")


async def test_the_dialog_plans_once_and_not_before_it_is_painted(
    checkout: Checkout, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    planner, once_painted = Launch.planner, Launch.once_painted

    def noted(launch: Launch) -> Callable[[], LaunchPlan]:
        steps.append("planned")
        return planner(launch)

    def painted(launch: Launch) -> None:
        steps.append("painted")
        once_painted(launch)

    monkeypatch.setattr(Launch, "planner", noted)
    monkeypatch.setattr(Launch, "once_painted", painted)
    app = build_app(checkout, query=PASSES, settings=settings)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("R")
        await until(pilot, lambda: "1 run" in screen_text(app) and "planning" not in screen_text(app), "the plan")
        assert steps == ["painted", "planned"]


async def test_a_field_for_exports_comes_with_the_kind_that_exports(checkout: Checkout, settings: Settings) -> None:
    app = build_app(checkout, query=PASSES, settings=settings)
    async with app.run_test(size=(100, 40)) as pilot:

        def names() -> list[str]:
            return str(app.screen.query_one("#field-names", CachedText).content).split("\n")

        def fields() -> list[str | None]:
            return [one.id for one in app.screen.query("#fields > *") if one.display]

        await pilot.press("R")
        assert names() == ["kind", "arch", "profile", "repeat", "timeout", "on failure", "compare", "sweep"]
        assert fields() == ["kind", "arch", "profile", "repeat", "timeout", "stop", "other", "sweep"]
        kind = app.screen.query_one("#kind", Cycle)
        while kind.value not in EXPORT_KINDS:
            await pilot.press("right")
        assert names()[5:] == ["on failure", "export to", "tensors"]
        assert fields()[5:] == ["stop", "export-path", "export-tensors"]
        while kind.value in EXPORT_KINDS:
            await pilot.press("left")
        assert names()[5:] == ["on failure", "compare", "sweep"]
        assert fields()[5:] == ["stop", "other", "sweep"]


async def test_why_there_is_no_plan_is_said_in_its_place(
    checkout: Checkout, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused_twice(*arguments: Any, **options: object) -> LaunchPlan:
        if arguments[3].repeat == 2:
            raise UsageError("Nothing runs twice here", "The machine is too small.")
        return plan_launch(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("tui.screens.launch.plan_launch", refused_twice)
    app = build_app(checkout, query=PASSES, settings=settings)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("R", "down", "down", "down", "2")
        await until(pilot, lambda: "Nothing runs twice here. The machine is too small." in screen_text(app), "why")
        assert "planning" not in screen_text(app)
        await pilot.press("enter")
        assert isinstance(app.screen, Launch)
        await pilot.press("backspace", "1")
        await until(pilot, lambda: "1 run" in screen_text(app), "a plan after all")
        assert not app.session.runs


async def test_a_letter_in_a_number_is_answered(checkout: Checkout, settings: Settings) -> None:
    app = build_app(checkout, query=PASSES, settings=settings)
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("R", "down", "down", "down", "7")
        assert app.screen.query_one("#repeat", Input).value == "7"
        assert not app._notifications
        await pilot.press("x")
        assert [one.message for one in app._notifications] == ["Only digits can be typed here."]
        assert app.screen.query_one("#repeat", Input).value == "7"


async def test_a_profile_that_is_added_while_the_app_is_open_can_be_chosen(
    checkout: Checkout, settings: Settings, own_home: Path
) -> None:
    app = build_app(checkout, query=PASSES, settings=settings)
    file = own_home / "config" / "settings.toml"
    file.parent.mkdir(exist_ok=True)
    async with app.run_test(size=(100, 30)) as pilot:
        file.write_text(f'python = "{settings.python}"\n[profiles.added]\ntimeout = 60.0\n')
        await until(pilot, lambda: "added" in app.session.settings.profiles, "the new profile")
        await pilot.press("R", "down", "down", "right")
        await until(pilot, lambda: app.screen.query_one("#profile", Cycle).value == "added", "its choice")
        await pilot.press("escape")
        file.write_text("[profiles.added]\ntimeout = 'soon'\n")
        await until(pilot, lambda: any("timeout" in one.message for one in app._notifications), "what is wrong")
        assert "added" in app.session.settings.profiles, "the last ones that were right"
