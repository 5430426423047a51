# SPDX-License-Identifier: Apache-2.0
"""Hosts on a screen: taken up and down, what runs there, and what is said when one is lost; a real cluster."""

import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.base.settings import HOME_VARIABLE, paths
from core.runs.cluster import HostState
from core.runs.execution import cancel_all
from core.runs.execution.launch import launch
from core.runs.store import RunStore
from tests.core.runs.conftest import MakeSpec, make_spec  # noqa: F401 - a fixture
from tests.support.app import build_app, screen_text, type_text, until
from tests.support.cluster import NO_DASK, FakeHosts, fake_hosts
from tests.support.fake_python import use_fake_python
from tests.support.git import committed_checkout
from tests.support.tree import sample
from tui.app.app import TTMatrixApp

pytestmark = [pytest.mark.slow("workers and their runs are real processes"), pytest.mark.timeout(120)]


def _words(app: TTMatrixApp) -> str:
    """What is on the screen, with a space between its words, however wide the columns are."""
    return " ".join(screen_text(app).split())


@pytest.fixture
def hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHosts]:
    pytest.importorskip("distributed", reason=NO_DASK)
    with fake_hosts(tmp_path / "hosts") as found:
        monkeypatch.setenv(HOME_VARIABLE, str(found.homes.parent / "home"))
        found.add("near", labels=("small",), slots=2)
        found.serve()
        yield found


async def test_from_down_to_up_with_a_run_to_lost_and_back(
    hosts: FakeHosts,
    tmp_path: Path,
    make_spec: MakeSpec,  # noqa: F811
) -> None:
    checkout = sample(tmp_path / "tt-xla")
    store = RunStore(paths().runs)
    app = build_app(checkout)
    async with app.run_test(size=(120, 30), notifications=True) as pilot:
        await pilot.press("f2")
        await until(pilot, lambda: "near down" in _words(app), "the machine")
        await pilot.press("j", "u")
        await until(pilot, lambda: "near up □□ 0/2" in _words(app), "the machine up")
        await until(pilot, lambda: "1 of 1 host up" in screen_text(app), "how many are up")
        code = "import time; print('its first line', flush=True); time.sleep(600)"
        spec = replace(make_spec(code), needs="near")
        launch(store, spec)
        try:
            await until(pilot, lambda: "■□ 1/2" in screen_text(app), "the run there")
            await pilot.press("enter")
            await until(pilot, lambda: "its first line" in screen_text(app), "the log of the run")
            await pilot.press("f2")
            os.kill(hosts.pid("near"), signal.SIGKILL)
            said = "near is lost: the link is gone"
            await until(pilot, lambda: any(said in one.message for one in app._notifications), "the message")
            await until(pilot, lambda: hosts.state("near") is HostState.UP, "it back")
            await until(pilot, lambda: "near up" in _words(app), "it up again")
            await pilot.press("D")
            await until(pilot, lambda: "Disconnect near?" in screen_text(app), "the question")
            await pilot.press("y")
            await until(pilot, lambda: "near down" in _words(app), "it down")
        finally:
            cancel_all(store, [spec.run_id])


async def test_a_check_says_what_a_machine_lacks(hosts: FakeHosts, tmp_path: Path) -> None:
    app = build_app(sample(tmp_path / "tt-xla"))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("f2")
        await until(pilot, lambda: "near" in screen_text(app), "the machine")
        await pilot.press("j", "c")
        await until(pilot, lambda: "no  checkout" in screen_text(app), "what it lacks")
        assert "Set it: ttmatrix hosts add near --checkout DIR" in screen_text(app)


async def test_a_session_is_planned_and_queued_on_machines_that_are_up(hosts: FakeHosts, tmp_path: Path) -> None:
    home = hosts.homes.parent / "home"
    use_fake_python(home, tmp_path)
    checkout = committed_checkout(sample(tmp_path / "tt-xla"))
    hosts.add(
        "far", labels=("p150",), checkout=str(checkout.root), python=str(tmp_path / "python"), worker=sys.executable
    )
    hosts.serve("far")
    app = build_app(checkout, query="alpha/pytorch-tiny has:entry")
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await until(pilot, lambda: "1 up" in screen_text(app), "the machine up")
        await pilot.press("asterisk", "colon")
        await type_text(pilot, "plan 1")
        await pilot.press("enter")
        await until(pilot, lambda: "2 cells in" in screen_text(app), "the plan")
        assert "far" in screen_text(app)
        await pilot.press("enter")
        await until(pilot, lambda: "Start 2 device runs?" in screen_text(app), "the question")
        await pilot.press("y")
        await until(pilot, lambda: len(app.session.runs) == 2, "the runs")
        await until(pilot, lambda: not any(one.active for one in app.session.runs), "their ends")
        assert {(one.place, one.spec.arch) for one in app.session.runs} == {("far", "p150")}
        await pilot.press("f2", "f3")
        await until(pilot, lambda: "results short of a verdict" in screen_text(app), "the plan afterwards")
