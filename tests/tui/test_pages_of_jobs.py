# SPDX-License-Identifier: Apache-2.0
"""`o` opens the page of the job of what is under the cursor, on every screen by one rule, and invents none."""

from pathlib import Path

import pytest

from core.evidence import Page
from core.sources import Checkout
from tests.support.app import build_app, screen_text, until
from tests.support.ci_night import Night, ingest
from tests.support.cli import call
from tests.support.github_server import GitHub, reached
from tests.support.three_nights import nightly_checkout
from tests.support.tree import sample
from tui.app.app import TTMatrixApp
from tui.screens.clusters import ClustersScreen

hub = pytest.fixture(reached)
ID = "alpha/pytorch-tiny-single_device-inference"
RUN = "https://github.com/team/tt-xla/actions/runs/21"


def from_github(hub: GitHub, checkout: Checkout) -> str:
    """Three nights, of which the second one and the third break a test; the page of its last job."""
    Night(hub, 19).models("n150", {ID: "pass"})
    Night(hub, 20).models("n150", {ID: "RuntimeError: boom"})
    night = Night(hub, 21)
    job = night.models("n150", {ID: "RuntimeError: boom"})
    # A newer result on another arch, which is not what the row of the failure is about.
    night.models("p150", {ID: "pass"})
    ingest(checkout)
    return f"{RUN}/job/{job}"


def pages_of(app: TTMatrixApp, monkeypatch: pytest.MonkeyPatch) -> list[Page]:
    """The pages that are opened from now on, and the reasons where there are none."""
    opened: list[Page] = []
    monkeypatch.setattr(app.notifications, "open_page", opened.append)
    return opened


def app_with_a_night(
    hub: GitHub, scratch: Path, monkeypatch: pytest.MonkeyPatch, query: str = ""
) -> tuple[TTMatrixApp, list[Page], str]:
    """An app on a checkout with a night of CI, the pages that it opens from now on, and the page of the failed job."""
    checkout = sample(scratch / "tt-xla")
    page = from_github(hub, checkout)
    app = build_app(checkout, query=query)
    return app, pages_of(app, monkeypatch), page


@pytest.mark.parametrize(
    ("keys", "shown", "to"),
    [
        (("1", "at"), "arch n150", ()),
        (("1", "at", "enter"), "RuntimeError: boom", ()),
        (("1", "m"), "Group", ("enter",)),
        (("4",), "boom", ()),
        (("4",), "boom", ("l", "j")),
        (("7",), "boom", ()),
        (("7", "enter"), "1 cell", ()),
        (("f4", "f"), "broke", ()),
        (("f7",), "RuntimeError: boom", ("j", "j")),
    ],
)
async def test_the_page_of_the_job(
    hub: GitHub,
    tmp_path: Path,
    keys: tuple[str, ...],
    shown: str,
    to: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app, opened, page = app_with_a_night(hub, tmp_path, monkeypatch, ID)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press(*keys)
        await until(pilot, lambda: shown in screen_text(app), "what it is about")
        await pilot.press(*to, "o")
        await until(pilot, lambda: bool(opened), "the page")
    assert opened[0].url == page


async def test_what_is_pending_leads_to_the_job_in_which_it_began(
    hub: GitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, opened, _ = app_with_a_night(hub, tmp_path, monkeypatch)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("4")
        await until(pilot, lambda: "boom" in screen_text(app), "the failure")
        await pilot.press("a", "5", "o")
        await until(pilot, lambda: bool(opened), "the page")
    assert opened[0].url == "https://github.com/team/tt-xla/actions/runs/20/job/20001"


async def test_a_heading_of_the_night_leads_to_the_run(
    hub: GitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, opened, _ = app_with_a_night(hub, tmp_path, monkeypatch)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.press("f7")
        await until(pilot, lambda: "boom" in screen_text(app), "the night")
        await pilot.press("g", "o")
        await until(pilot, lambda: bool(opened), "the page")
        await pilot.press("8")
        await until(pilot, lambda: "1 persisting" in screen_text(app), "both runs")
        await pilot.press("o")
        await until(pilot, lambda: len(opened) == 2, "the page of the first of a group")
    assert opened[0].url == RUN
    assert opened[1].url.startswith(f"{RUN}/job/")


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        (("1",), "no report has a result of it"),
        (("2",), "No run is listed"),
        (("4",), "do not name their run on GitHub"),
        (("6",), "Nothing here is of a job"),
        (("7",), "do not name their run on GitHub"),
        (("f7",), "no page on GitHub"),
        (("f2",), "Nothing here is of a job"),
        (("f4",), "counts many jobs"),
    ],
)
async def test_no_page_is_invented(
    tmp_path: Path, keys: tuple[str, ...], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = build_app(nightly_checkout(tmp_path / "tt-xla"))
    opened = pages_of(app, monkeypatch)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("7")
        await until(pilot, lambda: app.navigation.screen(ClustersScreen).current is not None, "the clusters")
        await until(pilot, lambda: app.worklists.known is not None, "what is to be decided")
        await pilot.press(*keys, "o")
        await until(pilot, lambda: bool(opened), "what is lacking")
    assert not opened[0].url and why in opened[0].why


def test_results_and_since_have_it(hub: GitHub, tmp_path: Path) -> None:
    checkout = sample(tmp_path / "tt-xla")
    page = from_github(hub, checkout)
    (shown,) = call("verdicts", ID, "--json", "--repo", checkout.root).json[:1]
    assert page in [row["url"] for row in shown["rows"]]
    said = call("since", ID, "--repo", checkout.root)
    assert "/actions/runs/20/job/20001" in said.err + said.out
