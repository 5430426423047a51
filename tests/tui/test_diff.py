# SPDX-License-Identifier: Apache-2.0
"""The screen of what differs: by loader, the lines of code, runs of what is touched, entries for new tests."""

import json
import threading
from pathlib import Path

import psutil
import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from core.base.locks import locked
from core.edits import OpKind
from core.sources import Checkout
from core.states import Difference, States, difference_elsewhere
from tests.support.app import build_app, screen_text, type_text, until
from tests.support.git import git
from tests.support.states import JOB, MODELS, PRESET, commit, with_submodule
from tests.support.tree import INFERENCE, loader_source
from tui.app.app import TTMatrixApp
from tui.screens import DiffScreen, Launch, Pick
from tui.screens.matrix import SetFields
from tui.view_models import group_words
from tui.widgets import Cycle

CONFIG = f"tests/runner/test_config/{INFERENCE}"
TINY = "alpha/pytorch-tiny-single_device-inference"
NEW = "omega/pytorch-Base-single_device-inference"


def harmful(root: Path) -> Checkout:
    """A checkout with a last commit that does harm in one loader, and brings another one."""
    checkout = with_submodule(root)
    yaml = (checkout.root / CONFIG).read_text().replace(f"{TINY}:\n", f"{TINY}:\n    markers: [push]\n", 1)
    commit(checkout, "pushed", {CONFIG: yaml})
    commit(
        checkout,
        "harm",
        {
            CONFIG: yaml.replace("markers: [push]", "markers: [push]\n    required_pcc: 0.9"),
            PRESET: json.dumps([JOB | {"test-mark": "n150 and psuh"}]),
            f"{MODELS}/alpha/pytorch/loader.py": loader_source(["tiny"]),
            f"{MODELS}/omega/pytorch/loader.py": loader_source(["Base", "Large"]),
        },
    )
    return checkout


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return harmful(tmp_path / "tt-xla")


async def shown(app: TTMatrixApp, pilot: Pilot[None], range: str = "HEAD~1..HEAD") -> DiffScreen:
    """The screen with what differs in a range."""
    app.navigation.show_diff(range)
    await until(pilot, lambda: isinstance(app.screen, DiffScreen), "the screen")
    screen = app.screen
    assert isinstance(screen, DiffScreen)
    await until(pilot, lambda: screen._found is not None and screen._range == range, "the difference")
    return screen


async def go_to(pilot: Pilot[None], screen: DiffScreen, group: str) -> None:
    """Put the cursor on the heading of a group."""
    await pilot.press("g")
    for _ in range(99):
        if screen._groups.group is not None and screen._groups.group.key == group and screen.current is None:
            return
        await pilot.press("j")
    raise AssertionError(f"no group {group}")


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
        assert screen.listed[0].what == "leaves CI: n150"


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
        assert screen.chosen()[0] == TINY
        assert NEW in screen.chosen()
        await pilot.press("r")
        await until(pilot, lambda: "within how many hours?" in screen_text(app), "the question")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, Launch), "the dialog")
        assert isinstance(app.screen, Launch)
        dialog = app.screen
        assert dialog.ids[0] == TINY
        await until(pilot, lambda: dialog.plan is not None, "the plan")
        assert dialog.plan is not None and len(dialog.plan.specs) == len(dialog.ids) < 12


async def test_only_so_much_is_run_as_fits_into_the_hours(checkout: Checkout) -> None:
    """As `diff --hours` says: nothing is known of how long tests take, so ten minutes each."""
    app = build_app(checkout)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await shown(app, pilot)
        await pilot.press("r")
        await until(pilot, lambda: "within how many hours?" in screen_text(app), "the question")
        await pilot.press("ctrl+u", *"0.2", "enter")
        await until(pilot, lambda: isinstance(app.screen, Launch) and app.screen.plan is not None, "the plan")
        assert isinstance(app.screen, Launch) and app.screen.plan is not None
        assert [spec.test_id for spec in app.screen.plan.specs] == [TINY]
        assert "Not within 0.2 hours" in screen_text(app)
        assert screen.chosen()[0] == TINY


async def test_marks_choose_what_is_run(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await shown(app, pilot)
        app.session.view.marks.add(NEW)
        assert screen.chosen() == (NEW,)
        await pilot.press("space")
        assert TINY in app.session.view.marks


async def test_entries_for_new_tests(checkout: Checkout) -> None:
    """The form of the matrix, for the tests of the group: what is chosen in it is proposed for each."""
    app = build_app(checkout)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await shown(app, pilot)
        app.session.view.marks.add(TINY)
        await go_to(pilot, screen, "omega/pytorch")
        assert len(screen.without_entry()) == 12, "of two variants"
        ids = [NEW, NEW.replace("Base", "Large")]
        await pilot.press("E")
        await until(pilot, lambda: isinstance(app.screen, Pick), "the question")
        assert "single_device-inference" in screen_text(app) and "12 tests" in screen_text(app)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, SetFields), "the form")
        assert "2 new tests" in screen_text(app)
        form = app.screen
        form.query_one("#field-status", Cycle).value = "EXPECTED_PASSING"
        form.query_one("#field-markers", Input).value = "push"
        form.query_one("#field-supported_archs", Input).value = "n150"
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is screen, "the screen again")
        (change,) = app.session.pending.changes
        assert [op.id for op in change.ops] == ids
        assert change.ops[0].value == {"supported_archs": ["n150"], "status": "EXPECTED_PASSING", "markers": ["push"]}
        assert app.session.view.marks == {TINY}, "marks stay what they were"
        assert screen.table.has_focus


async def test_entries_for_one_and_for_marked_tests(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await shown(app, pilot)
        assert screen.without_entry() == (), "nothing is new in the first group"
        await pilot.press("E")
        assert app.screen is screen, "it says why not"
        await go_to(pilot, screen, "omega/pytorch")
        await pilot.press("plus", "j")
        assert len(screen.without_entry()) == 1
        await pilot.press("space", "space")
        assert len(screen.without_entry()) == 2
        await pilot.press("k", "k", "k")
        assert len(screen.without_entry()) == 2, "the marked ones, wherever the cursor is"


async def test_entries_of_tests_that_are_gone_are_moved_or_removed(checkout: Checkout) -> None:
    """One key, for a row or a group; it is proposed, and the review shows it."""
    yaml = (checkout.root / CONFIG).read_text()
    new = TINY.replace("alpha", "sigma")
    loaders = {
        f"{MODELS}/alpha/pytorch/loader.py": None,
        f"{MODELS}/sigma/pytorch/loader.py": loader_source(["tiny", "net-v1.5+aug"]),
    }
    commit(checkout, "moved", loaders)
    app = build_app(checkout)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await shown(app, pilot)
        await go_to(pilot, screen, "alpha/pytorch")
        await pilot.press("m")
        await until(pilot, lambda: bool(app.session.pending.changes), "the change")
        (change,) = app.session.pending.changes
        assert (OpKind.RENAME, TINY, new) in [(op.op, op.id, op.to) for op in change.ops]
        assert change.note.startswith("alpha/pytorch/loader.py moved")
        assert (checkout.root / CONFIG).read_text() == yaml


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


async def test_the_lines_of_code_are_searched(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await shown(app, pilot)
        await pilot.press("slash")
        assert app.screen is screen, "there are no lines yet"
        await pilot.press("enter")
        await until(pilot, lambda: "--- a/" in screen_text(app), "code")
        await pilot.press("slash", *"VARIANT", "enter")
        await until(pilot, lambda: "VARIANT: 1 of " in screen_text(app), "the first hit")
        await pilot.press("n")
        assert "VARIANT: 2 of " in screen_text(app)
        await pilot.press("N", "N")
        count = len(screen._search._hits)
        assert f"VARIANT: {count} of {count}" in screen_text(app), "around the end"
        await pilot.press("slash", *"[red]\\", "enter")
        await until(pilot, lambda: "[red]\\: not there" in screen_text(app), "no hit, and no markup")
        await pilot.press("escape")
        assert "not there" not in screen_text(app) and "--- a/" in screen_text(app)
        await pilot.press("escape")
        await until(pilot, lambda: "--- a/" not in screen_text(app), "the words")
        assert app.screen is screen and screen.table.has_focus


async def test_what_a_person_asks_for_is_all_that_is_compared(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not first what is not committed, which takes its time."""
    asked = list[tuple[str, str]]()

    def compared(states: States, before: tuple[str, str], after: tuple[str, str], stop: threading.Event) -> Difference:
        asked.append((before[0], after[0]))
        return difference_elsewhere(states, before, after, stop)

    monkeypatch.setattr("tui.screens.diff.difference_elsewhere", compared)
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await shown(app, pilot)
        assert asked == [("HEAD~1", "HEAD")]
        await pilot.press("1")
        app.navigation.show_diff("HEAD..HEAD")
        await until(pilot, lambda: "These two do not differ" in screen_text(app), "no difference")
        assert asked == [("HEAD~1", "HEAD"), ("HEAD", "HEAD")]
        await pilot.press("enter", "space", "r", "E", "m", "slash", "n", "t", "y", "plus", "j", "k", "tab")
        assert app.screen is screen, "nothing to do anything with, and it says so"


async def test_keys_while_it_is_still_reading(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, ready = threading.Event(), threading.Event()

    def slow(states: States, before: tuple[str, str], after: tuple[str, str], stop: threading.Event) -> Difference:
        begun.set()
        ready.wait(30)
        return difference_elsewhere(states, before, after, stop)

    monkeypatch.setattr("tui.screens.diff.difference_elsewhere", slow)
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        app.navigation.show_diff("HEAD~1..HEAD")
        await until(pilot, begun.is_set, "the work")
        await pilot.press("enter", "r", "space", "E", "m", "j", "G", "slash", "n", "plus")
        screen = app.screen
        assert isinstance(screen, DiffScreen), "no dialog about nothing"
        ready.set()
        await until(pilot, lambda: "1 test leaves CI" in screen_text(app), "the difference")
        assert screen.table.has_focus and not app.session.view.marks


async def test_a_comparison_that_nobody_waits_for_is_ended(checkout: Checkout) -> None:
    """Its process would read states that nobody asked for, and hold up the one that is asked for."""
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: bool(app.session.matrix.ids), "the matrix")
        lock = app.session.workspace.states.cache.file("states") / "lock"
        with locked(lock, "the test", wait=10):
            app.navigation.show_diff("HEAD~2..HEAD~1")
            await until(pilot, lambda: len(_comparing()) == 1, "the first one waits for the lock")
            (first,) = _comparing()
            app.navigation.show_diff("HEAD~1..HEAD")
            await until(pilot, lambda: first not in _comparing() and len(_comparing()) == 1, "only the second one")
        await until(pilot, lambda: "1 test leaves CI" in screen_text(app), "the difference")


def _comparing() -> list[int]:
    """The processes that compare."""
    return [one.pid for one in psutil.Process().children(recursive=True) if "_difference" in _words(one)]


def _words(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


HOSTILE = (
    "[red]x[/]..HEAD",
    "--output=/tmp/x",
    "-n",
    "\x1b[31mred",
    "HEAD..$(touch x)",
    "a b",
    "..",
    "HEAD^{/x",
    "é" * 300,
)


@pytest.mark.parametrize("range", HOSTILE)
@pytest.mark.parametrize("uplift", [False, True])
async def test_names_that_no_commit_has(checkout: Checkout, range: str, uplift: bool) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        app.navigation.show_diff(range, uplift=uplift)
        await until(pilot, lambda: "comparing" not in screen_text(app).split("\n")[2], "an answer")
        assert "\x1b" not in screen_text(app)
        assert not (checkout.root / "x").exists()
        await pilot.press("b", "ctrl+u", *"HEAD~1..HEAD", "enter")
        await until(pilot, lambda: "1 test leaves CI" in screen_text(app), "another one")


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_the_list_grows_with_the_groups_that_are_unfolded(checkout: Checkout, size: tuple[int, int]) -> None:
    app = build_app(checkout)
    async with app.run_test(size=size) as pilot:
        screen = await shown(app, pilot)
        await pilot.press("underscore")
        await pilot.pause()
        folded = screen.table.size.height
        await pilot.press("plus")
        await until(pilot, lambda: screen.table.size.height > folded, "the list is higher")
        assert screen.table.size.height == screen.panes._most_lines - 1
        await pilot.press("underscore")
        await until(pilot, lambda: screen.table.size.height == folded, "it is as before")


async def test_below_a_heading_is_what_to_look_at_and_the_rest_counted(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await shown(app, pilot)
        await go_to(pilot, screen, "alpha/pytorch")
        await pilot.press("plus")
        rows = [one for one in screen.listed if one.group == "alpha/pytorch"]
        removed = [one for one in rows if one.what.startswith("removed:")]
        await until(pilot, lambda: f"{len(removed)} removed" in screen_text(app), "the counts")
        words = dict.fromkeys(text for text, _ in group_words(rows, listed=True))
        assert f"{len(removed)} removed" in words
        assert not any(text.startswith("removed: ") for text in words)
        assert all(f"{one.what}  {one.name}" in words for one in rows if one.rank < 4)
        # Where the rows are not in the list, they are below it.
        assert len(group_words(rows, listed=False)) == min(len(rows), 50)
