# SPDX-License-Identifier: Apache-2.0
"""Hand-written tests on the main screen."""

from pathlib import Path

import pytest

from core.base.settings import Settings
from core.sources import Checkout
from tests.support.app import build_app, screen_text, shown_ids, type_text, until
from tests.support.tree import sample
from tests.tui.view_models.test_batches import passed
from tui.screens.nightly import NightScreen

MODULE = """
import pytest
from utils import run_op_test, run_graph_test


@pytest.mark.cpu
@pytest.mark.push
@pytest.mark.parametrize("size", [32, 64])
def test_add(size):
    assert size == 32


@pytest.mark.skip(reason="no kernel")
def test_graph():
    run_graph_test()


def test_device():
    run_op_test()
"""
PATH = "tests/torch/ops/test_add.py"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    found = sample(tmp_path / "tt-xla")
    file = found.root / PATH
    file.parent.mkdir(parents=True)
    file.write_text(MODULE)
    (found.root / "tests/utils.py").write_text("def run_op_test(*a): pass\ndef run_graph_test(*a): pass\n")
    return found


async def test_they_have_columns_facets_and_a_detail_of_their_own(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        view = app.session.view
        assert len(view.rows) == len(app.session.matrix.ids) + 4
        await until(pilot, lambda: "4 hand-written tests" in screen_text(app), "their number")
        await pilot.press("slash")
        await type_text(pilot, "kind:handwritten")
        await pilot.press("enter")
        names = ["test_add[32]", "test_add[64]", "test_device", "test_graph"]
        assert shown_ids(app) == [f"{PATH}::{name}" for name in names]
        text = screen_text(app)
        assert all(word in text for word in ("hand-written", "SKIP", "graph")), text
        assert [facet.field for facet in view.facets()] == ["kind", "status", "level", "marker", "area"]
        await pilot.press("enter")
        await until(pilot, lambda: "size = 32" in screen_text(app), "its parameters")
        assert f"{PATH}:9" in screen_text(app)
        await pilot.press("escape", "number_sign")
        await until(pilot, lambda: view.grid == "handwritten", "the grid of files by level")
        assert view.cells().heads == ("op", "graph", "other")
        await pilot.press("number_sign")
        depth = len(app.screen_stack)
        await pilot.press("T", "B", "X", "E")
        assert len(app.screen_stack) == depth, "these are for tests of models"


async def test_one_key_goes_from_their_runs_to_them(checkout: Checkout) -> None:
    names = [f"{PATH}::{name}" for name in ("test_add[32]", "test_device")]
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.polling.taken is not None, "the first look")
        app.polling.stop()
        app.session.runs = app.session.all_runs = [passed("1", name) for name in names]
        app.signals.runs_changed.publish(None)
        await pilot.press("2", "g", "m")
        await until(pilot, lambda: shown_ids(app) == names, "those of the batch")
        await pilot.press("2", "j", "m")
        await until(pilot, lambda: app.matrix_screen.current == names[0], "that of the run")
        assert app.screen is app.matrix_screen


async def test_from_a_line_of_the_nightly_they_are_shown(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("f7")
        screen = app.screen
        assert isinstance(screen, NightScreen)
        screen._show_tests([f"{PATH}::test_device"])
        await until(pilot, lambda: app.matrix_screen.current == f"{PATH}::test_device", "the test")


@pytest.mark.slow("runs of pytest")
async def test_they_run_one_at_once_and_several_after_a_question(checkout: Checkout, warm_torch: Path) -> None:
    app = build_app(checkout, query="kind:handwritten mark:cpu", settings=Settings(python=str(warm_torch)))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("r")
        await until(pilot, lambda: len(app.session.runs) == 1, "one run")
        await until(pilot, lambda: not app.session.runs[0].active, "its end")
        assert app.session.runs[0].spec.test_id == f"{PATH}::test_add[32]"
        assert str(app.session.runs[0].outcome) == "pass"
        await until(pilot, lambda: "pass" in screen_text(app), "its outcome in the table")
        await pilot.press("asterisk", "r")
        await until(pilot, lambda: len(app.screen_stack) > 1 and "Start" in screen_text(app), "the question")
        await pilot.press("y")
        await until(pilot, lambda: len(app.session.runs) == 3, "two more")
        await until(pilot, lambda: not any(one.active for one in app.session.runs), "their ends")
        assert {str(one.outcome) for one in app.session.runs} == {"pass", "fail"}


async def test_a_changed_file_changes_its_rows(checkout: Checkout) -> None:
    app = build_app(checkout, query="kind:handwritten level:graph")
    async with app.run_test(size=(100, 30)) as pilot:
        assert shown_ids(app) == [f"{PATH}::test_graph"]
        (checkout.root / PATH).write_text(MODULE.replace("test_graph", "test_other"))
        app.files.reload()
        await until(pilot, lambda: shown_ids(app) == [f"{PATH}::test_other"], "it is read again")
        (checkout.root / PATH).unlink()
        app.files.reload()
        await until(pilot, lambda: not app.session.view.rows, "its tests are gone")
