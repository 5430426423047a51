# SPDX-License-Identifier: Apache-2.0
"""The screen of the nightly says what the command says, and each line leads to what one does next."""

import re
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from core.base.settings import Settings
from core.sources import Checkout
from tests.support.app import build_app, flat, screen_text, until
from tests.support.ci_night import Night, ingest, log_of
from tests.support.cli import call
from tests.support.git import committed_checkout, git
from tests.support.github_server import GitHub, reached
from tests.support.person import Person
from tests.support.tree import sample
from tui.app.app import TTMatrixApp
from tui.screens import DiffScreen, JobLogScreen, Pick, TriageScreen
from tui.screens.nightly import NightScreen

hub = pytest.fixture(reached)
TINY = "alpha/pytorch-tiny-single_device-inference"
IDS = (TINY, *(f"model{at}/pytorch-tiny-single_device-inference" for at in range(30)))
OOM = "RuntimeError: TT_FATAL: Out of Memory: Not enough space to allocate 4096 B L1 buffer"
SORT = "error: failed to legalize operation 'ttir.sort' that was explicitly marked illegal"
GOOD = dict.fromkeys(IDS, "pass")
KILLED = log_of(IDS[:3], "Fatal Python error: Segmentation fault\n##[error]Process completed with exit code 139.")


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


def two_nights(hub: GitHub) -> int:
    """A night after which one job died, one cause is new, one test is fixed, one persists; the job that died."""
    night = Night(hub, 20)
    night.models("n150", GOOD | {IDS[5]: SORT, IDS[6]: SORT})
    night.models("p150", GOOD, index=1)
    night = Night(hub, 21)
    page = "\n".join(f"line {at}" for at in range(3_000))
    night.models("n150", GOOD | {TINY: OOM, IDS[1]: OOM, IDS[6]: SORT}, log=_log_of_failure(page))
    return night.models("p150", GOOD, index=1, report=False, log=f"{page}\n{KILLED}\n{page}")


def _log_of_failure(page: str) -> str:
    function = "tests/runner/test_models.py::test_all_models_torch"
    head = f"____ test_all_models_torch[{TINY}] ____"
    return f"{function}[{TINY}] FAILED [ 50%]\n{page}\n{head}\nE   {OOM}\n{page}"


async def opened(app: TTMatrixApp, pilot: Pilot[Any]) -> NightScreen:
    await pilot.press("f7")
    screen = app.screen
    assert isinstance(screen, NightScreen)
    await until(pilot, lambda: screen._known, "the night")
    return screen


def go_to(screen: NightScreen, words: str) -> None:
    """Put the cursor on the first row with these words."""
    table = screen.table
    for at in range(len(table.source)):
        if words in " ".join(cell.text for cells in table.source.cells(at) for cell in cells):
            table.cursor = at
            return
    raise AssertionError(f"no row has {words!r}: {screen_text(screen.app)}")


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_without_a_run_it_says_what_it_is_for_and_what_fills_it(
    checkout: Checkout, size: tuple[int, int]
) -> None:
    app = build_app(checkout)
    async with app.run_test(size=size, notifications=True) as pilot:
        await opened(app, pilot)
        text = flat(app)
        assert "Which jobs of CI died last night and why" in text and "`ttmatrix ingest --from-github`" in text
        await pilot.press("enter", "L", "r", "i", "o", "c", "b", "n", "y")
        await until(pilot, lambda: "No run of CI is known" in screen_text(app), "the reason")


async def test_from_the_start_to_the_error_in_the_log_of_the_job_that_died_takes_four_keys(
    hub: GitHub, checkout: Checkout
) -> None:
    two_nights(hub)
    ingest(checkout)
    app = build_app(checkout)
    async with app.run_test(size=(120, 36)) as pilot:
        person = Person(app, pilot)
        await person.press("f7")
        await person.see("died in its tests")
        await person.press("enter")
        await person.see(lambda: isinstance(app.screen, JobLogScreen))
        await person.see("Fatal Python error: Segmentation fault")
        await person.see("line 3,004: why it failed")
        assert person.keys == 2 <= 4
        screen = app.screen
        assert isinstance(screen, JobLogScreen)
        assert screen.view.finder.current == 3_003
        # It is a log like that of a run: searched, filtered, gone through by errors; the test that ran last is a key.
        await pilot.press("T")
        await person.see("line 3,003: the test")
        await pilot.press("e")
        await person.see("errors: ")
        await pilot.press("slash", *"2999", "enter")
        await person.see("/2999: 1 of 2")
        await pilot.press("escape", "escape")
        await until(pilot, lambda: isinstance(app.screen, NightScreen), "the night")


async def test_the_screen_says_what_the_command_says(hub: GitHub, checkout: Checkout) -> None:
    two_nights(hub)
    ingest(checkout)
    printed = call("nightly", "--repo", checkout.root).out
    app = build_app(checkout)
    async with app.run_test(size=(170, 55)) as pilot:
        screen = await opened(app, pilot)
        await pilot.press("+")
        headings = re.findall(r"^([A-Z][^:\n]+): (\d+)$", printed, re.M)
        page = screen._shown.page if screen._shown else ()
        assert [(one.title, str(len(one.lines))) for one in page if one.word != "green"] == headings
        text = screen_text(app)
        assert "1 new" not in headings and OOM[:40] in text and OOM in printed
        assert [line.text for one in page if one.word == "died" for line in one.lines] == [
            "died in its tests in 'Run tests'"
        ]
        found = call("nightly", "--json", "--repo", checkout.root).json
        by_word = {"new": "new", "fixed": "fixed", "still": "persisting"}
        for word, kind in by_word.items():
            ours = {cell.id for one in page if one.word == word for line in one.lines for cell in line.cells}
            theirs = {test["id"] for one in found["failures"] if one["kind"] == kind for test in one["tests"]}
            assert ours == theirs != set(), kind
        await pilot.press("y")
        clip = app.session.paths.cache / "clip.txt"
        await until(pilot, clip.is_file, "the copy")
    assert clip.read_text() == call("nightly", "--format", "md", "--repo", checkout.root).out


async def test_a_cause_leads_to_triage_its_log_to_the_test_and_its_text_is_copied(
    hub: GitHub, checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    two_nights(hub)
    ingest(checkout)
    app = build_app(checkout)
    clip = app.session.paths.cache / "clip.txt"
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: app.worklists.known is not None, "what is to be decided")
        screen = await opened(app, pilot)
        go_to(screen, OOM)
        await pilot.press("i")
        await until(pilot, clip.is_file, "the text of the issue")
        assert clip.read_text() == call("nightly", "--issue", OOM, "--repo", checkout.root).out
        await pilot.press("o")
        await until(pilot, lambda: clip.read_text().endswith("/job/21001"), "the address")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, TriageScreen), "Triage")
        triage = app.screen
        assert isinstance(triage, TriageScreen)
        await until(
            pilot, lambda: any(getattr(one, "test", "") == TINY for one in triage.listing.selected), "its group"
        )
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is screen, "back")
        # The log of this job is not here yet: it is fetched, and shown at the failure of the first test.
        go_to(screen, OOM)
        await pilot.press("l")
        await until(pilot, lambda: isinstance(app.screen, JobLogScreen), "the log")
        await until(pilot, lambda: "the test" in screen_text(app), "the test")


async def test_a_job_runs_its_suspect_and_a_failure_its_tests(hub: GitHub, checkout: Checkout) -> None:
    night = Night(hub, 20)
    night.models("n150", GOOD)
    night = Night(hub, 21)
    night.models("n150", GOOD, report=False, log=log_of([IDS[1], TINY], "Killed"))
    ingest(checkout)
    app = build_app(checkout)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        assert screen._cells_here(screen._line) == [(TINY, "n150", 1)]
        await pilot.press("r")
        await until(pilot, lambda: len(app.screen_stack) > 2, "a question, or why it cannot be run")


async def test_a_night_and_its_base_are_chosen(hub: GitHub, checkout: Checkout) -> None:
    for number in (18, 19, 20):
        Night(hub, number).models("n150", GOOD | ({IDS[2]: OOM} if number == 18 else {}))
    ingest(checkout)
    app = build_app(checkout)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        assert _names(screen) == ("nightly-20", "nightly-19")
        await pilot.press("b")
        await until(pilot, lambda: isinstance(app.screen, Pick), "the runs")
        await pilot.press(*"nightly-18", "enter")
        await until(pilot, lambda: _names(screen) == ("nightly-20", "nightly-18"), "the other base")
        assert "fixed" in screen_text(app)
        await pilot.press("c")
        await until(pilot, lambda: isinstance(app.screen, Pick), "the runs")
        await pilot.press(*"nightly-19", "enter")
        await until(pilot, lambda: _names(screen) == ("nightly-19", "nightly-18"), "the other night")
        await pilot.press("n")
        await until(pilot, lambda: _names(screen) == ("nightly-20", "nightly-19"), "the newest one")


def _names(screen: NightScreen) -> tuple[str, str]:
    night = screen._shown.night if screen._shown else None
    return (night.run.name, night.base.name if night.base else "") if night else ("", "")


async def test_a_newer_night_is_announced_and_never_pulled_under_the_cursor(hub: GitHub, checkout: Checkout) -> None:
    two_nights(hub)
    ingest(checkout)
    app = build_app(checkout)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        go_to(screen, OOM)
        key = screen.table.cursor_key
        Night(hub, 22).models("n150", GOOD)
        ingest(checkout)
        await until(pilot, lambda: "n shows nightly-22, which is newer" in screen_text(app), "the newer night")
        assert _names(screen)[0] == "nightly-21" and screen.table.cursor_key == key
        await pilot.press("n")
        await until(pilot, lambda: _names(screen)[0] == "nightly-22", "the newer night")
        assert "which is newer" not in screen_text(app)


async def test_what_another_process_reads_is_announced_once_and_the_header_says_how_fresh_it_is(
    hub: GitHub, checkout: Checkout
) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(160, 36), notifications=True) as pilot:
        await until(pilot, lambda: "no results of CI yet" in screen_text(app), "how fresh it is")
        Night(hub, 22).models("n150", GOOD)
        ingest(checkout)
        await until(pilot, lambda: "nightly-22 has been read. f7 shows it." in screen_text(app), "the announcement")
        assert re.search(r"last night: \d+ (min|h|d) ago", screen_text(app))
        before = len(app._notifications)
        ingest(checkout)
        app.polling.now()
        await pilot.pause(0.6)
        assert len(app._notifications) <= before


@pytest.mark.slow("a process that asks a server")
async def test_the_app_itself_fetches_if_it_is_to(
    hub: GitHub, checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(checkout.root, "init", "-q")
    git(checkout.root, "remote", "add", "origin", "https://github.com/team/tt-xla")
    Night(hub, 22).models("n150", GOOD)
    app = build_app(checkout, settings=Settings(fetch_minutes=5.0))
    async with app.run_test(size=(160, 36)) as pilot:
        await until(pilot, lambda: app.session.night is not None, "the night")
        asked = len(hub.asked)
        for _ in range(2):
            app.fetching.look()
        assert app.fetching.process is None or app.fetching.process.wait(30.0) == 0
        assert len(hub.asked) == asked, "not again before its time"


async def test_without_the_setting_nothing_is_asked(hub: GitHub, checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 36)) as pilot:
        await opened(app, pilot)
        app.fetching.look()
        assert app.fetching.process is None
    assert not hub.asked


async def test_commits_lead_to_what_they_change(hub: GitHub, checkout: Checkout) -> None:
    committed_checkout(checkout)
    before = git(checkout.root, "rev-parse", "HEAD").strip()
    git(checkout.root, "commit", "-q", "--allow-empty", "-m", "Something")
    after = git(checkout.root, "rev-parse", "HEAD").strip()
    Night(hub, 20, before).models("n150", GOOD)
    Night(hub, 21, after).models("n150", GOOD)
    ingest(checkout)
    app = build_app(checkout)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await opened(app, pilot)
        go_to(screen, "1 commit")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, DiffScreen), "the diff")
        assert isinstance(app.screen, DiffScreen) and app.screen._range == f"{before}..{after}"


async def test_the_newest_night_is_read_before_its_screen_is_opened_and_once(hub: GitHub, checkout: Checkout) -> None:
    two_nights(hub)
    ingest(checkout)
    app = build_app(checkout)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: app.session.workspace.newest_night is not None, "the night, read ahead")
        known = app.session.workspace.newest_night
        screen = await opened(app, pilot)
        await until(pilot, lambda: screen._shown is not None, "the night")
        assert known is not None and screen._shown is not None and screen._shown.night is known[1]
        Night(hub, 22).models("n150", GOOD)
        ingest(checkout)
        await until(pilot, lambda: app.session.workspace.newest_night is not known, "the next one, read ahead")
