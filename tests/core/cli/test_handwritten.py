# SPDX-License-Identifier: Apache-2.0
"""Hand-written tests in the commands: listed, shown with the jobs that select them, planned."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from core import handwritten, kinds
from core.base.errors import EXIT_OK, EXIT_USAGE
from core.base.settings import Settings
from core.evidence.reports.classify import handwritten_test
from core.matrix import HANDWRITTEN_KIND
from core.matrix.cache import Cache
from core.runs import Outcome, Testcase
from core.sources import Checkout
from tests.support.boards import fake_tt_smi
from tests.support.cli import call
from tests.support.tree import sample

_MODULE = """
import pytest
from somewhere import somebody
from utils import run_op_test, run_graph_test


@pytest.mark.push
@pytest.mark.single_device
@pytest.mark.parametrize("shape", [(32, 32), (64,)], ids=str)
def test_add(shape):
    run_op_test(shape)


@pytest.mark.nightly
@pytest.mark.cpu
def test_graph():
    run_graph_test()


@pytest.mark.parametrize("value", somebody())
def test_doubtful(value):
    run_op_test(value)
"""
_PRESET = [
    {"runs-on": "n150", "name": "ops", "dir": "./tests/torch", "test-mark": "push and single_device"},
    {"runs-on": "p150", "name": "all", "dir": "./tests/torch/ops/test_add.py", "test-mark": "", "contains": "graph"},
    {"runs-on": "n300", "name": "one", "dir": "tests/torch/ops/test_add.py::test_add", "test-mark": ""},
    {"runs-on": "cpu", "name": "elsewhere", "dir": "./tests/jax", "test-mark": ""},
    {"runs-on": "cpu", "name": "broken", "dir": "./tests/torch", "test-mark": "push and and"},
]
_PATH = "tests/torch/ops/test_add.py"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    found = sample(tmp_path / "checkout")
    file = found.root / _PATH
    file.parent.mkdir(parents=True)
    file.write_text(_MODULE)
    (found.root / "tests/utils.py").write_text("def run_op_test(*a): pass\ndef run_graph_test(*a): pass\n")
    found.presets.mkdir(parents=True, exist_ok=True)
    (found.presets / "ops.json").write_text(json.dumps(_PRESET))
    return found


def test_listed(checkout: Checkout) -> None:
    ids = call("--repo", checkout.root, "list", "--kind", "handwritten", "--format", "ids")
    assert ids.out.splitlines() == [
        f"{_PATH}::test_add[(32, 32)]",
        f"{_PATH}::test_add[(64,)]",
        f"{_PATH}::test_doubtful",
        f"{_PATH}::test_graph",
    ]
    again = call("--repo", checkout.root, "list", "--kind", "handwritten", "known:no")
    assert "not known" in again.out and "1 of 4 hand-written tests" in again.err
    (checkout.root / _PATH).write_text("def test_new(): pass\n")
    changed = call("--repo", checkout.root, "list", "--kind", "handwritten", "--format", "csv")
    assert changed.out.splitlines() == ["id,level,markers,file:line,note", f"{_PATH}::test_new,,,{_PATH}:1,"]


def test_parameters_that_raise_leave_no_test_of_their_file_known(checkout: Checkout) -> None:
    """pytest imports the file or collects nothing of it: list, show and doctor give exception, file and line."""
    file = checkout.root / _PATH
    file.write_text(file.read_text().replace("from somewhere import somebody\n", ""))
    why = f"raises NameError at {_PATH}:19: name 'somebody' is not defined"
    rows = call("--repo", checkout.root, "list", "--kind", "handwritten", "known:no", "--json").json
    assert {one["id"]: one["why"] for one in rows} == {
        f"{_PATH}::{name}": why for name in ("test_add", "test_doubtful", "test_graph")
    }
    assert call("--repo", checkout.root, "list", "--kind", "handwritten", "known:yes", "--json").json == []
    listed = call("--repo", checkout.root, "list", "--kind", "handwritten")
    assert f"not known: {why}" in listed.out
    assert f"broken-test: pytest cannot collect its tests: importing it {why} ({_PATH})" in listed.err
    assert why in call("--repo", checkout.root, "show", f"{_PATH}::test_graph").out
    found = call("--repo", checkout.root, "doctor").out
    assert f"{_PATH}:19" in found and f"pytest cannot collect its tests: importing it {why}" in found


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (("level:op",), 3),
        (("level:graph",), 1),
        (("level:other",), 0),
        (("marker:push",), 2),
        (("-marker:push", "file:ops"), 2),
        (("ADD[(32", "known:yes"), 1),
        ((f"{_PATH}::test_add",), 2),
        (("level:op file:ops marker:push",), 2),
        (("level:op", "file:ops", "mark:push"), 2),
        (("level:op !marker:push",), 1),
    ],
)
def test_selected(checkout: Checkout, words: tuple[str, ...], count: int) -> None:
    done = call("--repo", checkout.root, "list", "--kind", "handwritten", "--json", "--", *words)
    assert len(json.loads(done.out)) == count


def test_what_hand_written_tests_do_not_have_is_said(checkout: Checkout) -> None:
    done = call("--repo", checkout.root, "list", "--kind", "handwritten", "arch:n150")
    assert done.code == EXIT_OK and "arch: is a field of model rows only" in done.err


def test_never_among_the_rows_of_the_matrix(checkout: Checkout) -> None:
    assert _PATH not in call("--repo", checkout.root, "list", "--format", "ids").out
    assert _PATH not in call("--repo", checkout.root, "list", "--kind", "all", "--format", "ids").out


def test_selected_as_rows_by_the_query_language(checkout: Checkout) -> None:
    def ids(*words: str) -> list[str]:
        return call("--repo", checkout.root, "list", *words, "--format", "ids").out.splitlines()

    assert ids("kind:handwritten") == ids("--kind", "handwritten") == ids("kind:hand")
    assert ids("level:graph") == [f"{_PATH}::test_graph"]
    assert ids("kind:handwritten", "mark:push", '"add[(64"') == [f"{_PATH}::test_add[(64,)]"]
    assert ids("kind:op") == ids("kind:model", "level:op") == []
    both = json.loads(call("--repo", checkout.root, "list", "kind:model,handwritten", "--json").out)
    by_hand = json.loads(call("--repo", checkout.root, "list", "--kind", "handwritten", "--json").out)
    assert both[-4:] == by_hand == json.loads(call("--repo", checkout.root, "list", "kind:hand", "--json").out)
    assert "4 of 4 hand-written tests" in call("--repo", checkout.root, "list", "kind:handwritten").err


def test_listed_with_placeholders(checkout: Checkout) -> None:
    file = checkout.test_config / "torch/test_config_placeholders.yaml"
    file.write_text("PLACEHOLDER_MODELS:\n  Other Model:\n    reason: Waits\n")
    words = ("--repo", checkout.root, "list", "kind:handwritten,placeholder")
    by_hand = call(*words[:2], "list", "--kind", "handwritten", "--json").json
    both = call(*words, "--json").json
    assert [one for one in both if one in by_hand] == by_hand
    assert [one["id"] for one in both if one not in by_hand] == ["Other Model"]
    for style in ("table", "csv", "ids"):
        called = call(*words, "--format", style)
        assert called.code == EXIT_OK
        assert "Other Model" in called.out and f"{_PATH}::test_graph" in called.out


def test_a_function_with_parameters_runs_all_of_its_items(checkout: Checkout) -> None:
    planned = json.loads(call("--repo", checkout.root, "run", f"{_PATH}::test_add", "--plan", "--json").out)
    assert [one["argv"][-1] for one in planned] == [f"{_PATH}::test_add[(32, 32)]", f"{_PATH}::test_add[(64,)]"]
    refused = call("--repo", checkout.root, "run", f"{_PATH}::test_", "--plan")
    assert refused.code == EXIT_USAGE and "matches 4 hand-written tests" in refused.err


def test_shown(checkout: Checkout) -> None:
    shown = json.loads(call("--repo", checkout.root, "show", f"{_PATH}::test_add[(64,)]", "--json").out)
    assert shown["level"] == "op" and shown["known"] and shown["parameters"] == {"shape": "(64,)"}
    assert shown["markers"] == ["parametrize", "push", "single_device"]
    assert {machine: [job["name"] for job in jobs] for machine, jobs in shown["jobs"].items()} == {
        "n150": ["ops"],
        "n300": ["one"],
    }
    assert "broken" not in call("--repo", checkout.root, "show", f"{_PATH}::test_doubtful").out


def test_jobs(checkout: Checkout) -> None:
    jobs = json.loads(call("--repo", checkout.root, "jobs", f"{_PATH}::test_graph", "--json").out)
    assert list(jobs["archs"]) == ["p150"]
    assert "on request" in call("--repo", checkout.root, "jobs", f"{_PATH}::test_graph").out
    assert "No job" in call("--repo", checkout.root, "jobs", f"{_PATH}::test_graph", "--arch", "n150").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", f"{_PATH}::test_add"), "matches 2 hand-written tests"),
        (("show", f"{_PATH}::nothing"), "No hand-written test"),
        (("jobs", "test_nowhere.py::test_a"), "No hand-written test"),
        (("list", "--kind", "handwritten", "nowhere:x"), "no field 'nowhere'"),
        (("list", "--kind", "handwritten", "--universe", "entries"), "tests of models"),
        (("run", f"{_PATH}::test_add[(64,)]", "--kind", "cpu", "--plan"), "needs a device"),
    ],
)
def test_refused(checkout: Checkout, words: tuple[str, ...], said: str) -> None:
    done = call("--repo", checkout.root, *words)
    assert done.code == EXIT_USAGE and said in done.err


def test_planned(checkout: Checkout) -> None:
    """A function with unknown parameters runs as a whole, or with the parameters that a person gives."""
    done = call(
        "--repo", checkout.root, "run", f"{_PATH}::test_graph", f"{_PATH}::test_doubtful[x]", "--plan", "--json"
    )
    assert done.code == EXIT_OK, done.err
    graph, doubtful = json.loads(done.out)
    assert graph["argv"][1:3] == ["-m", "pytest"] and graph["argv"][-1] == f"{_PATH}::test_graph"
    assert (graph["kind"], doubtful["kind"]) == ("cpu", "device")
    assert doubtful["argv"][-1] == f"{_PATH}::test_doubtful[x]"
    assert str(checkout.root / "tests") in graph["env"]["PYTHONPATH"]


def test_rows_that_are_not_cached_are_read_only_where_that_may_take_long(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.sources.stamps._RACY_NS", -(10**18))
    cache = Cache(checkout, tmp_path / "cache")
    matrix, _ = cache.index()
    assert handwritten.with_cached_handwritten(cache, matrix) is None
    read = handwritten.with_handwritten(cache, matrix)
    cached = handwritten.with_cached_handwritten(cache, matrix)
    assert cached and cached.ids == read.ids and len(read.ids) == len(matrix.ids) + 4
    (checkout.root / _PATH).write_text("def test_new(): pass\n")
    assert handwritten.with_cached_handwritten(cache, matrix) is None
    shutil.rmtree(checkout.root / "tests/torch")
    assert handwritten.with_cached_handwritten(cache, matrix) is matrix, "there are none"


@pytest.mark.parametrize(("python", "runs"), [(sys.executable, True), ("/nowhere/python", False)])
def test_several_are_one_batch_and_what_cannot_run_is_said(
    checkout: Checkout, tmp_path: Path, python: str, runs: bool
) -> None:
    tests = handwritten.read_tests(Cache(checkout, tmp_path / "cache")).tests
    settings = Settings(python=python)
    source = kinds.Source(Cache(checkout, tmp_path / "cache"), settings, tmp_path / "runs")
    plan = kinds.by_name(HANDWRITTEN_KIND).plan([test.node_id for test in tests], source)
    planned, refused = [spec.test_id for spec in plan.specs], [str(error) for error in plan.refused]
    assert planned == ([test.node_id for test in tests] if runs else [])
    assert len({spec.batch for spec in plan.specs}) == (1 if runs else 0)
    assert len(refused) == (0 if runs else len(tests)) and all("/nowhere/python" in text for text in refused)


def test_boards_that_a_test_needs(checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = "tests/jax/multi_chip/n300/ops/test_sum.py"
    (checkout.root / file).parent.mkdir(parents=True)
    (checkout.root / file).write_text("def test_sum(): pass\n")
    words = ("--repo", checkout.root, "run", f"{file}::test_sum", "--plan")
    assert f"{file}::test_sum needs n300" in call(*words).err, "also where there is no device"
    monkeypatch.setenv("PATH", fake_tt_smi(tmp_path / "bin", "n150 L")["PATH"])
    said = call(*words).err
    assert f"blocker: {file}::test_sum needs n300; this machine has n150 (1 chip)" in said
    assert "--force" in said
    fake_tt_smi(tmp_path / "bin", "n300 L", "n300 R")
    assert "needs n300;" not in call(*words).err


def test_results_of_reports(checkout: Checkout, tmp_path: Path) -> None:
    """Matched by class name and name; they count as other tests, since they are not cells of the matrix.

    Their failures are in the clusters.
    """
    tags = "{'test_name': 'test_add', 'specific_test_case': 'test_add[(64,)]', 'category': 'op_test'}"
    properties = f'<properties><property name="tags" value="{tags}"/></properties>'
    report = tmp_path / "report.xml"
    report.write_text(
        '<testsuites><testsuite name="pytest" timestamp="2026-11-01T00:00:00+00:00" hostname="h">'
        f'<testcase classname="tests.torch.ops.test_add" name="test_add[(64,)]" time="1.5">{properties}'
        '<failure message="AssertionError: PCC comparison failed">E   AssertionError: PCC comparison failed</failure></testcase>'
        '<testcase classname="tests.torch.ops.test_add" name="test_graph" time="0.5"/>'
        '<testcase classname="tests.torch.ops.test_more.TestGroup" name="test_in" time="0.5"/>'
        '<testcase classname="tests.benchmark.test_add" name="test_graph" time="0.5"/>'
        "</testsuite></testsuites>"
    )
    counts = call("--repo", checkout.root, "ingest", report, "--arch", "n150", "--run-name", "night", "--json").json
    assert counts["counts"] == {"other": 4}
    shown = call("--repo", checkout.root, "show", f"{_PATH}::test_add[(64,)]", "--json").json
    assert [(one["when"], one["run"], one["arch"], one["ending"]) for one in shown["evidence"]] == [
        ("2026-11-01T00:00:00+00:00", "night", "n150", "inaccurate")
    ]
    assert "PCC comparison failed" in shown["evidence"][0]["why"]
    graph = call("--repo", checkout.root, "show", f"{_PATH}::test_graph", "--json").json
    assert [one["ending"] for one in graph["evidence"]] == ["passed"]
    clusters = call("--repo", checkout.root, "clusters", "--json").json
    (cluster,) = (one for one in clusters if one["signature"] == "PCC comparison failed")
    assert (cluster["signature"], cluster["tests"]) == ("PCC comparison failed", 1)
    assert [one["id"] for one in cluster["members"]] == [f"{_PATH}::test_add[(64,)]"]


@pytest.mark.parametrize(
    ("classname", "node"),
    [
        ("tests.torch.ops.test_add", "tests/torch/ops/test_add.py::test_a[x::y]"),
        ("tests.jax.test_x.TestOne.TestTwo", "tests/jax/test_x.py::TestOne::TestTwo::test_a[x::y]"),
        ("tests.runner.test_models", ""),
        ("tests.torch", ""),
        ("", ""),
    ],
)
def test_node_ids_of_testcases(classname: str, node: str) -> None:
    assert handwritten_test(Testcase(classname, "test_a[x::y]", Outcome.PASS, "", "", None, 0.0, {}, {})) == node
