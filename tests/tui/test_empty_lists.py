# SPDX-License-Identifier: Apache-2.0
"""A list without rows says why, and what to do next."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from core.runs.store import RunRecord
from tests.support.app import build_app, flat, screen_text, type_text, until
from tests.support.recorded import at_noon, nights, record_runs
from tests.support.reports import keep
from tests.support.sample import sample_checkout
from tests.support.tree import sample
from tui.app.app import TTMatrixApp
from tui.screens import DoctorScreen, RunsScreen
from tui.screens.clusters import ClustersScreen


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("1", "No test matches the filter: / changes it, esc clears it."),
        ("2", "No runs yet: r in the matrix starts one."),
        ("4", "There are no results yet: `ttmatrix ingest"),
        ("5", "Nothing is pending: E in the matrix edits entries."),
        ("9", "There is no workflow yet: T in the matrix starts one."),
    ],
)
async def test_a_screen_without_rows(tmp_path: Path, key: str, words: str) -> None:
    app = build_app(sample(tmp_path), query="no such test")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(key)
        await until(pilot, lambda: words in flat(app), words)


async def test_a_list_that_a_filter_leaves_nothing_of(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("7")
        await until(pilot, lambda: "of failures" in screen_text(app), "the clusters")
        await pilot.press("slash")
        await type_text(pilot, "nowhere")
        await pilot.press("enter")
        await until(pilot, lambda: "No cluster matches the filter: esc clears it." in screen_text(app), "what to do")


@pytest.mark.parametrize(
    ("key", "words", "head"),
    [
        ("4", "There are no results yet: `ttmatrix ingest", "decision"),
        ("5", "Nothing is pending: E in the matrix edits entries.", "decision"),
    ],
)
async def test_a_filter_over_nothing_leaves_what_the_screen_is_for(
    tmp_path: Path, key: str, words: str, head: str
) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(key)
        await until(pilot, lambda: words in flat(app), words)
        await pilot.press("slash")
        await type_text(pilot, "nowhere")
        await pilot.pause()
        assert words in flat(app) and "matches the filter" not in flat(app)
        assert head not in screen_text(app), "the heads of columns that are not there"


async def test_findings_of_which_none_is_left(tmp_path: Path) -> None:
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("6")
        await until(pilot, lambda: len(app.navigation.screen(DoctorScreen).table.source) > 0, "the findings")
        app.navigation.screen(DoctorScreen)._show(())
        words = "and what fixes it. Nothing is wrong with this checkout."
        await until(pilot, lambda: words in flat(app), words)
        await pilot.press("slash", "x")
        await pilot.pause()
        assert words in flat(app)


@pytest.mark.parametrize(("key", "counted"), [("6", "0 findings"), ("7", "0 clusters")])
async def test_what_is_not_read_yet_is_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, counted: str
) -> None:
    monkeypatch.setattr(DoctorScreen, "_examine", lambda screen: screen._say())
    monkeypatch.setattr(ClustersScreen, "_read_evidence", lambda screen: None)
    app = build_app(sample(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(key, "slash", "x")
        await until(pilot, lambda: "━ / x" in screen_text(app), "the filter")
        await pilot.pause()
        assert counted not in screen_text(app) and "matches the filter" not in screen_text(app)


async def test_lists_beside_those_that_have_rows(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    keep(checkout, list(nights()))
    app = build_app(checkout)
    with at_noon():
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("4")
            await until(pilot, lambda: "needs attention: 3 of 3 open" in screen_text(app), "the tests")
            await pilot.press("f")
            await until(pilot, lambda: "No test is in this list: f shows the next one." in screen_text(app), "the PCC")
            await pilot.press("f4")
            await until(pilot, lambda: "as expected: █ all" in screen_text(app), "the report")
            await pilot.press("tab")
            words = "No cell broke or was fixed in this period. tab shows the next list."
            await until(pilot, lambda: words in screen_text(app), words)
            await pilot.press("8")
            await until(pilot, lambda: "4 persisting" in screen_text(app), "the differences")
            await pilot.press("f")
            words = "No difference is of this kind: f shows the next kind."
            await until(pilot, lambda: words in screen_text(app), words)


async def _runs(app: TTMatrixApp, pilot: Pilot[Any]) -> RunsScreen:
    await until(pilot, lambda: len(app.session.runs) > 2, "the runs")
    app.polling.stop()
    await pilot.press("2")
    await until(pilot, lambda: len(app.navigation.screen(RunsScreen).table.source) > 2, "their list")
    return app.navigation.screen(RunsScreen)


def _show(app: TTMatrixApp, runs: Sequence[RunRecord]) -> None:
    app.session.runs, app.session.all_runs = [*runs], [*runs]
    app.context.signals.runs_changed.publish(None)


@pytest.mark.parametrize("keys", [("tab",), ("tab", "z"), ("enter",), ("d", "tab", "z"), ("z",)])
async def test_the_list_has_the_keys_when_its_rows_are_gone(tmp_path: Path, keys: tuple[str, ...]) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    record_runs(checkout)
    app = build_app(checkout)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await _runs(app, pilot)
        await pilot.press(*keys)
        await pilot.pause()
        runs = app.session.runs
        _show(app, [])
        await until(pilot, lambda: screen.panes.alone, "that nothing is listed")
        if screen.panes.zoomed:
            await pilot.press("z")
        await until(pilot, lambda: screen.focused is screen.table, "the keys in the list")
        _show(app, runs)
        await until(pilot, lambda: not screen.panes.alone, "the runs again")
        await pilot.press("g", "j")
        assert screen.table.cursor == 1


async def test_the_keys_follow_where_a_batch_that_grows_takes_the_place_of_a_log(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    record_runs(checkout)
    app = build_app(checkout)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await _runs(app, pilot)
        few = [replace(one, spec=replace(one.spec, batch="grows")) for one in app.session.runs]
        _show(app, few)
        screen.table.cursor = len(screen.table.source) - 1
        await pilot.press("tab")
        await until(pilot, lambda: screen.log_view.has_focus, "the keys in the log")
        more = [replace(few[0], spec=replace(few[0].spec, run_id=f"{nth}", test_id=f"{nth}")) for nth in range(20)]
        _show(app, [*more, *few])
        await until(pilot, lambda: screen.runs.group is not None, "the batch in place of the run")
        assert screen.focused is screen.front and screen.front is not screen.log_view
