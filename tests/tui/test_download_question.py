# SPDX-License-Identifier: Apache-2.0
"""What runs download is asked about once, and nothing starts before a yes."""

from pathlib import Path
from threading import Event
from typing import Any

import pytest

from core.base.settings import Settings
from core.runs import planning
from core.runs.planning import LaunchPlan, scale
from core.sources import Checkout
from tests.support.app import build_app, screen_text, until
from tests.support.fake_python import use_fake_python
from tests.support.tree import sample
from tui.app.app import TTMatrixApp
from tui.screens import Confirm, dialogs

PASSES = "alpha tiny mode:inference parallelism:single_device function:test_all_models_torch"
FETCHES = '\n_ = lambda: AutoModel.from_pretrained("org/some")\n'


@pytest.fixture
def checkout(tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    # Nobody is there to say how large things are.
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    use_fake_python(own_home, tmp_path)
    checkout = sample(tmp_path / "tt-xla")
    place = checkout.models / "alpha/pytorch"
    (place / "requirements.txt").write_text("sacremoses==0.1.1\n")
    with (place / "loader.py").open("a") as loader:
        loader.write(FETCHES)
    return checkout


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(python=str(tmp_path / "python"))


def asked(app: TTMatrixApp) -> bool:
    return isinstance(app.screen, Confirm)


@pytest.mark.slow("runs are started")
async def test_a_run_asks_first(checkout: Checkout, settings: Settings) -> None:
    app = build_app(checkout, query=PASSES, settings=settings)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("r")
        await until(pilot, lambda: asked(app), "the question")
        await until(pilot, lambda: "Download this first?" in screen_text(app), "its text")
        text = " ".join(screen_text(app).split())
        assert "1 package: sacremoses==0.1.1" in text
        assert "1 checkpoint: org/some" in text
        await pilot.press("escape")
        await until(pilot, lambda: not asked(app), "its end")
        assert app.session.runs == []
        await pilot.press("r")
        await until(pilot, lambda: asked(app), "the question again")
        await pilot.press("y")
        await until(pilot, lambda: len(app.session.runs) == 1, "the run")
        await until(pilot, lambda: not app.session.runs[0].active, "its end")


@pytest.mark.slow("runs are started")
async def test_a_plan_that_says_it_is_asked_about_once_more_where_sizes_are_unknown(
    checkout: Checkout, settings: Settings
) -> None:
    app = build_app(checkout, query=PASSES, settings=settings)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("R")
        await until(pilot, lambda: "download: 1 package: sacremoses" in screen_text(app), "the plan")
        await pilot.press("enter")
        await until(pilot, lambda: asked(app) and "Downloads  2: 2 of unknown size" in screen_text(app), "the numbers")
        await pilot.press("y")
        await until(pilot, lambda: len(app.session.runs) == 1, "the run")
        await until(pilot, lambda: not app.session.runs[0].active, "its end")


@pytest.mark.slow("runs are started")
async def test_runs_of_a_session_plan(checkout: Checkout, settings: Settings, own_home: Path) -> None:
    (own_home / "config/hosts.toml").write_text('[hosts.here]\nlocal = true\nlabels = ["n150"]\n')
    app = build_app(checkout, query=PASSES, settings=settings)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f3")
        await until(pilot, lambda: "alpha/pytorch-tiny" in screen_text(app), "the plan")
        await pilot.press("enter")
        await until(pilot, lambda: asked(app), "the question")
        await until(pilot, lambda: "download: 1 checkpoint: org/some" in screen_text(app), "its text")
        await pilot.press("y")
        await until(pilot, lambda: len(app.session.runs) > 0, "runs, without another question")
        await until(pilot, lambda: not any(record.active for record in app.session.runs), "their ends")


async def test_a_plan_that_takes_long_says_what_it_does(
    checkout: Checkout, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Event()
    ahead = planning.look_ahead

    def slow(*args: Any, **kwargs: Any) -> LaunchPlan:
        assert read.wait(60), "nobody said anything"
        return ahead(*args, **kwargs)

    monkeypatch.setattr(planning, "look_ahead", slow)
    app = build_app(checkout, query=PASSES, settings=settings)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.press("r")
        await until(pilot, lambda: "Looking up what the run" in screen_text(app), "the message")
        read.set()
        await until(pilot, lambda: asked(app), "the question")


async def test_many_tests_are_asked_about_with_their_numbers(
    checkout: Checkout, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scale, "MANY", 2)
    monkeypatch.setattr(dialogs, "MANY", 2)
    app = build_app(checkout, query="alpha tiny", settings=settings)
    async with app.run_test(size=(100, 30)) as pilot:
        tests = len(app.session.view.rows)
        assert tests > 2
        await pilot.press("asterisk", "r", "enter")
        await until(pilot, lambda: asked(app), "the question")
        await until(pilot, lambda: f"Start {tests} runs?" in screen_text(app), "its text")
        shown = screen_text(app)
        assert f"Tests      {tests}" in shown
        assert "Time       unknown: no run like these has ended yet" in shown
        assert "Disk       about" in shown and "free" in shown
        assert "Downloads  2: 2 of unknown size" in shown
        await pilot.press("escape")
        await until(pilot, lambda: not asked(app), "its end")
        assert app.session.runs == []
