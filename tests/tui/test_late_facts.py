# SPDX-License-Identifier: Apache-2.0
"""What is not read yet looks different from what is not there, and becomes right by itself."""

import threading
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from core.matrix import describe, index, with_other_rows
from core.matrix.query import Learned, Query, VerdictColumns
from core.matrix.view import View, ViewSpec
from core.sources import Checkout
from core.workspace import Workspace
from tests.support.app import build_app, screen_text, type_text, until
from tests.support.op_rows import SOME_RESULTS, some_op_rows
from tests.support.sample import sample_checkout
from tests.support.tree import sample
from tui.session import Session
from tui.view_models import MatrixRows, detail_text, order_words
from tui.widgets import QueryInput


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample_checkout(tmp_path / "tt-xla")


@pytest.fixture
def may_go_on(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Until it is set, no facts are read."""
    found, learn = threading.Event(), Session.compute_columns

    def slowly(session: Session, workspace: Workspace, names: Iterable[str]) -> Learned:
        assert found.wait(60)
        return learn(session, workspace, names)

    monkeypatch.setattr(Session, "compute_columns", slowly)
    return found


def _column(view: View, name: str) -> dict[str, str]:
    """The texts of a column of the table, by id."""
    rows = MatrixRows(view, {}, frozenset())
    at = view.table_columns.index(name)
    return {rows.key(row): "".join(cell.text for cell in rows.cells(row)[at]) for row in range(len(rows))}


@pytest.mark.parametrize("name", ["verdict", "samples_per_s", "result", "evidence"])
def test_cells_of_the_table_wait_for_results(tmp_path: Path, name: str) -> None:
    models = index(sample(tmp_path / "tt-xla"))
    matrix = with_other_rows(models, some_op_rows())
    view = View(matrix)
    view.columns = ("id", name)
    model, case = models.ids[0], "m::add"
    having = {"verdict": {model, case}, "samples_per_s": {model}, "result": {case}, "evidence": {model}}[name]
    before = _column(view, name)
    assert {id for id in (model, case) if before[id] == "…"} == having
    view.learn({"runs": VerdictColumns(models, {}, SOME_RESULTS)})
    if name in ("verdict", "samples_per_s"):
        assert "…" not in _column(view, name).values()


def test_the_order_says_that_it_waits(tmp_path: Path) -> None:
    models = index(sample(tmp_path / "tt-xla"))
    view = View(models)
    view.sort("verdict", descending=True)
    assert order_words(view) == "sorted by verdict ↓, not read yet"
    view.learn({"runs": VerdictColumns(models, {})})
    assert order_words(view) == "sorted by verdict ↓"


def test_the_detail_tells_late_evidence_from_none(tmp_path: Path) -> None:
    matrix = index(sample(tmp_path / "tt-xla"))
    detail = describe(matrix, matrix.ids[0])
    assert "evidence: …" in detail_text(detail, [], judged=None).plain
    assert "evidence" not in detail_text(detail, [], judged=()).plain
    assert "Reading what it raises" in detail_text(detail, [], examined=False).plain


async def test_the_detail_waits_with_the_query(checkout: Checkout, may_go_on: threading.Event) -> None:
    app = build_app(checkout, query="job:none has:entry")
    async with app.run_test(size=(100, 40)) as pilot:
        assert "No test matches the filter." not in screen_text(app)
        may_go_on.set()
        await until(pilot, lambda: bool(app.session.view.rows), "rows")


async def test_values_that_are_not_read_yet_are_offered_once_they_are(
    checkout: Checkout, may_go_on: threading.Event
) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 24)) as pilot:
        await pilot.press("slash")
        await type_text(pilot, "job:")
        await until(pilot, lambda: "job: reading the scheduled CI jobs" in screen_text(app), "what it waits for")
        may_go_on.set()
        await until(pilot, lambda: 'job: "model-test' in screen_text(app), "the values")
        assert app.matrix_screen.query_one(QueryInput).value == "job:"


async def test_results_of_a_grid_come_by_themselves(checkout: Checkout, may_go_on: threading.Event) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(140, 40)) as pilot:
        await pilot.pause()
        app.matrix_screen.go(ViewSpec(Query(), grid="loaders"))
        await until(pilot, lambda: "results: …" in screen_text(app), "the cell in words")
        may_go_on.set()
        await until(pilot, lambda: "results: …" not in screen_text(app), "the results")
        assert app.session.view.cells().results_known


async def test_rows_that_are_still_being_read_are_waited_for(checkout: Checkout) -> None:
    app = build_app(checkout, op_cases=True)
    whole = app.session.view.matrix
    app.session.view.replace_matrix(replace(whole.model_tests, unread=frozenset({"op"})))
    async with app.run_test(size=(120, 24)) as pilot:
        await pilot.press("slash")
        await type_text(pilot, "kind:op")
        await until(pilot, lambda: "the op cases are still being read" in screen_text(app), "what it waits for")
        app.session.view.replace_matrix(whole)
        app.signals.matrix_changed.publish(None)
        await until(pilot, lambda: "still being read" not in screen_text(app), "the rows")
        assert app.session.view.rows
