# SPDX-License-Identifier: Apache-2.0
"""Tests under several profiles on a screen: the table, logs and programs side by side, export, and the way there."""

import csv
import json
import shutil
from pathlib import Path

import pytest

from core.base.settings import Profile, Settings, paths
from core.sources import Checkout
from tests.support.app import SIZES, build_app, screen_text, type_text, until
from tests.support.fake_python import use_fake_python
from tests.support.recorded import record_profiles, record_runs
from tests.support.sample import sample_checkout
from tests.support.tree import sample
from tui.screens import ProfilesScreen
from tui.screens.side_by_side import SideBySide

TEST = "patch_vit/pytorch-Small_Patch8-single_device-training"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    found = sample_checkout(tmp_path / "tt-xla")
    record_runs(found)
    record_profiles(found)
    return found


@SIZES
async def test_the_newest_batch_with_what_differs(checkout: Checkout, size: tuple[int, int]) -> None:
    app = build_app(checkout)
    async with app.run_test(size=size) as pilot:
        await pilot.press("8", "p")
        await until(pilot, lambda: "1 test, 2 profiles" in screen_text(app), "the table")
        assert ("-40%" if size[0] > 100 else "0.122▼") in screen_text(app)
        assert "600=" in screen_text(app).replace(" ", "")
        await pilot.press("j")
        await until(pilot, lambda: "under fast: 3 runs" in screen_text(app), "each run")
        said = " ".join(screen_text(app).split())
        assert "0.122, the median of 3 runs (0.12, 0.122, 0.124): 39.6% less than the 0.202 of default" in said
        if size[1] > 24:
            assert "600, the median of 3 runs (600, 600, 600): the same as the 600 of default" in said
        await pilot.press("i")
        await until(pilot, lambda: "Compare which program?" in screen_text(app), "the choice")
        await type_text(pilot, "stablehlo")
        await pilot.press("enter")
        await until(pilot, lambda: "1 removed" in screen_text(app), "the programs")
        assert "stablehlo.convert" in screen_text(app)
        await pilot.press("n", "right", "left", "u", "escape", "enter")
        await until(pilot, lambda: isinstance(app.screen, SideBySide) and "Two logs" in screen_text(app), "the logs")
        assert "profile: default" in screen_text(app)
        await pilot.press("q", "escape", "escape")
        await until(pilot, lambda: app.screen is app.matrix_screen, "the way back")


async def test_sorted_and_exported(checkout: Checkout, tmp_path: Path, own_home: Path) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(160, 50)) as pilot:
        await pilot.press("8", "p")
        await until(pilot, lambda: "1 test, 2 profiles" in screen_text(app), "the table")
        screen = app.navigation.screen(ProfilesScreen)
        await pilot.press(*["greater_than_sign"] * 4)
        await until(pilot, lambda: "by run_s" in screen_text(app), "the order")
        assert [screen.table.source.key(at).split()[1:] for at in range(2)] == [["fast"], []]
        await pilot.press("O")
        await until(pilot, lambda: "by run_s ↓" in screen_text(app), "the other order")
        assert [screen.table.source.key(at).split()[1:] for at in range(2)] == [[], ["fast"]]
        await pilot.press("x", "ctrl+u")
        await type_text(pilot, str(tmp_path / "table.txt"))
        await pilot.press("enter")
        await until(pilot, lambda: "must end with .csv or .md" in screen_text(app), "what is wrong")
        await pilot.press("ctrl+u")
        await type_text(pilot, str(tmp_path / "table.csv"))
        await pilot.press("enter")
        await until(pilot, (tmp_path / "table.csv").is_file, "the file")
        await pilot.press("y")
        await until(pilot, (own_home / "cache" / "clip.txt").is_file, "the copy")
    with (tmp_path / "table.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["profile"], row["runs"]) for row in rows] == [("default", "3"), ("fast", "3")]
    assert (own_home / "cache" / "clip.txt").read_text().startswith("| test | profile | runs |")


@pytest.mark.slow("screens are shown")
async def test_from_a_run_to_its_batch_and_to_its_programs(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("2")
        await until(pilot, lambda: "10 runs" in screen_text(app), "the runs")
        await pilot.press("G", "p")
        await until(pilot, lambda: "1 test, 2 profiles" in screen_text(app), "the batch")
        await pilot.press("b", "enter", "escape")
        await until(pilot, lambda: "10 runs" in screen_text(app), "back")
        await pilot.press("i")
        await until(pilot, lambda: "2 programs of" in screen_text(app), "the programs")


async def test_without_a_batch_it_says_how_to_start_one(tmp_path: Path) -> None:
    app = build_app(sample_checkout(tmp_path / "tt-xla"))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("8", "p")
        await until(pilot, lambda: "R in the matrix starts one" in screen_text(app), "the hint")
        await pilot.press("b", "i", "enter", "x", "escape")


@pytest.mark.slow("runs are started")
async def test_marked_tests_with_a_sweep_are_started_and_shown(tmp_path: Path, own_home: Path) -> None:
    use_fake_python(own_home, tmp_path)
    settings = Settings(python=str(tmp_path / "python"), profiles={"two": Profile(batch_size=2)})
    app = build_app(sample(tmp_path / "tt-xla"), query="tiny has:entry mode:training", settings=settings)
    async with app.run_test(size=(100, 40)) as pilot:
        await pilot.press("R", *["down"] * 6, "right", "right")
        await until(pilot, lambda: "2 runs" in screen_text(app), "the plan")
        await pilot.press("enter")
        await until(pilot, lambda: "1 test, 2 profiles" in screen_text(app), "the table")
        await until(pilot, lambda: not any(one.active for one in app.session.runs), "their ends")
        assert sorted(one.spec.profile for one in app.session.runs) == ["", "two"]


async def test_a_row_with_nothing_to_compare_leads_to_its_log(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    record_profiles(checkout)
    for spec in list(paths().runs.rglob("spec.json")):
        if json.loads(spec.read_text())["profile"] == "fast":
            shutil.rmtree(spec.parent)
    app = build_app(checkout)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("2")
        await until(pilot, lambda: "3 runs" in screen_text(app), "the runs")
        await pilot.press("p")
        await until(pilot, lambda: "1 test, 1 profile" in screen_text(app), "the batch")
        await pilot.press("enter")
        await until(pilot, lambda: "profile: default" in screen_text(app), "the log")


async def test_the_first_profile_is_on_the_left_from_either_row(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("8", "p")
        await until(pilot, lambda: "1 test, 2 profiles" in screen_text(app), "the table")
        for key in ("g", "G"):
            await pilot.press(key, "enter")
            await until(pilot, lambda: isinstance(app.screen, SideBySide), "the logs")
            await until(pilot, lambda: "fast  2" in screen_text(app), "the heads")
            (heads,) = (line for line in screen_text(app).splitlines() if "fast  2" in line)
            assert heads.index("default  2") < heads.index("fast  2")
            await pilot.press("escape")


async def test_a_batch_that_is_not_queued_yet_is_named(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("8", "p")
        await until(pilot, lambda: "1 test, 2 profiles" in screen_text(app), "the table")
        app.navigation.screen(ProfilesScreen).show_batch("20261122-000000-abcdef")
        await until(pilot, lambda: "batch 20261122-000000-abcdef are not queued yet" in screen_text(app), "the batch")
        assert "waiting for the queue" in screen_text(app)
