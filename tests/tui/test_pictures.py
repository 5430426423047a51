# SPDX-License-Identifier: Apache-2.0
"""Every screen and dialog looks as it did: the pictures in `__snapshots__`, taken anew by `make pictures`.

When a dialog closes, the keys are for the widget that they were for before it.

The pictures here are at the smallest size and at a large one; at 120x40, `test_themes` takes them on its way through
the themes.
"""

import importlib
import pkgutil
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from rich.text import Text
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from textual.pilot import Pilot
from textual.screen import Screen

import tui
from core.base.settings import load_settings, paths
from core.evidence import CiJob, JobState, github, store_file
from core.evidence.ci_runs import Death, HowDied
from core.matrix.view import LEARNED
from core.runs import CheckedLine, PatternResult, Trial
from core.runs.filecheck import Tool
from core.runs.ir import folded_lines
from tests.screenshots import SCREENSHOTS, plain, screenshots
from tests.support.app import build_app, screen_text, type_text, until
from tests.support.fake_python import use_fake_python
from tests.support.focus import Focus
from tests.support.picture import still
from tests.support.recorded import HOSTS, at_noon, nights, record_hosts, record_profiles, record_runs
from tests.support.reports import keep
from tests.support.sample import sample_checkout
from tui.app.app import PLAIN, Appearance, TTMatrixApp
from tui.commands import Where, screen_commands
from tui.screens import SCREENS, Dialog, DoctorScreen, PlanScreen, TriageScreen
from tui.screens.clusters import ClustersScreen
from tui.screens.group_decision import GroupDecision
from tui.screens.list_dialog import ListDialog
from tui.screens.overview import OverviewScreen
from tui.screens.report import ReportScreen
from tui.screens.whole_dialog import WholeDialog
from tui.view_models import launch_text

_QUERY = "status:xfail mode:training"
_VIT = "patch_vit/pytorch-Small_Patch8-single_device-training"
_SIZES = ((80, 24), (200, 60))
ROOT = Path(__file__).parents[2]

_FILLED: dict[Where, Callable[[TTMatrixApp], bool]] = {
    Where.TRIAGE: lambda app: bool(app.navigation.screen(TriageScreen).tests.changes),
    Where.DOCTOR: lambda app: len(app.navigation.screen(DoctorScreen).table.source) > 0,
    Where.CLUSTERS: lambda app: len(app.navigation.screen(ClustersScreen).table.source) > 0,
    Where.PLAN: lambda app: len(app.navigation.screen(PlanScreen).table.source) > 0,
    Where.DIFF: lambda app: "comparing" not in screen_text(app),
    Where.REPORT: lambda app: len(app.navigation.screen(ReportScreen).rows) > 1,
    Where.OVERVIEW: lambda app: _all_counted(app, app.navigation.screen(OverviewScreen)),
}
"""When the rows of a screen that come from a thread are there."""


def _all_counted(app: TTMatrixApp, overview: OverviewScreen) -> bool:
    return overview.complete and app.session.view.learned.keys() >= {*LEARNED}


Shown = AsyncIterator[tuple[str, str]]
"""The name of a picture, and the picture."""


class Pictures(SingleFileSnapshotExtension):
    """A file a size."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


class Walk:
    """Goes through the app and takes pictures."""

    def __init__(self, app: TTMatrixApp, pilot: Pilot[Any]) -> None:
        self._app = app
        self._pilot = pilot
        self.seen: set[type[Screen[Any]]] = set()
        """The classes of the screens and dialogs that have a picture."""

    async def _take(self, what: str | Callable[[], bool]) -> str:
        """The screen in front, once it shows a text or a condition holds, and nothing moves any more."""
        await until(
            self._pilot, what if callable(what) else lambda: what in screen_text(self._app), f"the picture: {what}"
        )
        self.seen.add(type(self._app.screen))
        return await still(self._app, self._pilot)

    async def everything(self) -> Shown:
        """All pictures, in the order in which they are stored."""
        await self._find_test()
        for part in (
            self._matrix(),
            self._entry_dialogs(),
            self._op_cases(),
            self._screens(),
            self._run_dialogs(),
            self._profiles(),
            self._job_log(),
            self._group(),
            self._commit(),
        ):
            async for name, text in part:
                yield name, text

    async def _find_test(self) -> None:
        await self._pilot.press("/", "ctrl+u")
        await type_text(self._pilot, _QUERY)
        await self._pilot.press("enter")
        await until(self._pilot, lambda: "patch_vit" in screen_text(self._app), "the tests")
        while self._app.matrix_screen.current != _VIT:
            await self._pilot.press("j")

    async def _matrix(self) -> Shown:
        press = self._pilot.press
        yield "matrix", await self._take("patch_vit")
        await press("slash", "end", "space")
        await type_text(self._pilot, "arch:")
        yield "query", await self._take("arch:")
        await press("ctrl+u")
        await type_text(self._pilot, _QUERY)
        await press("enter", "d")
        yield "matrix with details", await self._take("patch_vit")
        await press("d", "f")
        yield "facets", await self._take("filter by")
        await press("f", "number_sign")
        yield "grid", await self._take("loader")
        await press("number_sign", "question_mark")
        yield "help", await self._take("Keys that work here")
        await press("escape", "colon")
        await type_text(self._pilot, "mark")
        yield "command line", await self._take("Mark or unmark the row")
        await press("ctrl+u")
        await type_text(self._pilot, "theme ")
        yield "themes", await self._take("contrast")
        await press("escape")
        await press("H")
        yield "commits of an entry", await self._take("Add the sample models")
        await press("escape", "C")
        yield "columns", await self._take("Columns of the table")
        await press("escape", "V")
        yield "saved views", await self._take("Saved views")
        await press("n")
        yield "name of a view", await self._take("Save this view as")
        await press("escape", "escape")

    async def _entry_dialogs(self) -> Shown:
        press = self._pilot.press
        await press("M")
        yield "entry menu", await self._take("delete")
        await type_text(self._pilot, "delete")
        await press("enter")
        yield "question", await self._take("Delete the entry?")
        await press("escape", "e")
        yield "notice", await self._take("No terminal for an editor")
        await press("escape", "asterisk", "slash", "ctrl+u")
        await type_text(self._pilot, "patch_vit mode:training")
        await press("enter", "T")
        yield "targets", await self._take("Hidden by the filter")
        await press("escape", "ctrl+n")
        await self._find_test()
        await press("R")
        yield "launch", await self._take("ready to run")
        await press("escape", "X")
        yield "file of ops", await self._take("Extract the ops of this model into")
        await press("escape", "E")
        yield "edit form", await self._take("bringup_status")
        await press("left", "enter")
        await until(self._pilot, lambda: "1 pending" in screen_text(self._app), "the change")

    async def _op_cases(self) -> Shown:
        press = self._pilot.press
        await press("1", "escape", "slash", "ctrl+u")
        await type_text(self._pilot, "kind:op")
        await press("enter")
        yield "op cases", await self._take("nano_lm::embed_tokens")
        await press("enter")
        yield "details of an op case", await self._take("tolerances")
        await press("escape", "number_sign")
        yield "ops of models", await self._take("torch.getitem")
        await press("number_sign", "R")
        yield "launch of op cases", await self._take("ready to run")
        await press("escape", "E")
        yield "edit form of an op case", await self._take("skip_if")
        await press("f1")
        yield "keys of a dialog", await self._take("Leave")
        await press("escape", "escape", "escape", "escape")

    async def _screens(self) -> Shown:
        """Whatever the table of screens has."""
        for where, command in screen_commands():
            if where is Where.HOSTS:
                await self._has_hosts(HOSTS, "1 lost")
            await self._pilot.press(command.keys.split(",")[0])
            filled = _FILLED.get(where, lambda _: True)
            yield str(where), await self._take(lambda filled=filled: filled(self._app))  # type: ignore[misc]
        await self._pilot.press("1")
        await self._has_hosts("", "")

    async def _has_hosts(self, text: str, title: str) -> None:
        """Machines from now on: those of the hosts file `text`, one of them lost."""
        record_hosts(text)

        def shown() -> bool:
            words = "\n".join(screen_text(self._app).splitlines()[:3])
            return title in words if title else "lost" not in words

        await until(self._pilot, shown, f"hosts: {title}")

    async def _run_dialogs(self) -> Shown:
        press = self._pilot.press
        await press("2", "g", "3")
        yield "log", await self._take("RuntimeError")
        await press("slash")
        await type_text(self._pilot, "dtype")
        yield (
            "log with a search",
            await self._take(lambda: re.search(r"dtype.* \d of \d", screen_text(self._app)) is not None),
        )
        await press("escape", "escape", "2", "g", "space", "j", "c")
        yield "two logs", await self._take("Two logs")
        await press("escape", "ctrl+n")

    async def _profiles(self) -> Shown:
        press = self._pilot.press
        await press("8", "p")
        yield "profiles", await self._take("1 test, 2 profiles")
        await press("j", "x")
        yield "export", await self._take("Write this table to a file")
        await press("escape", "i")
        await self._take("Compare which program?")
        await press("down", "enter")
        yield "two programs", await self._take("1 removed")
        await press("escape", "escape", "2", "G", "i")
        yield "programs", await self._take("2 programs")
        await press("G", "enter", "P")
        yield "pattern", await self._take("failed at line 1")
        await press("escape")
        await self._take("Close without writing")
        await press("y", "escape", "escape")

    async def _job_log(self) -> Shown:
        job = CiJob(3, 2, 1, "run_forge_models 0 on n150", "completed", "failure", url="https://example.com/o/r/job/3")
        session = self._app.session
        file = github.log_file(store_file(session.paths.evidence, session.checkout.root), job)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"line {number}\n" for number in range(200)) + "##[error]no space left on device\n")
        death = Death(HowDied.FAILED, "Run tests", "no space left on device", line=201)
        self._app.navigation.show_job_log(JobState(job, death=death))
        yield "log of a job", await self._take("##[error]")
        await self._pilot.press("1")

    async def _group(self) -> Shown:
        await self._pilot.press("4", "g", "E")
        yield "group", await self._take(lambda: isinstance(self._app.screen, GroupDecision))
        await self._pilot.press("escape")

    async def _commit(self) -> Shown:
        press = self._pilot.press
        await press("5", "a")
        await until(self._pilot, lambda: "2 cells" in screen_text(self._app), "what it does to the matrix")
        await press("c")
        yield "commit", await self._take("and nothing else")
        await press("escape")


def _trial(text: str, program: Path) -> Trial:
    """As FileCheck says it where it is installed."""
    line = CheckedLine(1, "CHECK", False, 1, "expected string not found in input", 2)
    excerpt = dict(enumerate(folded_lines(program), 1))
    return Trial(Tool(Path("FileCheck"), "14.0.6"), PatternResult(False, (line,), ""), excerpt)


def pictured_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, look: Appearance = PLAIN) -> TTMatrixApp:
    """The app on results, runs and profiles that are always the same, and without what differs between machines."""
    monkeypatch.setenv("VISUAL", "vi")
    # TorchInductor sets it for its whole process.
    monkeypatch.delenv("TORCHINDUCTOR_CACHE_DIR", raising=False)
    checkout = sample_checkout(tmp_path / "tt-xla")
    use_fake_python(paths().settings_file.parents[1], tmp_path)
    keep(checkout, list(nights()))
    record_runs(checkout)
    record_profiles(checkout)

    def shortened(plan: Any) -> Text:
        """The same without the places of this machine, whose lengths decide where lines end, and without random words."""
        text = launch_text(plan).markup
        for place, name in ((tmp_path, "~"), (ROOT, "~/ttmatrix"), (paths().state.parent, "~/home")):
            text = text.replace(str(place), name)
        text = re.sub(r"/runs/[\w-]+", "/runs/ID", text)
        return Text.from_markup(re.sub(r"(TTMATRIX_RUN=|--nonce=)([\w-]+)", lambda m: m[1] + "0" * len(m[2]), text))

    monkeypatch.setattr("tui.view_models.hosts.this_host", lambda: "build-07")
    monkeypatch.setattr("tui.screens.launch.launch_text", shortened)
    monkeypatch.setattr("tui.screens.pattern_check.try_pattern", _trial)
    return build_app(checkout, query=_QUERY, settings=load_settings(paths().settings_file), op_cases=True, look=look)


@pytest.mark.parametrize(
    "size",
    [pytest.param(size, id="{}x{}".format(*size), marks=pytest.mark.slow("every screen is shown")) for size in _SIZES],
)
async def test_every_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion, size: tuple[int, int]
) -> None:
    app = pictured_app(tmp_path, monkeypatch)
    focus = Focus(app, monkeypatch)
    with at_noon():
        async with app.run_test(size=size) as pilot:
            walk = Walk(app, pilot)
            shown = [f"===== {name} =====\n{text}" async for name, text in walk.everything()]
    assert not [one.__name__ for one in dialogs() | {one.load() for one in SCREENS} if one not in walk.seen]
    found = "\n".join(shown).replace(str(tmp_path), "~")
    assert found == snapshot(extension_class=Pictures), "if the screens are to look like that: make pictures"
    assert focus.lost == []
    assert {one.__name__ for one in dialogs() - focus.closed} == set()


@pytest.mark.slow("screens are shown")
async def test_the_screenshots_of_the_readme_are_of_today(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    taken = {name: svg async for name, svg in screenshots(tmp_path)}
    if pytestconfig.option.update_snapshots:
        for name, svg in taken.items():
            (SCREENSHOTS / name).write_text(svg, encoding="utf-8")
    stored = {path.name: path.read_text(encoding="utf-8") for path in SCREENSHOTS.glob("*.svg")}
    assert stored.keys() == taken.keys()
    other = [name for name in taken if plain(taken[name]) != plain(stored[name])]
    assert other == [], "if the screens are to look like that: make pictures"


def dialogs() -> set[type[Screen[Any]]]:
    """All classes of dialogs there are, without those that only others are made from."""
    for module in pkgutil.walk_packages(tui.__path__, "tui."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    found: set[type[Screen[Any]]] = set()
    left: list[type[Any]] = [Dialog]
    while left:
        kind = left.pop()
        found.add(kind)
        left += [one for one in kind.__subclasses__() if one.__module__.startswith("tui.")]
    return {kind for kind in found - {Dialog, ListDialog, WholeDialog} if not kind.__name__.startswith("_")}
