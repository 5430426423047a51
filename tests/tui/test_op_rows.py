# SPDX-License-Identifier: Apache-2.0
"""Op cases on the main screen."""

from pathlib import Path

import pytest

from core.base.settings import Settings
from core.sources import Checkout
from tests.support.app import build_app, screen_text, shown_ids, type_text, until
from tests.support.cli import call
from tests.support.op_reports import ingest_cases
from tests.support.tree import sample

MANIFEST = """model: nano
defaults: {dtype: bf16, rtol: 0.25}
cases:
  - name: scale
    op: torch.mul
    inputs: [{tensor: {shape: [2, 3]}}, {value: 2.5}]
    description: modeling.py:12
  - {name: flip, op: torch.neg, inputs: [{tensor: {shape: [7]}}], skip_if: {expr: 'True', reason: no kernel}}
  - {name: again, op: torch.neg, inputs: [{tensor: {shape: [9]}}]}
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    found = sample(tmp_path / "tt-xla")
    directory = found.root / "tests/op_manifests"
    directory.mkdir(parents=True)
    (directory / "nano.yaml").write_text(MANIFEST)
    return found


@pytest.mark.slow("a batch of op cases")
async def test_op_cases_run_as_one_batch_and_show_their_results(checkout: Checkout, warm_torch: Path) -> None:
    app = build_app(checkout, op_cases=True, query="kind:op", settings=Settings(python=str(warm_torch)))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("space", "space", "space", "r")
        await until(pilot, lambda: "3 op cases on inductor" in screen_text(app), "the plan")
        await pilot.press("left", "left")
        await until(pilot, lambda: "3 op cases on eager, each compared" in screen_text(app), "the plan for eager")
        await pilot.press("enter")
        await until(pilot, lambda: len(app.session.runs) == 1, "one run")
        (spec,) = (record.spec for record in app.session.runs)
        assert (spec.arch, len(spec.case_ids)) == ("eager", 3)
        await until(pilot, lambda: not app.session.runs[0].active, "its end")
        assert app.session.runs[0].summary == "2 pass, 1 skip"
        await pilot.press("enter")
        await until(pilot, lambda: "max abs 0" in screen_text(app), "the result of the case under the cursor")
        text = screen_text(app)
        assert "eager" in text and spec.run_id in text, text
        await pilot.press("L")
        await until(pilot, lambda: "nano::scale PASSED" in screen_text(app), "its log")
        await pilot.press("d")
        await until(pilot, lambda: "3 of 3" in screen_text(app), "how far it has come")
        text = screen_text(app)
        assert all(word in text for word in ("ended", "2 pass, 1 skip", "reference", "slowest")), text
        await pilot.press("d")
        app.navigation.switch("matrix")
        await pilot.press("enter")
        view = app.session.view
        view.columns_of["op"] = ("id", "status", "result")
        await pilot.press("slash")
        await type_text(pilot, " backend:eager result:pass")
        await pilot.press("enter")
        await until(pilot, lambda: shown_ids(app) == ["nano::again", "nano::scale"], "what passes on eager")
        await until(pilot, lambda: screen_text(app).count("eager pass") == 2, "the column of results")
        await pilot.press("number_sign", "m")
        await until(pilot, lambda: "op-results" in screen_text(app), "the layouts of the grid")
        await pilot.press("down", "enter")
        await until(pilot, lambda: view.grid == "op-results", "the grid of results")
        await until(pilot, lambda: "torch.neg" in screen_text(app), "its rows")
        assert view.cells().heads == ("eager",)
        assert "100%" in screen_text(app), "the rate of what passed"


async def test_the_verdict_on_an_op_case_is_a_column_a_query_and_in_the_detail(
    checkout: Checkout, tmp_path: Path
) -> None:
    bad = {"status": "fail", "max_abs": 0.9, "max_rel": 0.9, "pcc": 0.2}
    for night in "123":
        ingest_cases(checkout, tmp_path / f"eager-{night}.xml", "eager", {"nano::scale": {"status": "pass"}})
        ingest_cases(checkout, tmp_path / f"ind-{night}.xml", "inductor", {"nano::scale": bad}, "6 of 6 differ")
    listed = call("list", "verdict:regressed", "--format", "ids", "--repo", checkout.root)
    assert listed.out.split() == ["nano::scale"]
    app = build_app(checkout, op_cases=True, query="kind:op")
    app.session.view.columns_of["op"] = ("id", "verdict", "result")
    async with app.run_test(size=(179, 50)) as pilot:
        await until(pilot, lambda: "eager active  inductor regressed" in screen_text(app), "the column")
        await pilot.press("slash")
        await type_text(pilot, " backend:inductor verdict:regressed")
        await pilot.press("enter")
        await until(pilot, lambda: shown_ids(app) == ["nano::scale"], "what regressed on inductor")
        await pilot.press("enter")
        await until(pilot, lambda: "regressed: " in screen_text(app), "the verdict in the detail")
        assert "active: " in screen_text(app)


async def test_op_cases_have_columns_facets_and_a_detail_of_their_own(checkout: Checkout) -> None:
    app = build_app(checkout, op_cases=True)
    async with app.run_test(size=(80, 24)) as pilot:
        models = len(app.session.matrix.ids)
        assert len(app.session.view.rows) == models + 3
        await pilot.press("slash")
        await type_text(pilot, "kind:op")
        await pilot.press("enter")
        assert shown_ids(app) == ["nano::again", "nano::flip", "nano::scale"]
        text = screen_text(app)
        assert all(word in text for word in ("op case", "dtype", "mul", "bfloat16", "SKIP")), text
        await pilot.press("j", "j", "enter")
        await until(pilot, lambda: "modeling.py:12" in screen_text(app), "the manifest is read")
        text = screen_text(app)
        assert all(
            words in text
            for words in ("2x3 bfloat16 rand", "input 1      2.5", "rtol 0.25", "op_manifests/nano.yaml:4")
        ), text


async def test_the_grid_of_op_cases_counts_ops_by_model(checkout: Checkout) -> None:
    (checkout.root / "tests/op_manifests/other.yaml").write_text(MANIFEST.replace("model: nano", "model: other"))
    app = build_app(checkout, op_cases=True, query="kind:op")
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("number_sign")
        await until(pilot, lambda: app.session.view.grid == "ops", "the grid of ops")
        for word in ("nano", "other", "torch.neg"):
            await until(pilot, lambda word=word: word in screen_text(app), word)  # type: ignore[misc]
        await until(pilot, lambda: "results that passed" in screen_text(app), "what the shades are of")
        assert (
            "without a result" in screen_text(app) and "unspecified " not in app.matrix_screen.listing.grid.cell_words
        )
        await pilot.press("j", "enter")
        await until(pilot, lambda: not app.session.view.grid, "the cases of a cell")
        assert shown_ids(app) == ["nano::scale"]
        await pilot.press("number_sign")
        assert app.session.view.grid == "ops"


async def test_what_is_for_models_leaves_op_cases_out(checkout: Checkout) -> None:
    app = build_app(checkout, op_cases=True, query="kind:op")
    async with app.run_test(size=(100, 30), notifications=True) as pilot:
        await pilot.press("T")
        await until(pilot, lambda: any("No workflow fits" in one.message for one in app._notifications), "the message")
        await pilot.press("space", "y")
        assert app.session.view.marks == {"nano::again"}


async def test_a_changed_manifest_changes_its_rows(checkout: Checkout) -> None:
    app = build_app(checkout, op_cases=True, query="kind:op")
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.press("enter")
        await until(pilot, lambda: "9 bfloat16" in screen_text(app), "the manifest is read")
        (checkout.root / "tests/op_manifests/nano.yaml").write_text(MANIFEST.replace("[9]", "[99]"))
        app.files.reload()
        await until(pilot, lambda: "99 bfloat16" in screen_text(app), "it is read again")
        (checkout.root / "tests/op_manifests/nano.yaml").unlink()
        app.files.reload()
        await until(pilot, lambda: not app.session.view.rows, "its cases are gone")
        assert app.session.view.matrix is app.session.matrix


async def test_columns_of_op_cases_are_chosen_apart(checkout: Checkout) -> None:
    app = build_app(checkout, op_cases=True, query="kind:op")
    async with app.run_test(size=(160, 40)) as pilot:
        before = app.session.view.columns
        await pilot.press("C", "j", "space", "enter")
        await until(pilot, lambda: "op" not in app.session.view.columns_of["op"], "the choice")
        assert app.session.view.columns == before
    again = build_app(checkout, op_cases=True, query="kind:op")
    assert "op" not in again.session.view.table_columns
    assert again.session.view.columns == before
