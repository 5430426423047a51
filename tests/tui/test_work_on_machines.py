# SPDX-License-Identifier: Apache-2.0
"""Two machines from the app: tests of two archs run there, a link is cut, the run goes elsewhere, the result is committed."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from core.base.processes import run_command
from core.base.settings import HOME_VARIABLE
from core.runs import Outcome
from core.runs.execution import cancel_all
from core.sources import Checkout
from tests.support.app import build_app, flat, screen_text, until
from tests.support.cluster import NO_DASK, FakeHosts, fake_hosts
from tests.support.fake_python import use_fake_python
from tests.support.git import committed_checkout
from tests.support.tree import sample
from tui.app.app import TTMatrixApp
from tui.screens import RunsScreen

pytestmark = [pytest.mark.slow("workers and their runs are real processes"), pytest.mark.timeout(150)]

TEST = "alpha/pytorch-tiny-single_device-inference"
"""It passes with less precision than its entry asks for."""
HANGS = """\
#!/bin/sh
case "$*" in *junitxml*) echo 'the first line there'; exec sleep 600 ;; esac
exec {python} "$@"
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A checkout whose policy needs only one result per arch."""
    found = sample(tmp_path / "tt-xla")
    (found.root / "ttmatrix-policy.toml").write_text("minimum_runs = 1\ngrace_days = 0.0\n")
    return committed_checkout(found)


@pytest.fixture
def hosts(checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHosts]:
    """Both are up. `one` has one arch, and what runs there hangs; `other` has two."""
    pytest.importorskip("distributed", reason=NO_DASK)
    with fake_hosts(tmp_path / "hosts") as found:
        home = found.homes.parent / "home"
        monkeypatch.setenv(HOME_VARIABLE, str(home))
        use_fake_python(home, tmp_path)
        hangs = tmp_path / "hangs"
        hangs.write_text(HANGS.format(python=tmp_path / "python"))
        hangs.chmod(0o755)
        both = {"checkout": str(checkout.root), "worker": sys.executable}
        found.add("one", labels=("n150",), python=str(hangs), **both)
        found.add("other", labels=("n150", "p150"), python=str(tmp_path / "python"), **both)
        found.serve("one", "other")
        yield found


async def test_tests_of_two_archs_run_where_they_fit_and_are_committed(hosts: FakeHosts, checkout: Checkout) -> None:
    app = build_app(checkout, query="alpha/pytorch-tiny has:entry")
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await until(pilot, lambda: "2 up" in screen_text(app), "the machines")
        await pilot.press("asterisk", "r")
        await until(pilot, lambda: "each that hosts have: n150, p150" in screen_text(app), "the dialog")
        await until(pilot, lambda: "2 where n150 is up, 2 where p150 is up" in screen_text(app), "where they go")
        await pilot.press("enter", "2")
        try:
            await until(pilot, lambda: {one.place for one in app.session.runs} >= {"one", "other"}, "both at work")
            for place, line in (("other", "collected 1 item"), ("one", "the first line there")):
                await highlight(app, pilot, place)
                await until(pilot, lambda line=line: line in screen_text(app), f"the log of {place}")  # type: ignore[misc]
            os.kill(hosts.pid("one"), signal.SIGKILL)
            await until(pilot, lambda: "one is lost: the link is gone" in said(app), "the message")
            await until(pilot, lambda: not any(one.active for one in app.session.runs), "the ends of the runs")
            assert [(one.place, one.outcome) for one in app.session.runs] == [("other", Outcome.PASS)] * 4
            await pilot.press("g")
            await until(pilot, lambda: "machines 4 other" in flat(app), "where the batch has run")
            assert " 4 100% " in flat(app)
        finally:
            cancel_all(app.session.store, [one.spec.run_id for one in app.session.runs if one.active])
        await pilot.press("4")
        await until(pilot, lambda: "2 of 2 open" in screen_text(app), "what the results suggest")
        await pilot.press("a")
        await until(pilot, lambda: "Accept 2 tests?" in screen_text(app), "the question: both fail in the same way")
        await pilot.press("y", "5", "c")
        await until(pilot, lambda: "Commit 2 tests" in screen_text(app), "the message of the commit")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "Committed" in screen_text(app), "the commit")
    done = run_command(["git", "show", "--format=%B", "--unified=0"], cwd=checkout.root).stdout
    assert TEST in done and "+    required_pcc: 0.97\n" in done


def said(app: TTMatrixApp) -> str:
    """All messages that the app has shown and not withdrawn."""
    return "\n".join(one.message for one in app._notifications)


async def highlight(app: TTMatrixApp, pilot: Pilot[Any], place: str) -> None:
    """Move to a run on a machine."""
    await pilot.press("g")
    for _ in app.session.runs:
        current = app.navigation.screen(RunsScreen).runs.current
        if current is None or current.place != place:
            await pilot.press("j")
