# SPDX-License-Identifier: Apache-2.0
"""Tests that only reports know are rows; what results mean is a field of all kinds, and benchmarks know their JUnit."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest

from core.base.settings import paths
from core.domain.model import Function
from core.evidence import Ending, handwritten_store
from core.kinds.benchmark import FILE
from core.sources import Checkout
from tests.support.app import build_app, screen_text, until
from tests.support.cli import call
from tests.support.evidence import report, seen
from tests.support.tree import sample

UNIT, ADD = "pjrt::ClientTest::Compiles", "tests/torch/ops/test_add.py::test_add[0]"
GONE, RESNET = "tests/torch/ops/test_gone.py::test_gone", "tests/benchmark/test_vision.py::test_resnet"
LLAMA = "tests/benchmark/test_llms.py::test_llama"


def junit(cases: Mapping[str, str], night: int) -> str:
    """A report of testcases by class and name, each with the reason of its failure or without."""
    texts = []
    for at, reason in cases.items():
        suite, name = at.rsplit(" ", 1)
        inner = f"<failure message={quoteattr(reason)}>E   {reason}</failure>" if reason else ""
        texts.append(f'<testcase classname="{suite}" name="{name}" time="0.5">{inner}</testcase>')
    stamp = f'timestamp="2026-11-{night:02}T01:00:00+00:00" hostname="machine-1"'
    return f'<testsuites><testsuite name="pytest" {stamp}>{"".join(texts)}</testsuite></testsuites>'


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """Three nights: a unit test of PJRT, a test by hand that breaks, one that this checkout does not have."""
    found = sample(tmp_path / "tt-xla")
    file = found.root / "tests" / "torch" / "ops" / "test_add.py"
    file.parent.mkdir(parents=True)
    file.write_text('import pytest\n\n@pytest.mark.parametrize("x", [0])\ndef test_add(x):\n    pass\n')
    matrix = found.root / FILE
    matrix.parent.mkdir(parents=True, exist_ok=True)
    tests = [
        {"name": "resnet", "pytest": RESNET, "group": "regular", "runs-on": "n150-perf"},
        {"name": "llama", "pytest": LLAMA, "group": "regular", "runs-on": "n150-perf"},
        {"name": "llama_accuracy", "pytest": LLAMA, "group": "regular", "accuracy-testing": True},
    ]
    matrix.write_text(json.dumps([{"project": "tt-xla", "test-defaults": {}, "tests": tests}]))
    for night in (20, 21, 22):
        unit = tmp_path / "reports" / f"nightly-{night}" / f"test-reports-pjrt-unit-tests-1-{night}7" / "report.xml"
        unit.parent.mkdir(parents=True)
        unit.write_text(junit({"ClientTest Compiles": "" if night == 20 else "Expected equality"}, night))
        basic = unit.parents[1] / f"test-reports-a1-1.0-n150-n150_and_nightly-{night}8" / "report.xml"
        basic.parent.mkdir(parents=True)
        boom = "" if night == 20 else "RuntimeError: boom"
        cases = {
            "tests.torch.ops.test_add test_add[0]": boom,
            "tests.torch.ops.test_gone test_gone": "",
            "tests.benchmark.test_vision test_resnet": boom,
        }
        basic.write_text(junit(cases, night))
    assert call("ingest", tmp_path / "reports", "--repo", found.root).code == 0
    return found


def ids(checkout: Checkout, *words: str) -> list[str]:
    done = call("list", *words, "--format", "ids", "--repo", checkout.root)
    assert done.code in (0, 1), done.err
    return done.out.split()


def test_what_only_reports_know_is_found_by_its_area_and_its_kind(checkout: Checkout) -> None:
    assert ids(checkout, "area:pjrt") == [UNIT]
    assert ids(checkout, "kind:reported") == [UNIT, GONE]
    assert sorted(ids(checkout, "area:torch")) == [ADD, GONE]
    assert ids(checkout, "area:benchmarks kind:reported") == [], "it is a benchmark's"


def test_it_is_shown_with_results_verdict_and_history(checkout: Checkout) -> None:
    shown = call("show", UNIT, "--repo", checkout.root).out
    assert "PJRT unit tests" in shown and "this checkout does not have" in shown
    assert "regressed" in shown and shown.count("Expected equality") >= 2
    document = call("show", UNIT, "--json", "--repo", checkout.root).json
    assert [one["ending"] for one in document["evidence"]] == ["failed", "failed", "passed"]
    said = call("since", "ClientTest::Comp", "--repo", checkout.root)
    assert said.code == 1 and "fails since nightly-21" in said.out
    assert call("since", GONE, "--repo", checkout.root).code == 0


def test_the_verdict_is_a_field_of_all_kinds(checkout: Checkout) -> None:
    assert sorted(ids(checkout, "verdict:regressed", "--kind", "handwritten")) == [ADD]
    assert ids(checkout, "kind:reported verdict:regressed") == [UNIT]
    assert ids(checkout, "kind:benchmark verdict:regressed") == ["benchmark::resnet"]
    assert ids(checkout, "kind:reported verdict:none") == []
    assert ids(checkout, "kind:benchmark verdict:none") == ["benchmark::llama", "benchmark::llama_accuracy"]
    assert ids(checkout, "kind:handwritten verdict:regressed", "--arch", "p150") == []
    assert ids(checkout, "kind:handwritten verdict:regressed", "--arch", "n150") == [ADD]


def test_a_cluster_has_tests_of_all_kinds(checkout: Checkout) -> None:
    (cluster,) = [one for one in call("clusters", "--json", "--repo", checkout.root).json if "boom" in one["reason"]]
    assert [one["id"] for one in cluster["members"]] == ["benchmark::resnet", ADD]


def test_a_benchmark_knows_the_results_of_its_test(checkout: Checkout) -> None:
    document = call("show", "benchmark::resnet", "--json", "--repo", checkout.root).json
    assert document["verdicts"] == {"n150": "regressed"} and len(document["evidence"]) == 3


def test_of_two_benchmarks_with_one_test_the_job_says_which(checkout: Checkout) -> None:
    cell = {"test_id": LLAMA, "function": Function.HANDWRITTEN, "arch": "n150"}
    usual = seen(Ending.PASSED, when=5.0, job="n150-perf", **cell)
    named = seen(Ending.FAILED, when=6.0, job="n150-perf-llama_accuracy", reason="drop", **cell)
    handwritten_store(checkout, paths()).add([report(usual, digest="x"), report(named, digest="y")])
    both = [call("show", f"benchmark::{name}", "--json", "--repo", checkout.root).json for name in LLAMAS]
    assert [[one["ending"] for one in shown["evidence"]] for shown in both] == [["passed"], ["failed"]]


LLAMAS = ("llama", "llama_accuracy")


async def test_it_is_listed_as_soon_as_its_report_is_read_and_nothing_else_moves(checkout: Checkout) -> None:
    app = build_app(checkout, query="area:torch,pjrt")
    async with app.run_test(size=(100, 30)) as pilot:
        view, table = app.session.view, app.matrix_screen.listing.front

        def listed() -> list[str]:
            return [view.matrix.ids[row] for row in view.rows]

        await until(pilot, lambda: listed() == [UNIT, GONE, ADD], "what reports know already")
        assert "mixed" not in screen_text(app), "nothing is expected of what only reports know"
        await pilot.press("g", "space")
        await until(pilot, lambda: app.matrix_screen.current == GONE and view.marks == {UNIT}, "cursor and mark")
        # Meanwhile, in another process; the clock of its file may be coarse.
        late = [
            seen(Ending.PASSED, test_id=f"pjrt::A{at}::Late", arch="", function=Function.HANDWRITTEN) for at in (1, 2)
        ]
        handwritten_store(checkout, paths()).add([report(late[0], digest="x")])
        await until(pilot, lambda: "pjrt::A1::Late" in listed(), "the row, without a key")
        assert listed() == ["pjrt::A1::Late", UNIT, GONE, ADD]
        assert app.matrix_screen.current == GONE
        assert view.marks == {UNIT}
        assert str(view.query) == "area:torch,pjrt"
        workspace = app.session.workspace
        known = seen(Ending.FAILED, test_id=UNIT, arch="", function=Function.HANDWRITTEN, when=9e9)
        asked: list[object] = []
        app.signals.evidence_changed.subscribe(app.screen, asked.append)
        handwritten_store(checkout, paths()).add([report(known, digest="y")])
        await until(pilot, lambda: bool(asked), "that there are new results")
        await pilot.pause(0.3)
        assert app.session.workspace is workspace, "results of known rows replace nothing"
        assert table.is_mounted


async def test_it_is_a_row_of_the_app(checkout: Checkout) -> None:
    ids(checkout, "kind:reported")
    app = build_app(checkout, query="kind:reported verdict:regressed")
    async with app.run_test(size=(100, 30)) as pilot:
        view = app.session.view
        await until(pilot, lambda: [view.matrix.ids[row] for row in view.rows] == [UNIT], "the unit test")


def test_a_member_of_a_cluster_has_the_id_of_its_row(checkout: Checkout) -> None:
    """That of reports is the test, which several benchmarks may have; `show` and `run` take that of the row."""
    accuracy = seen(
        Ending.FAILED, test_id=LLAMA, function=Function.HANDWRITTEN, reason="boom", job="perf llama_accuracy"
    )
    usual = seen(Ending.FAILED, test_id=RESNET, function=Function.HANDWRITTEN, reason="boom", job="perf resnet")
    here = seen(Ending.FAILED, test_id="benchmark::resnet", function=Function.HANDWRITTEN, reason="boom", when=2e9)
    rows = [replace(accuracy, arch="n300"), replace(usual, arch="n300"), replace(here, arch="n300")]
    handwritten_store(checkout, paths()).add([report(row, digest=str(at)) for at, row in enumerate(rows)])
    (found,) = [one for one in call("clusters", "--json", "--repo", checkout.root).json if "n300" in one["archs"]]
    assert {one["id"] for one in found["members"] if one["arch"] == "n300"} == {
        "benchmark::llama_accuracy",
        "benchmark::resnet",
    }
    for one in found["members"]:
        assert call("show", one["id"], "--json", "--repo", checkout.root).json["id"] == one["id"]
