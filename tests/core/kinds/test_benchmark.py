# SPDX-License-Identifier: Apache-2.0
"""Benchmarks as rows: listed, selected by queries, shown with the jobs that run them, planned, on the matrix screen."""

import json
import pickle
from collections.abc import Sequence
from pathlib import Path

import pytest

from core.base.errors import EXIT_OK, EXIT_USAGE
from core.base.files import Record
from core.base.settings import paths
from core.domain.model import Function
from core.evidence import Ending, PerfReport, handwritten_store, performance_store
from core.kinds.benchmark import FILE, BenchmarkKind, rows_of
from core.matrix import Matrix
from core.sources import Checkout
from core.workspace import Workspace
from tests.support.app import build_app, screen_text, until
from tests.support.cli import call
from tests.support.evidence import report, seen
from tests.support.tree import sample

_MATRIX = [
    {
        "project": "tt-xla",
        "test-defaults": {"runs-on": ["n150-perf", "p150-perf"], "batch-size": None},
        "tests": [
            {"name": "resnet", "pytest": "tests/benchmark/test_vision.py::test_resnet", "group": "regular"},
            {
                "name": "llama_accuracy",
                "pytest": "tests/benchmark/test_llms.py::test_llama[8b]",
                "group": "experimental",
                "runs-on": "p150-perf",
                "accuracy-testing": True,
                "batch-size": 16,
            },
            {"name": "wan", "pytest": "tests/benchmark/test_wan.py", "group": "experimental", "skip": True},
            {"name": "old", "pytest": "tests/benchmark/test_old.py", "group": "retired"},
        ],
    }
]
_NIGHTLY = """
on:
  schedule:
    - cron: '0 0 * * *'
jobs:
  perf:
    uses: ./.github/workflows/call-filtered-perf-tests.yml
    with:
      adv_filter: '[{"accuracy-testing": false, "group": "regular"}, {"runs-on": "n150-perf"}]'
  accuracy:
    uses: ./.github/workflows/call-filtered-perf-tests.yml
    with:
      adv_filter: '[{"runs-on": ["p150-perf"], "filter": "LLAMA,none"}]'
  chosen:
    uses: ./.github/workflows/call-filtered-perf-tests.yml
    with:
      adv_filter: ${{ inputs.filter }}
"""
_IDS = ["benchmark::llama_accuracy", "benchmark::old", "benchmark::resnet", "benchmark::wan"]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    found = sample(tmp_path / "checkout")
    workflows = found.root / FILE.parent
    workflows.mkdir(parents=True, exist_ok=True)
    (found.root / FILE).write_text(json.dumps(_MATRIX, indent=2))
    (workflows / "schedule-nightly.yml").write_text(_NIGHTLY)
    return found


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["kind:benchmark"], ["llama_accuracy", "old", "resnet", "wan"]),
        (["--kind", "benchmark"], ["llama_accuracy", "old", "resnet", "wan"]),
        (["runner:n150"], ["old", "resnet", "wan"]),
        (["accuracy:yes"], ["llama_accuracy"]),
        (["suite:regular"], ["resnet"]),
        (["target:llama"], ["llama_accuracy"]),
        (["kind:benchmark", "model:llama"], ["llama_accuracy"]),
        (["kind:benchmark", 'job:"perf on"'], ["resnet"]),
        (["kind:benchmark", "job:nightly"], ["llama_accuracy", "resnet"]),
        (["kind:benchmark", "job:none"], ["old", "wan"]),
        (["kind:benchmark", "reason:skip"], ["wan"]),
        (["kind:benchmark", "status:xfail"], []),
        (["kind:benchmark", "-status:xfail"], ["llama_accuracy", "old", "resnet", "wan"]),
        (["kind:benchmark", "!status:none"], []),
    ],
)
def test_selected_by_the_query_language(checkout: Checkout, words: Sequence[str], names: Sequence[str]) -> None:
    done = call("--repo", checkout.root, "list", *words, "--format", "ids")
    assert done.out.splitlines() == [f"benchmark::{name}" for name in names]
    assert ("status: is a field of" in done.err) is any("status" in word for word in words)


def test_cached_rows_need_nothing_that_reads_workflows(checkout: Checkout) -> None:
    """The first frame loads them: with the parser of YAML it would come 10 ms later."""
    rows = rows_of(checkout)
    assert {job.cadence for jobs in rows.jobs.values() for job in jobs} == {"nightly"}
    assert b"core.sources" not in pickle.dumps(rows)


def test_among_others_only_where_the_query_asks(checkout: Checkout) -> None:
    assert "benchmark::" not in call("--repo", checkout.root, "list", "--format", "ids").out
    both = call("--repo", checkout.root, "list", "kind:benchmark,model", "--json").json
    assert [one["id"] for one in both if one.get("kind") == "benchmark"] == _IDS


def test_shown_with_jobs_and_place(checkout: Checkout) -> None:
    line = next(n for n, one in enumerate((checkout.root / FILE).read_text().splitlines(), 1) if "resnet" in one) - 1
    assert call("--repo", checkout.root, "show", "benchmark::resnet", "--json").json == {
        "id": "benchmark::resnet",
        "kind": "benchmark",
        "file": str(FILE),
        "line": line,
        "reason": None,
        "fields": {
            "runner": ["n150-perf", "p150-perf"],
            "suite": "regular",
            "accuracy": "no",
            "vllm": "no",
            "target": "tests/benchmark/test_vision.py::test_resnet",
        },
        "jobs": [
            {"name": "perf", "file": "schedule-nightly.yml", "runs_on": "n150-perf", "cadence": "nightly"},
        ],
    }
    shown = call("--repo", checkout.root, "show", "benchmark::llama").out
    assert f"{FILE}:" in shown and "accuracy on p150-perf, nightly" in shown
    assert "accuracy" in call("--repo", checkout.root, "jobs", "benchmark::llama_accuracy").out
    assert "No job selects it" in call("--repo", checkout.root, "jobs", "benchmark::wan").out
    table = call("--repo", checkout.root, "list", "kind:benchmark")
    assert f"{FILE}:{line}" in table.out and "4 of 4 benchmarks" in table.err


def test_a_kind_decides_what_is_printed_of_its_rows(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    class Line(Record):
        id: str

    def records(kind: BenchmarkKind, matrix: Matrix, ids: Sequence[str], *_: object, **__: object) -> list[Line]:
        return [Line(id=f"{id} in its own words") for id in ids]

    def shown(kind: BenchmarkKind, matrix: Matrix, id: str, on: Workspace) -> Line:
        return Line(id=f"all about {id} in {on.checkout.root.name}")

    monkeypatch.setattr(BenchmarkKind, "records", records)
    monkeypatch.setattr(BenchmarkKind, "shown", shown)
    listed = call("--repo", checkout.root, "list", "--kind", "benchmark", "--json").json
    assert listed == [{"id": f"{id} in its own words"} for id in _IDS]
    one = call("--repo", checkout.root, "show", _IDS[0], "--json").json
    assert one == {"id": f"all about {_IDS[0]} in {checkout.root.name}"}


def test_one_that_is_not_there_is_an_error(checkout: Checkout) -> None:
    for command in ("show", "jobs", "run"):
        done = call("--repo", checkout.root, command, "benchmark::nothing")
        assert (done.code, "There is no benchmark" in done.err) == (EXIT_USAGE, True)
    several = call("--repo", checkout.root, "show", "benchmark::")
    assert several.code == EXIT_USAGE and "matches 4 rows" in several.err


def test_planned_as_the_workflow_runs_it(checkout: Checkout) -> None:
    (planned,) = call("--repo", checkout.root, "run", "benchmark::llama", "--plan", "--json").json
    argv = planned["argv"]
    assert argv[argv.index("-svv") :][:6] == [
        "-svv",
        "--confcutdir=tests/benchmark",
        "tests/benchmark/test_llms.py::test_llama[8b]",
        "--accuracy-testing",
        "--batch-size",
        "16",
    ]
    assert argv[-2] == "--output-file" and planned["id"] == "benchmark::llama_accuracy"
    for name, why in (("wan", "skip is set"), ("old", "its group is not one of")):
        refused = call("--repo", checkout.root, "run", f"benchmark::{name}", "--plan")
        assert refused.code == EXIT_USAGE and why in refused.err
    on_cpu = call("--repo", checkout.root, "run", "benchmark::llama", "--kind", "cpu", "--plan")
    assert on_cpu.code == EXIT_USAGE and "needs a device" in on_cpu.err


@pytest.mark.parametrize(
    ("text", "said", "rows"),
    [
        ("{", "cannot be read", 0),
        ("{}", "is not a list of projects", 0),
        ('[{"tests": 1}]', "project 1 has no list of tests", 0),
        (
            '[\n{"tests": [{"name": 5, "pytest": "x"},\n{"name": "a", "pytest": "x"}]}]',
            f"{FILE}:2: a test without name and pytest",
            1,
        ),
    ],
)
def test_what_is_wrong_with_the_file_is_said(checkout: Checkout, text: str, said: str, rows: int) -> None:
    (checkout.root / FILE).write_text(text)
    done = call("--repo", checkout.root, "list", "kind:benchmark", "--format", "ids")
    assert done.code == EXIT_OK and said in done.err and len(done.out.splitlines()) == rows


def test_a_wrong_filter_is_said_and_no_file_has_no_rows(checkout: Checkout) -> None:
    (checkout.root / FILE.parent / "schedule-nightly.yml").write_text(_NIGHTLY.replace('"n150-perf"', '"n950"'))
    done = call("--repo", checkout.root, "list", "kind:benchmark", "job:none", "--format", "ids")
    assert "the filter of perf is wrong: no benchmark is for n950" in done.err
    assert "benchmark::resnet" in done.out and "benchmark::llama_accuracy" not in done.out
    (checkout.root / FILE).unlink()
    gone = call("--repo", checkout.root, "list", "kind:benchmark", "--format", "ids")
    assert (gone.code, gone.out) == (EXIT_OK, "") and f"No benchmark was read from {FILE}" in gone.err


def test_two_of_one_name_have_ids_of_their_own(checkout: Checkout) -> None:
    tests = [{"name": "same", "pytest": name, "group": "regular"} for name in ("a", "b")]
    (checkout.root / FILE).write_text(json.dumps([{"tests": tests}]))
    done = call("--repo", checkout.root, "list", "kind:benchmark", "--format", "ids")
    assert done.out.split() == ["benchmark::same", "benchmark::same#2"]


async def test_rows_of_the_matrix_screen(checkout: Checkout) -> None:
    app = build_app(checkout, query="kind:benchmark")
    async with app.run_test(size=(160, 40)) as pilot:
        await until(pilot, lambda: "benchmark::resnet" in screen_text(app), "the rows")
        assert app.session.view.kind == "benchmark" and "n150-perf" in screen_text(app)
        await pilot.press("end", "up", "enter")
        await until(pilot, lambda: "schedule-nightly.yml: perf on n150-perf" in screen_text(app), "the detail")
        assert str(FILE) in screen_text(app)


def test_results_and_what_they_mean(checkout: Checkout) -> None:
    own = paths()
    row = {"test_id": "benchmark::resnet", "function": Function.HANDWRITTEN}
    passed = seen(Ending.PASSED, **row, when=1e9)
    failed = seen(Ending.FAILED, **row, when=1.1e9, reason="out of memory")
    handwritten_store(checkout, own).add([report(passed, digest="1"), report(failed, digest="2")])
    shown = call("--repo", checkout.root, "show", "benchmark::resnet", "--json").json
    assert [one["ending"] for one in shown["evidence"]] == [Ending.FAILED, Ending.PASSED]
    assert shown["verdicts"] == {"n150": "regressed"}
    text = call("--repo", checkout.root, "show", "benchmark::resnet").out
    assert "verdict      n150: regressed" in text and "out of memory" in text
    assert "evidence" not in call("--repo", checkout.root, "show", "benchmark::wan", "--json").json


def test_numbers_of_reports_are_those_of_its_row(checkout: Checkout) -> None:
    timed = PerfReport("1", "resnet", "n150", 1e9, "report.json", 8, 0.1, 80.0, {}, benchmark=True)
    performance_store(checkout, paths()).add([timed])
    fast = call("--repo", checkout.root, "list", "kind:benchmark", "samples_per_s:>79", "--format", "ids")
    assert fast.out.split() == ["benchmark::resnet"]
    none = call("--repo", checkout.root, "list", "kind:benchmark", "samples_per_s:none", "--format", "ids")
    assert none.out.split() == [id for id in _IDS if id != "benchmark::resnet"]
    assert "80" in call("--repo", checkout.root, "show", "benchmark::resnet").out


async def test_its_numbers_are_in_the_detail(checkout: Checkout) -> None:
    timed = PerfReport("1", "resnet", "n150", 1e9, "report.json", 8, 0.1, 81.5, {}, benchmark=True)
    performance_store(checkout, paths()).add([timed])
    app = build_app(checkout, query="kind:benchmark resnet")
    async with app.run_test(size=(140, 60)) as pilot:
        await until(pilot, lambda: "81.5" in screen_text(app), "the numbers")
