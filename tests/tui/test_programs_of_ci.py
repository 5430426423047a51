# SPDX-License-Identifier: Apache-2.0
"""IR that CI left opens on the screen of programs, from the night and from a test: asked about, fetched, then there."""

import threading
from pathlib import Path

import pytest

from core.evidence import Page
from core.sources import Checkout
from tests.support.app import build_app, screen_text, until
from tests.support.ci_night import Night, ingest
from tests.support.cli import call
from tests.support.github_server import GitHub, reached
from tests.support.sample import sample_checkout as sample
from tui.screens import ProgramsScreen

hub = pytest.fixture(reached)
ID = "text_cnn/pytorch-Wide-single_device-inference"
PROGRAM = b"module @CiLeft {\n  %0 = stablehlo.add %a, %b : tensor<f32>\n}\n"


@pytest.fixture
def checkout(hub: GitHub, tmp_path: Path) -> Checkout:
    """Two nights; the job of the second one has left the IR of two models."""
    found = sample(tmp_path / "tt-xla")
    Night(hub, 20).models("n150", {ID: "pass"})
    job = Night(hub, 21).models("n150", {ID: "RuntimeError: boom"})
    name = call("show", ID, "--json", "--repo", found.root).json["model_info"]["name"]
    files = {f"{name}/forward.stablehlo.mlir": PROGRAM, "another_model/forward.stablehlo.mlir": b"module @Other {\n}\n"}
    hub.add_artefact(21, 999, f"ir-dumps-a1b2c3-1.0-n150-n150_and_nightly-{job}", files)
    ingest(found)
    return found


async def test_from_the_night_and_from_the_test(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    app = build_app(checkout, query=ID)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("f7")
        await until(pilot, lambda: "run_forge_models 0 on n150" in screen_text(app), "the job")
        while "run_forge_models" not in screen_text(app).split("─ ")[1]:
            await pilot.press("j")
            await pilot.pause()
        await pilot.press("p")
        await until(pilot, lambda: "Fetch the IR of this job?" in screen_text(app), "the question")
        assert "1 artefact" in screen_text(app)
        await pilot.press("y")
        await until(pilot, lambda: "programs of" in screen_text(app), "the programs")
        programs = app.navigation.screen(ProgramsScreen)
        await until(pilot, lambda: len(programs.table.source) == 2, "those of both models")
        await pilot.press("escape", "1", "p")
        # It is here: nobody is asked, and only the model of the test is shown.
        await until(pilot, lambda: "1 program of" in screen_text(app) and "@CiLeft" in screen_text(app), "its text")
        assert "@Other" not in screen_text(app)
        pages: list[Page] = []
        monkeypatch.setattr(app.notifications, "open_page", pages.append)
        await pilot.press("o")
        await until(pilot, lambda: bool(pages), "the page of the job")
        assert pages[0].url == "https://github.com/team/tt-xla/actions/runs/21/job/21001"


async def test_a_job_without_ir_says_so(hub: GitHub, tmp_path: Path) -> None:
    found = sample(tmp_path / "tt-xla")
    Night(hub, 21).models("n150", {ID: "pass"})
    ingest(found)
    app = build_app(found, query=ID)
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await pilot.press("1", "p")
        await until(pilot, lambda: "has left no IR" in screen_text(app), "that there is none")


async def test_what_comes_slowly_is_said_until_it_is_there(
    hub: GitHub, checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.screens.ci_programs._SAID_SECONDS", 0.2)
    asked, go_on = threading.Event(), threading.Event()

    def held(id: int) -> None:
        if id == 999:
            asked.set()
            assert go_on.wait(60)

    hub.before_archive = held
    app = build_app(checkout, query=ID)
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await pilot.press("1", "p")
        await until(pilot, lambda: "Fetch the IR of this job?" in screen_text(app), "the question")
        assert "0.0 MB" not in screen_text(app) and " bytes." in screen_text(app)
        await pilot.press("y")
        await until(pilot, asked.is_set, "that it is asked for")
        for _ in range(3):
            await until(pilot, lambda: "GitHub has not answered yet" in screen_text(app), "that nothing has come")
            # Longer than a message stays.
            await pilot.pause(0.3)
        go_on.set()
        await until(pilot, lambda: "@CiLeft" in screen_text(app), "the program")
        await until(pilot, lambda: "Fetching the IR" not in screen_text(app), "nothing is said any more")


async def test_what_is_broken_ends_with_its_error(hub: GitHub, checkout: Checkout) -> None:
    hub.archives[999] = b"<html>sign in</html>"
    app = build_app(checkout, query=ID)
    async with app.run_test(size=(120, 36), notifications=True) as pilot:
        await pilot.press("1", "p")
        await until(pilot, lambda: "Fetch the IR of this job?" in screen_text(app), "the question")
        await pilot.press("y")
        await until(pilot, lambda: "not a readable archive" in screen_text(app), "the error")
        await pilot.press("escape")
        await until(pilot, lambda: "Fetching the IR" not in screen_text(app), "nothing is said any more")
