# SPDX-License-Identifier: Apache-2.0
"""Runs and logs: started by a key, followed live, stopped by another key than the one that asks."""

import shutil
from pathlib import Path

import pytest
from textual.events import Key

from core.base.settings import HOME_VARIABLE, Settings, paths
from core.runs.store import RunRecord, RunStore
from core.sources import Checkout
from tests.support.app import build_app, flat, screen_text, until
from tests.support.cli import call
from tests.support.fake_python import use_fake_python
from tests.support.tree import sample
from tui.screens import RunsScreen

pytestmark = pytest.mark.slow("runs are started and followed")

HANGS = "net-v1.5+aug has:entry mode:inference"
PASSES = "tiny has:entry mode:training"
PASSING_ID = "alpha/pytorch-tiny-single_device-training"


@pytest.fixture
def checkout(tmp_path: Path, own_home: Path) -> Checkout:
    use_fake_python(own_home, tmp_path)
    return sample(tmp_path / "tt-xla")


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> tuple[Checkout, Path]:
    """A checkout, and the directory of a run there that has passed."""
    place: Path = tmp_path_factory.mktemp("ended")
    home = place / "home"
    use_fake_python(home, place)
    checkout = sample(place / "tt-xla")
    with pytest.MonkeyPatch.context() as patch:
        for variable in (HOME_VARIABLE, "TTMATRIX_LEASES"):
            patch.setenv(variable, str(home))
        assert call("run", PASSING_ID, "--kind", "cpu", "--wait", "--repo", checkout.root).code == 0
        (run,) = RunStore(paths().runs).records()
    return checkout, run.directory


@pytest.fixture
def after_a_run(ended: tuple[Checkout, Path], tmp_path: Path, own_home: Path) -> Checkout:
    """A checkout with a run that has passed; the run is this test's own copy."""
    use_fake_python(own_home, tmp_path)
    checkout, run = ended
    shutil.copytree(run, paths().runs / run.name)
    return checkout


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(python=str(tmp_path / "python"))


async def test_a_run_is_started_followed_and_its_outcome_shown(checkout: Checkout, settings: Settings) -> None:
    app = build_app(checkout, query=PASSES, settings=settings)
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("r")
        await until(pilot, lambda: bool(app.session.runs), "the run")
        await pilot.press("L")
        await until(pilot, lambda: "TTMATRIX-RESULT" in screen_text(app), "the end of the log")
        await until(pilot, lambda: not app.session.runs[0].active, "the outcome")
        await until(pilot, lambda: "bfloat16 ok" in screen_text(app), "the summary")
        await pilot.press("1")
        await until(pilot, lambda: " pass" in screen_text(app), "the outcome in the matrix")


async def test_files_that_a_run_saved_are_shown_in_place_of_its_log(after_a_run: Checkout, settings: Settings) -> None:
    app = build_app(after_a_run, query=PASSES, settings=settings)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: bool(app.session.runs), "the run")
        await pilot.press("2")
        await until(pilot, lambda: "TTMATRIX-RESULT" in screen_text(app), "the log")
        await pilot.press("f")
        assert app.screen is app.navigation.screen(RunsScreen), "there is nothing to choose from"
        place = app.session.runs[0].directory / "ir"
        place.mkdir()
        (place / "forward.stablehlo.mlir").write_text("module @IrToHlo {\n}\n")
        await pilot.press("f")
        await until(pilot, lambda: "Show which file?" in screen_text(app), "the list")
        await pilot.press(*"forward", "enter")
        await until(pilot, lambda: "module @IrToHlo" in screen_text(app), "the file")
        assert "ir/forward.stablehlo.mlir" in screen_text(app)
        await pilot.press("f", *"output", "enter")
        await until(pilot, lambda: "TTMATRIX-RESULT" in screen_text(app), "the log again")


async def test_stopping_asks_and_needs_another_key(checkout: Checkout, settings: Settings) -> None:
    app = build_app(checkout, query=HANGS, settings=settings)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("r")
        await until(pilot, lambda: bool(app.session.runs), "the run")
        await pilot.press("2")
        await until(pilot, lambda: "waiting" in screen_text(app), "the log")
        await pilot.press("S", "S")
        assert app.session.runs[0].active
        await pilot.press("y")
        await until(pilot, lambda: not app.session.runs[0].active, "the end")
        await until(pilot, lambda: "cancelled" in screen_text(app), "the outcome")
        await pilot.press("S")
        assert app.screen is app.navigation.screen(RunsScreen)


async def test_zoom_and_panes(after_a_run: Checkout, settings: Settings, own_home: Path) -> None:
    app = build_app(after_a_run, query=PASSES, settings=settings)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: bool(app.session.runs), "the run")
        await pilot.press("2", "tab")
        assert app.focused is app.navigation.screen(RunsScreen).log_view
        await pilot.press("C")
        await until(pilot, (own_home / "cache" / "clip.txt").is_file, "the copy")
        assert (own_home / "cache" / "clip.txt").read_text().startswith("loading the model\nTTMATRIX-RESULT {")
        await pilot.press("z")
        assert "outcome" not in screen_text(app)
        await pilot.press("escape")
        await until(pilot, lambda: "outcome" in screen_text(app), "outcome")
        await pilot.press("q")
        assert app.screen is app.matrix_screen
        await pilot.press("3")
        await pilot.pause()
        assert "outcome" not in screen_text(app)


async def test_the_command_can_be_copied(after_a_run: Checkout, settings: Settings, own_home: Path) -> None:
    app = build_app(after_a_run, query=PASSES, settings=settings)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: bool(app.session.runs), "the run")
        await pilot.press("2", "y")
        await until(pilot, (own_home / "cache" / "clip.txt").is_file, "the copy")
        assert "--variant=tiny" in (own_home / "cache" / "clip.txt").read_text()


async def test_many_runs_ask_first(checkout: Checkout, settings: Settings) -> None:
    app = build_app(checkout, query="alpha mode:inference", settings=settings)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("asterisk", "r")
        await until(pilot, lambda: "9 runs" in screen_text(app), "the plan")
        await pilot.press("escape")
        await pilot.pause()
        assert app.session.runs == []


async def test_runs_of_an_earlier_session_are_there(after_a_run: Checkout, settings: Settings) -> None:
    app = build_app(after_a_run, query=PASSES, settings=settings)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: " pass" in screen_text(app), " pass")
        await pilot.press("L")
        await until(pilot, lambda: "loading the model" in screen_text(app), "the log")


async def test_no_runs_yet(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("2", "S", "y", "tab", "z", "z")
        await pilot.pause()
        for _ in range(2):
            await until(pilot, lambda: "what waits" in flat(app), "what the list is for")
            assert flat(app).count("No runs yet") == 1
            await pilot.press("3")
            await until(pilot, lambda: "outcome" not in screen_text(app), "the list is not there")
            assert flat(app).count("No runs yet") == 1, "none in place of the log"
            await pilot.press("2")


async def test_runs_started_in_quick_succession_all_start(checkout: Checkout, settings: Settings) -> None:
    app = build_app(checkout, query="alpha has:entry", settings=settings)
    async with app.run_test(size=(80, 24)) as pilot:
        app.runs.start([PASSING_ID])
        app.runs.start([PASSING_ID])
        app.runs.start([PASSING_ID])
        await until(pilot, lambda: len(app.session.runs) == 3, "all three runs")
        await until(pilot, lambda: not any(record.active for record in app.session.runs), "their ends")


async def test_the_progress_of_a_batch_is_reported_and_so_is_its_end(checkout: Checkout, settings: Settings) -> None:
    app = build_app(checkout, settings=settings)
    hanging = "alpha/pytorch-net-v1.5+aug-single_device-training"
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        app.runs.start([PASSING_ID, hanging])
        await pilot.press("2")
        await until(pilot, lambda: "1 of 2 done" in screen_text(app), "the progress")
        (left,) = [record for record in app.session.runs if record.active]
        app.runs.cancel([left.spec.run_id])
        await until(pilot, lambda: "2 runs have ended: " in screen_text(app), "the end")
        assert "of 2 done" not in screen_text(app)


async def test_the_queue_is_paused_and_moved_and_the_rest_runs_again(tmp_path: Path, checkout: Checkout) -> None:
    app = build_app(checkout, settings=Settings(python=str(tmp_path / "python"), cpu_slots=1))
    hanging, failing = (f"alpha/pytorch-{name}-single_device-training" for name in ("net-v1.5+aug", "org/name"))
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("2")
        app.runs.start([hanging, PASSING_ID, failing])
        await until(pilot, lambda: len(app.session.runs) == 3, "the runs")
        failed, passed, hung = app.session.runs
        await until(pilot, lambda: app.session.runs[2].state == "running", "the first")
        app.navigation.screen(RunsScreen).show_run(passed.spec.run_id)
        await pilot.press("h")
        await until(pilot, lambda: "on hold" in screen_text(app), "the hold")
        app.navigation.screen(RunsScreen).show_run(failed.spec.run_id)
        await pilot.press("T")
        queue = app.session.store.queue
        await until(pilot, lambda: queue.tickets()[0].run_id == failed.spec.run_id, "the order")
        await pilot.press("B")
        await until(pilot, lambda: queue.tickets()[-1].run_id == failed.spec.run_id, "the order")
        app.runs.cancel([hung.spec.run_id])
        await until(pilot, lambda: app.session.runs[0].outcome == "fail", "the failure")
        await pilot.press("h")
        await until(pilot, lambda: "is queued" in screen_text(app), "the word")
        app.navigation.screen(RunsScreen).show_run(passed.spec.run_id)
        await pilot.press("h")
        await until(pilot, lambda: not any(record.active for record in app.session.runs), "the end")
        await pilot.press("R")
        await until(pilot, lambda: "Run 2 tests again?" in screen_text(app), "the question")
        await pilot.press("y")
        await until(pilot, lambda: len(app.session.runs) == 5, "the rest")
        again = {record.spec.test_id for record in app.session.runs[:2]}
        assert again == {hanging, failing}
        # All that are marked are stopped at once, by one question.
        await pilot.press("g", "space", "S")
        await until(pilot, lambda: "Stop 2 runs?" in screen_text(app), "the question")
        await pilot.press("y")
        await until(pilot, lambda: not any(record.active for record in app.session.runs), "the last end")


async def test_runs_are_marked_compared_reported_and_run_again(checkout: Checkout, settings: Settings) -> None:
    app = build_app(checkout, settings=settings)
    failing = "alpha/pytorch-org/name-single_device-training"
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        app.runs.start([PASSING_ID, failing])
        await until(pilot, lambda: len(app.session.runs) == 2, "the runs")
        await until(pilot, lambda: not any(record.active for record in app.session.runs), "their ends")
        await until(pilot, lambda: "2 runs have ended: " in screen_text(app), "the word at the end")
        await pilot.press("2", "g", "j", "Y")
        shown = app.navigation.screen(RunsScreen).runs.current
        assert shown is not None
        passed = next(record for record in app.session.runs if record.spec.test_id == PASSING_ID)
        app.navigation.screen(RunsScreen).show_run(passed.spec.run_id)
        await pilot.press("Y")
        await until(pilot, lambda: "This run has passed" in screen_text(app), "the word about a reason")
        await pilot.press("c")
        await until(pilot, lambda: "Mark two runs" in screen_text(app), "how to compare")
        # On the heading, all of the batch.
        await pilot.press("g", "space", "c")
        await until(pilot, lambda: "Two logs" in screen_text(app), "the differences")
        assert "@@" in screen_text(app)
        await pilot.press("escape", "d")
        await until(pilot, lambda: "versions" in screen_text(app), "all about the run")
        assert "torch 2.9.0" in screen_text(app)
        # From its first line on: the pane is painted whole.
        assert "exit code" in screen_text(app)
        app.clear_notifications()
        await pilot.press("escape", "r")
        await until(pilot, lambda: "Run 2 tests again?" in screen_text(app), "the question")
        assert PASSING_ID in screen_text(app)
        await pilot.press("y")
        await until(pilot, lambda: len(app.session.runs) == 4, "both runs again")
        await until(pilot, lambda: "marked" not in screen_text(app), "no marks")
        parents = {record.spec.parent for record in app.session.runs[:2]}
        assert parents == {app.session.runs[-1].spec.batch}
        await until(pilot, lambda: not any(record.active for record in app.session.runs), "their ends")
        await pilot.press("m")
        await until(pilot, lambda: app.screen is app.matrix_screen, "the matrix")
        assert app.matrix_screen.current in (PASSING_ID, failing)


@pytest.mark.parametrize(("how", "written"), [("osc9", True), ("bell", False), ("off", False)])
async def test_the_end_of_a_batch_is_reported_as_the_setting_says(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, written: bool
) -> None:
    app = build_app(checkout, settings=Settings(python=str(tmp_path / "python"), notify=how))
    bells: list[str] = []
    async with app.run_test(size=(80, 24)) as pilot:
        assert app._driver is not None
        sent: list[str] = []
        monkeypatch.setattr(app._driver, "write", sent.append)
        monkeypatch.setattr(app, "bell", lambda: bells.append("bell"))
        app.runs.start([PASSING_ID])
        await until(pilot, lambda: bool(app.session.runs) and not app.session.runs[0].active, "the run")
        if how == "bell":
            await until(pilot, lambda: bool(bells), "the bell")
        await pilot.pause()
    assert any(text.startswith("\x1b]9;ttmatrix: 1 run has ended") for text in sent) == written
    assert bool(bells) == (how == "bell")


async def test_the_end_of_runs_is_reported_though_nobody_has_seen_them_go_on(
    checkout: Checkout, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = build_app(checkout, settings=settings)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        store = app.session.store
        records = store.records

        def ended() -> list[RunRecord]:
            """As if every look came too late."""
            return [record for record in records() if not record.active]

        monkeypatch.setattr(store, "records", ended)
        app.runs.start([PASSING_ID])
        await until(pilot, lambda: "1 run has ended: 1 pass" in screen_text(app), "the word at the end")


async def test_the_log_at_full_size_has_the_keys(after_a_run: Checkout, settings: Settings) -> None:
    app = build_app(after_a_run, query=PASSES, settings=settings)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: bool(app.session.runs), "the run")
        await pilot.press("3")
        await until(
            pilot,
            lambda: app.focused is not None and app.focused is app.navigation.screen(RunsScreen).log_view,
            "the log",
        )
        await pilot.press("slash", *"result")
        await until(pilot, lambda: "/result" in screen_text(app), "what is typed")
        assert len(app.session.runs) == 1
        await pilot.press("enter")
        await until(pilot, lambda: "/result: 1 of 1" in screen_text(app), "what it finds")
        await pilot.press("1", "3", "e")
        await until(pilot, lambda: "errors: " in screen_text(app), "the errors")
        await pilot.press("2")
        assert app.focused is app.navigation.screen(RunsScreen).table
        assert "outcome" in screen_text(app)


async def test_what_is_looked_for_in_a_log_is_typed_from_the_runs_too(
    after_a_run: Checkout, settings: Settings
) -> None:
    app = build_app(after_a_run, query=PASSES, settings=settings)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: bool(app.session.runs), "the run")
        await pilot.press("2", "slash", *"rrs", "ctrl+u", *"loading", "enter")
        await until(pilot, lambda: "/loading: 1 of 1" in screen_text(app), "what it finds")
        assert len(app.session.runs) == 1
        assert app.focused is app.navigation.screen(RunsScreen).log_view
        await pilot.press("tab", "n")
        await until(pilot, lambda: "wrapped" in screen_text(app), "the same line again")


async def test_a_burst_behind_the_key_of_the_log_is_for_the_log(after_a_run: Checkout, settings: Settings) -> None:
    app = build_app(after_a_run, query=PASSES, settings=settings)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: bool(app.session.runs), "the run")
        for key in ("3", "g", "slash", *"result", "enter"):
            app.post_message(Key(key, {"slash": "/"}.get(key, key if len(key) == 1 else None)))
        await until(pilot, lambda: "/result: 1 of 1" in screen_text(app), "what it finds")
        assert len(app.session.runs) == 1
        assert app.focused is app.navigation.screen(RunsScreen).log_view


async def test_the_log_asked_for_right_behind_a_run_is_that_of_this_run(
    after_a_run: Checkout, settings: Settings
) -> None:
    app = build_app(after_a_run, query=PASSES, settings=settings)

    def shown() -> str:
        record = app.navigation.screen(RunsScreen).log_pane.record
        return record.spec.run_id if record and app.screen is app.navigation.screen(RunsScreen) else ""

    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: bool(app.session.runs), "the older run")
        app.post_message(Key("r", "r"))
        app.post_message(Key("L", "L"))
        await until(pilot, lambda: bool(shown()), "a log")
        assert len(app.session.runs) == 2
        assert shown() == app.session.runs[0].spec.run_id
        await until(pilot, lambda: not app.session.runs[0].active, "the end of the run")


async def test_after_a_start_the_cursor_and_the_log_are_on_the_new_run(
    after_a_run: Checkout, settings: Settings
) -> None:
    app = build_app(after_a_run, query=PASSES, settings=settings)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("2")
        await until(pilot, lambda: isinstance(app.screen, RunsScreen) and len(app.session.runs) == 1, "the old run")
        await until(pilot, lambda: "bfloat16 ok" in screen_text(app), "its reason, at 80 columns")
        screen = app.screen
        assert isinstance(screen, RunsScreen)
        old = screen.table.cursor_key
        await pilot.press("r")
        await until(pilot, lambda: len(app.session.runs) == 2, "the new run")
        await until(pilot, lambda: screen.table.cursor_key not in (None, old), "the cursor")
        assert screen.table.cursor_key == screen.runs.current.spec.run_id == app.session.runs[0].spec.run_id  # type: ignore[union-attr]
        await until(pilot, lambda: not app.session.runs[0].active, "its end")
        assert screen.table.cursor_key != old
