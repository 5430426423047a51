# SPDX-License-Identifier: Apache-2.0
"""`ops report` with results: the same numbers as table, JSON, CSV and Markdown, and the table of ops by models."""

import csv
import io
from contextlib import chdir
from pathlib import Path

import pytest

from core.sources import Checkout
from tests.support.cli import call
from tests.support.op_reports import ingest_cases
from tests.support.tree import LOADERS, write_checkout

ONE = """\
cases:
  - {name: a, op: torch.add, inputs: [{tensor: {shape: [2]}}]}
  - {name: b, op: torch.add, inputs: [{tensor: {shape: [2]}}]}
  - {name: c, op: torch.neg, inputs: [{tensor: {shape: [2]}}]}
"""
TWO = """\
cases:
  - {name: a, op: torch.add, inputs: [{tensor: {shape: [3]}}]}
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    found = write_checkout(tmp_path / "tt-xla", LOADERS, {})
    directory = found.root / "tests/op_manifests"
    directory.mkdir(parents=True)
    (directory / "one.yaml").write_text(ONE)
    (directory / "two.yaml").write_text(TWO)
    return found


def ingested(checkout: Checkout, file: Path, backend: str, **statuses: tuple[str, str, float]) -> None:
    """Ingest the results of one run: by model and name joined with `_`, status, duplicate of, and seconds."""
    results = {
        name.replace("_", "::", 1): {"status": status, "run_seconds": seconds, "dup_of": dup_of}
        for name, (status, dup_of, seconds) in statuses.items()
    }
    ingest_cases(checkout, file, backend, results)


@pytest.fixture
def with_results(checkout: Checkout, tmp_path: Path) -> Checkout:
    ingested(
        checkout,
        tmp_path / "night.xml",
        "eager",
        one_a=("pass", "", 1.5),
        one_b=("dup", "one::a", 0.0),
        one_c=("fail", "", 0.5),
        two_a=("pass", "", 1.0),
    )
    return checkout


def report(checkout: Checkout, *more: object) -> str:
    called = call("ops", "report", *more, "--repo", checkout.root)
    assert called.code == 0, called.err
    return called.out


def test_the_document_has_the_numbers_of_each_backend(with_results: Checkout) -> None:
    found = call("ops", "report", "--json", "--grid", "--repo", with_results.root).json
    eager = found["backends"]["eager"]
    assert (eager["cases"], eager["passed"], eager["failed"], eager["missing"]) == (4, 3, 1, 0)
    assert (eager["pass_rate"], eager["seconds"], eager["seconds_per_case"]) == (0.75, 3.0, 1.0)
    assert eager["coverage"] == {"ops": 2, "enabled": 1, "rate": 0.5}
    assert eager["dedupe"] == {"executed": 3, "duplicates": 1, "saved": 0.25}
    assert (eager["stability"]["tests"], eager["stability"]["rate"]) == (3, None)
    assert found["by_model"]["one"]["backends"]["eager"]["pass_rate"] == 0.6667
    assert found["by_op"]["torch.neg"]["backends"]["eager"]["pass_rate"] == 0.0
    assert found["by_op"]["torch.neg"]["cases"] == 1
    assert [(one["op"], one["model"], one["cases"], one["backends"]["eager"]["passed"]) for one in found["grid"]] == [
        ("torch.add", "one", 2, 2),
        ("torch.add", "two", 1, 1),
        ("torch.neg", "one", 1, 0),
    ]
    of_two = call("ops", "report", "--json", "--model", "two", "--repo", with_results.root).json
    assert (of_two["backends"]["eager"]["cases"], of_two["backends"]["eager"]["pass_rate"]) == (1, 1.0)
    assert "grid" not in of_two


def test_the_table_says_it_in_words(with_results: Checkout) -> None:
    called = call("ops", "report", "--repo", with_results.root)
    lines = [line.split() for line in called.out.splitlines()]
    start = lines.index(["eager,", "by", "model"])
    assert lines[start + 2 : start + 5] == [
        ["one", "3", "2", "1", "0", "0", "0", "0", "66.7%", "2.000", "1.000"],
        ["two", "1", "1", "0", "0", "0", "0", "0", "100.0%", "1.000", "1.000"],
        ["all", "4", "3", "1", "0", "0", "0", "0", "75.0%", "3.000", "1.000"],
    ]
    assert (
        "eager: 3 of 4 pass (75.0%), 1 of 2 ops enabled (50.0%), 3 executed, 1 duplicate (25.0% saved), 3.000 s in all, "
        "1.000 s a case, no test ran twice, so stability is not known"
    ) in called.err.splitlines()


def test_csv_and_markdown_have_the_same_numbers(with_results: Checkout) -> None:
    rows = list(csv.DictReader(io.StringIO(report(with_results, "--format", "csv"))))
    assert [
        (one["by"], one["name"], one["cases"], one["backend"], one["passed"], one["pass_rate"]) for one in rows
    ] == [
        ("all", "", "4", "eager", "3", "0.75"),
        ("model", "one", "3", "eager", "2", "0.666667"),
        ("model", "two", "1", "eager", "1", "1"),
        ("op", "torch.add", "3", "eager", "3", "1"),
        ("op", "torch.neg", "1", "eager", "0", "0"),
    ]
    text = report(with_results, "--format", "markdown")
    assert "### eager, by op" in text
    assert "| torch.add | 3 | 3 | 0 | 0 | 0 | 0 | 0 | 100.0% | 2.500 | 1.250 |" in text


def test_the_grid_is_passed_of_cases_by_op_and_model(with_results: Checkout, tmp_path: Path) -> None:
    grid = ["op,one,two,all", "torch.add,2/2,1/1,3/3", "torch.neg,0/1,,0/1", "all,2/3,1/1,3/4"]
    backends = ["backend", "eager", "eager", "eager"]
    assert report(with_results, "--grid", "--format", "csv").splitlines() == [
        f"{backend},{line}" for backend, line in zip(backends, grid, strict=True)
    ]
    text = report(with_results, "--grid", "--format", "markdown")
    assert "| op | one | two | all |\n|---|---:|---:|---:|\n| torch.add | 2/2 | 1/1 | 3/3 |\n" in text
    ingested(with_results, tmp_path / "later.xml", "inductor", two_a=("pass", "", 1.0))
    lines = report(with_results, "--grid", "--format", "csv", "--backend", "inductor").splitlines()
    assert lines[1:] == [
        "inductor,torch.add,-/2,1/1,1/3",
        "inductor,torch.neg,-/1,,-/1",
        "inductor,all,-/3,1/1,1/4",
    ]


def test_without_results_it_says_so(checkout: Checkout) -> None:
    called = call("ops", "report", "--repo", checkout.root)
    assert "No results of these cases. `ttmatrix ops run` makes some." in called.err.splitlines()
    assert "torch.add" in called.out
    assert "eager" not in called.out
    found = call("ops", "report", "--json", "--repo", checkout.root).json
    assert (found["backends"], found["cases"], found["by_op"]["torch.add"]["backends"]) == ({}, 4, {})
    assert "No results of these cases" in report(checkout, "--format", "markdown")
    assert report(checkout, "--format", "csv").splitlines()[1].startswith("all,,4,3,2,2,")
    assert report(checkout, "--grid", "--format", "csv").splitlines()[1] == ",torch.add,-/2,-/1,-/3"


def test_a_backend_without_results_says_which_have_some(with_results: Checkout) -> None:
    called = call("ops", "report", "--backend", "tt", "--repo", with_results.root)
    assert "No results of these cases on tt. There are some on eager." in called.err.splitlines()
    assert "eager, by model" not in called.out


def test_what_was_edited_has_no_results(with_results: Checkout) -> None:
    file = with_results.root / "tests/op_manifests/two.yaml"
    file.write_text(TWO.replace("[3]", "[4]"))
    found = call("ops", "report", "--json", "--repo", with_results.root).json
    assert (found["by_model"]["two"]["backends"]["eager"]["missing"], found["backends"]["eager"]["passed"]) == (1, 2)


def test_a_directory_alone_has_no_results(tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text(ONE)
    with chdir(tmp_path):
        called = call("ops", "report", "--ops-dir", tmp_path, "--json")
    assert (called.code, called.json["backends"]) == (0, {})
