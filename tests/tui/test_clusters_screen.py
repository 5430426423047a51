# SPDX-License-Identifier: Apache-2.0
"""Clusters on a screen: members, one text, one issue, one rerun, the proposals for all."""

from pathlib import Path

import pytest

from core.domain.model import TEST_MODULE
from core.edits.pending import Decision
from core.sources import Checkout
from tests.support.app import build_app, screen_text, type_text, until
from tests.support.three_nights import DRIFTED, SILENT, nightly_checkout
from tui.screens.clusters import ClustersScreen


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return nightly_checkout(tmp_path / "tt-xla")


async def test_into_a_cluster_and_to_the_test(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("7")
        await until(pilot, lambda: "clusters of failures" in screen_text(app), "the clusters")
        assert "Out of Memory: not enough space for a DRAM buffer" in screen_text(app)
        assert app.navigation.screen(ClustersScreen).current is not None
        await pilot.press("enter", "G")
        await until(pilot, lambda: "10 cells of" in screen_text(app), "the members")
        member = app.navigation.screen(ClustersScreen).member
        assert member is not None
        await until(pilot, lambda: f"{member.id} on {member.arch}" in screen_text(app), "all about the member")
        await pilot.press("enter")
        await until(pilot, lambda: app.matrix_screen.current == member.id, "the test in the matrix")
        await pilot.press("7", "escape")
        await until(pilot, lambda: "clusters of failures" in screen_text(app), "the clusters again")


async def test_one_text_and_one_issue_for_all(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("7")
        await until(pilot, lambda: "clusters of failures" in screen_text(app), "the clusters")
        await pilot.press("c", "enter")
        (change,) = app.session.pending.changes
        assert {op.value for op in change.ops} == {"Out of Memory: not enough space for a DRAM buffer"}
        assert len(change.ops) == 5
        await pilot.press("i")
        await type_text(pilot, "o/r")
        await pilot.press("enter")
        await until(pilot, lambda: "is not an issue reference" in screen_text(app), "the refusal")
        # What was typed is there to be corrected; the form of the column is one.
        assert "o/r" in screen_text(app)
        await pilot.press("ctrl+u")
        await type_text(pilot, "tt-xla")
        await pilot.press("number_sign", "1", "2")
        await pilot.press("enter")
        _, attached = app.session.pending.changes
        assert {op.value for op in attached.ops} == {"DRAM OOM - https://github.com/tenstorrent/tt-xla/issues/12"}


async def test_what_runs_propose_for_all_of_it(checkout: Checkout) -> None:
    # Upstream's runner wants a device and its plugin, which are not here.
    runner = checkout.root / TEST_MODULE
    runner.parent.mkdir(parents=True, exist_ok=True)
    runner.touch()
    app = build_app(checkout)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("7")
        await until(pilot, lambda: "clusters of failures" in screen_text(app), "the clusters")
        await pilot.press("p")
        await until(pilot, lambda: len(app.session.pending.changes) == 4, "the proposals")
        assert {change.decision for change in app.session.pending.changes} == {Decision.UNDECIDED}
        assert DRIFTED in {op.id for change in app.session.pending.changes for op in change.ops}
        await pilot.press("p")
        await until(pilot, lambda: any("pending already" in one.message for one in app._notifications), "no others")
        await pilot.press("r")
        await until(pilot, lambda: "These runs cannot start here" in screen_text(app), "what is in the way")


async def test_a_filter_finds_clusters_by_their_tests(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("7")
        await until(pilot, lambda: "clusters of failures" in screen_text(app), "the clusters")
        await pilot.press("slash")
        await type_text(pilot, SILENT.split("-")[1])
        await until(pilot, lambda: "1 of 3 clusters" in screen_text(app), "the one")
        await pilot.press("enter", "tab", "tab", "escape")
        await until(pilot, lambda: "1 of 3 clusters" not in screen_text(app), "all of them")


async def test_its_cells_have_the_lines_that_what_is_said_about_one_leaves(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("7")
        await until(pilot, lambda: "clusters of failures" in screen_text(app), "the clusters")
        screen = app.navigation.screen(ClustersScreen)
        await pilot.press("enter", "G")
        await until(pilot, lambda: "10 cells of" in screen_text(app), "the cells")
        await until(pilot, lambda: screen.table.size.height == 11, "all of them, below their heads")
        await pilot.press("escape")
        await until(pilot, lambda: screen.table.size.height <= 8, "a cluster has more to be said about")
