# SPDX-License-Identifier: Apache-2.0
"""`o` opens the page of the job of a failure, where it is known, and invents none."""

from pathlib import Path

import pytest

from core.sources import Checkout
from tests.support.app import build_app, screen_text, until
from tests.support.ci_night import Night
from tests.support.cli import call
from tests.support.github_server import GitHub, reached
from tests.support.three_nights import nightly_checkout
from tests.support.tree import sample
from tui.screens.clusters import ClustersScreen

hub = pytest.fixture(reached)
ID = "alpha/pytorch-tiny-single_device-inference"


def from_github(hub: GitHub, checkout: Checkout) -> str:
    """Two nights, of which the second breaks a test; the page of its job."""
    Night(hub, 20).models("n150", {ID: "pass"})
    job = Night(hub, 21).models("n150", {ID: "RuntimeError: boom"})
    done = call("ingest", "--from-github", "--repository", "team/tt-xla", "--json", "--repo", checkout.root)
    assert done.code == 0, done.err
    return f"https://github.com/team/tt-xla/actions/runs/21/job/{job}"


@pytest.mark.parametrize(("key", "shown", "to"), [("7", "boom", ()), ("8", "new", ("j",))])
async def test_the_page_of_the_job(
    hub: GitHub, tmp_path: Path, key: str, shown: str, to: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout = sample(tmp_path / "tt-xla")
    page = from_github(hub, checkout)
    app = build_app(checkout)
    opened: list[str] = []
    monkeypatch.setattr(app.notifications, "open_page", opened.append)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press(key)
        await until(pilot, lambda: shown in screen_text(app), "the failure")
        await pilot.press(*to, "o")
        await until(pilot, lambda: opened == [page], "the page")


async def test_no_page_is_invented(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = build_app(nightly_checkout(tmp_path / "tt-xla"))
    opened: list[str] = []
    said: list[str] = []
    monkeypatch.setattr(app.notifications, "open_page", opened.append)
    monkeypatch.setattr(app.notifications, "info", said.append)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("7")
        await until(pilot, lambda: app.navigation.screen(ClustersScreen).current is not None, "the clusters")
        await pilot.press("o")
        await until(pilot, lambda: "which job of CI" in " ".join(said), "what is lacking")
    assert not opened


def test_results_and_since_have_it(hub: GitHub, tmp_path: Path) -> None:
    checkout = sample(tmp_path / "tt-xla")
    page = from_github(hub, checkout)
    (shown,) = call("verdicts", ID, "--json", "--repo", checkout.root).json[:1]
    assert page in [row["url"] for row in shown["rows"]]
    assert page in call("since", ID, "--repo", checkout.root).err + call("since", ID, "--repo", checkout.root).out
