# SPDX-License-Identifier: Apache-2.0
"""Two runs compared on a screen."""

from pathlib import Path

import pytest

from core.evidence.analysis import DifferenceKind
from core.sources import Checkout
from tests.support.app import build_app, flat, screen_text, type_text, until
from tests.support.op_reports import ingest_cases
from tests.support.sample import sample_checkout
from tests.support.three_nights import FLAKY, nightly_checkout
from tests.support.tree import sample
from tui.screens import CompareScreen


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return nightly_checkout(tmp_path / "tt-xla")


async def test_the_last_two_and_others(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("8")
        await until(pilot, lambda: "nightly-2 → nightly-3" in screen_text(app), "the last two")
        assert "differences · 2 fixed" in screen_text(app)
        await pilot.press("b")
        await type_text(pilot, "nightly-1")
        await pilot.press("enter")
        await until(pilot, lambda: "nightly-1 → nightly-3" in screen_text(app), "another pair")
        await until(pilot, lambda: "fixed" not in screen_text(app), "its differences")
        await pilot.press("c")
        await type_text(pilot, "nightly-2")
        await pilot.press("enter")
        await until(pilot, lambda: "2 new" in screen_text(app), "what fails anew")
        await pilot.press("g")
        await until(pilot, lambda: f"{FLAKY} on n150" in screen_text(app), "both results of the first")
        assert "the runs do not say which commits they ran" in screen_text(app)


async def test_one_kind_and_the_way_to_the_test(checkout: Checkout) -> None:
    app = build_app(checkout)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("8")
        await until(pilot, lambda: "nightly-2 → nightly-3" in screen_text(app), "the last two")
        await pilot.press("f", "f", "f")
        assert app.navigation.screen(CompareScreen).kind == DifferenceKind.FIXED
        await until(pilot, lambda: "only fixed" in screen_text(app), "the kind")
        await pilot.press("y", "tab", "tab", "enter")
        await until(pilot, lambda: app.matrix_screen.current == FLAKY, "the test in the matrix")
        await pilot.press("8", "escape")
        assert app.navigation.screen(CompareScreen).kind == ""


async def test_without_two_runs_it_says_how_to_get_them(tmp_path: Path) -> None:
    app = build_app(sample_checkout(tmp_path / "demo"))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("8")
        await until(pilot, lambda: "`ttmatrix ingest PATH --run-name NAME` adds one." in screen_text(app), "the hint")
        await pilot.press("b", "enter", "escape")
        assert app.screen is app.matrix_screen


async def test_the_title_has_the_names_of_views_where_there_is_room(tmp_path: Path) -> None:
    app = build_app(sample_checkout(tmp_path / "demo"))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("8")
        await until(pilot, lambda: "fewer than two runs" in screen_text(app), "the title")
        assert "7 Clusters" not in screen_text(app)
        await pilot.resize_terminal(160, 50)
        await until(pilot, lambda: "7 Clusters" in screen_text(app), "the names")
        assert "fewer than two runs" in screen_text(app)


async def test_op_cases_on_two_backends(tmp_path: Path) -> None:
    checkout = sample(tmp_path / "tt-xla")
    directory = checkout.root / "tests/op_manifests"
    directory.mkdir(parents=True)
    (directory / "m.yaml").write_text(
        "cases:\n"
        + "".join(
            f"- {{name: {one}, op: torch.neg, inputs: [{{tensor: {{shape: [{size}]}}}}]}}\n"
            for one, size in (("a", 2), ("b", 3), ("c", 4))
        )
    )
    good = {"status": "pass", "max_abs": 0.001, "pcc": 1.0, "run_seconds": 0.5}
    bad = {"status": "fail", "max_abs": 0.251, "pcc": 0.75, "run_seconds": 2.0}
    ingest_cases(checkout, tmp_path / "eager.xml", "eager", {"m::a": good, "m::b": good})
    ingest_cases(checkout, tmp_path / "ind.xml", "inductor", {"m::a": bad, "m::b": good}, "3 of 4 elements differ")
    ingest_cases(checkout, tmp_path / "tt.xml", "tt", {"m::a": good})
    app = build_app(checkout, op_cases=True, query="kind:op")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("asterisk", "b")
        await until(pilot, lambda: "1 only second fails, 1 both pass" in screen_text(app), "the outcomes")
        await until(pilot, lambda: "3 op cases: eager → inductor" in screen_text(app), "the two backends")
        text = screen_text(app)
        assert all(word in text for word in ("0.001", "0.251", "+0.25", "-0.25", "+1.5", "3 of 4 elements differ")), (
            text
        )
        await pilot.press("c")
        await type_text(pilot, "tt")
        await pilot.press("enter")
        await until(pilot, lambda: "eager → tt" in screen_text(app), "another backend")
        await pilot.press("r")
        await until(
            pilot,
            lambda: (
                "8 Compare" in screen_text(app)
                and "tt → " not in screen_text(app)
                and "eager → tt" not in screen_text(app)
            ),
            "two runs again",
        )
        await pilot.press("1", "ctrl+n", "k", "k", "b")
        await until(pilot, lambda: "1 op case: eager" in screen_text(app), "the row under the cursor alone")
        await pilot.press("enter")
        await until(pilot, lambda: app.matrix_screen.current == "m::a", "the case in the matrix")


async def test_op_cases_with_results_on_one_backend_say_what_to_do(tmp_path: Path) -> None:
    checkout = sample(tmp_path / "tt-xla")
    directory = checkout.root / "tests/op_manifests"
    directory.mkdir(parents=True)
    (directory / "m.yaml").write_text("cases: [{name: a, op: torch.neg, inputs: [{tensor: {shape: [2]}}]}]\n")
    app = build_app(checkout, op_cases=True, query="kind:op")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("b")
        await until(pilot, lambda: "fewer than two backends to compare" in screen_text(app), "the title")
        assert "Run the op cases on two backends" in flat(app)
