# SPDX-License-Identifier: Apache-2.0
"""The JSON of every headless command, made by calling each one on checkouts that have something to say."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pytest import MonkeyPatch

from core.base.settings import paths
from core.evidence import CiJob, CiRun, CiStore, evidence_store
from core.evidence.ci_runs import Step
from core.sources import Checkout
from tests.support.cli import call
from tests.support.fake_python import use_fake_python
from tests.support.github_server import TOKEN, github
from tests.support.nightlies import nightly
from tests.support.op_reports import ingest_cases
from tests.support.pending_changes import propose
from tests.support.sample import sample_checkout
from tests.support.states import with_submodule
from tests.support.tree import sample
from tests.support.triage_checkout import SMALL, device_xml, triage_checkout

STALE = "patch_vit/pytorch-Small_Patch8-single_device-training"
PASSING = "patch_vit/pytorch-Tiny_Patch8-single_device-training"


PAGE = "https://github.com/team/tt-xla/actions/runs/3"


def _job(run: int) -> CiJob:
    return CiJob(
        run,
        run,
        1,
        "nightly / test n150 (n150, models, 0)",
        "completed",
        "failure",
        steps=(Step(1, "Set up job", "failure"),),
    )


Documents = Iterator[tuple[str, str, Any]]
"""The name of a schema, the command line, and the document."""


def documents(directory: Path, home: Path) -> Documents:
    """Every form of every command that has `--json`; `home` is where TTMATRIX_HOME points to."""
    yield from _sample(sample_checkout(directory / "sample"), directory)
    yield from _runs(directory, home)
    yield from _workflow(directory, home)


def _artefacts(checkout: Checkout) -> Documents:
    with github() as hub, MonkeyPatch.context() as patch:
        patch.setenv("GITHUB_API_URL", hub.api)
        patch.setenv("GH_TOKEN", TOKEN)
        hub.add_run(3, 3)
        hub.add_artefact(3, 7, "ir-dumps-a-1.0-n150-x-3", {"a.mlir": b"module {}"})
        yield _printed("nightly-artefacts", "nightly", "--fetch", "ir-dumps", "--repo", checkout.root)


def _sample(checkout: Checkout, directory: Path) -> Documents:
    def printed(schema: str, *argv: object) -> tuple[str, str, Any]:
        return _printed(schema, *argv, "--repo", checkout.root)

    reports = directory / "reports"
    for night in (1, 2, 3):
        endings = {"n150": "pass", "p150": "pass" if night == 3 else "fail"}
        files = [
            nightly(reports / f"{night}-{arch}.xml", arch, {STALE: "pass", PASSING: ending})
            for arch, ending in endings.items()
        ]
        yield printed("ingest", "ingest", *files, "--run-name", f"night-{night}")
    (reports / "torn.xml").write_text("<testsuites>")
    yield printed("ingest", "ingest", reports / "torn.xml")
    known = CiStore(evidence_store(checkout, paths()))
    for night in (2, 3):
        known.add(CiRun(night, f"night-{night}", 1, "", night, created=float(night), url=PAGE), [_job(night)])
    yield printed("nightly", "nightly")
    yield printed("nightly-job", "nightly", "--job", "3")
    yield from _artefacts(checkout)
    team = directory / "team.csv"
    for verb in (("export", team), ("import", team), ("stats",), ("prune", "--write")):
        yield printed("evidence", "evidence", *verb)
    yield printed("list", "list", "has:entry")
    yield printed("list", "list", "--view", "xfail without issue", "--arch", "n150")
    yield printed("list-views", "list", "--views")
    yield printed("list", "list", "kind:op or has:entry")
    yield printed("show", "show", STALE)
    yield printed("list", "list", "is:placeholder")
    yield printed("placeholders", "placeholders")
    propose(checkout, STALE, "status", "EXPECTED_PASSING")
    yield printed("pending", "pending", "list")
    yield printed("pending", "pending", "accept", STALE)
    yield printed("pending", "pending", "undo")
    yield printed("show-placeholder", "show", "Panorama Segmenter")
    yield printed("edit", "placeholders", "Panorama Segmenter", "--remove")
    yield printed("grid", "grid", "has:entry", "--sort", "n150")
    yield printed("show-op", "show", "nano_lm::scores")
    yield printed("show-op", "show", "nano_lm::merge_heads_needs_reshape")
    yield printed("jobs", "jobs")
    yield printed("jobs-of-test", "jobs", STALE)
    yield printed("history", "history", STALE)
    for by in ("status", "arch", "group"):
        yield printed("trend", "trend", "--by", by)
    yield printed("doctor", "doctor")
    yield printed("check", "check", "--base", "HEAD")
    yield printed("doctor-kinds", "doctor", "--kinds")
    yield printed("doctor-explain", "doctor", "--explain", "odd-marker")
    (checkout.root / "tests/op_manifests/broken.yaml").write_text("cases: [{name: a, op: torch.load}]\nmodle: a\n")
    yield printed("ops-list", "ops", "list", "--include-template")
    yield printed("ops-list", "list", "--kind", "op")
    yield printed("ops-models", "ops", "models")
    tests = checkout.root / "tests/torch/test_ops.py"
    tests.parent.mkdir()
    tests.write_text("import pytest\n@pytest.mark.parametrize('x', [1, 2])\ndef test_a(x): run_op_test(x)\n")
    yield printed("list-handwritten", "list", "--kind", "handwritten")
    yield printed("list", "list", "has:entry or kind:op or kind:handwritten or is:placeholder")
    (reports / "ops.xml").write_text(
        '<testsuites><testsuite><testcase classname="tests.torch.test_ops" name="test_a[1]"/></testsuite></testsuites>'
    )
    yield printed("ingest", "ingest", reports / "ops.xml", "--run-name", "ops")
    benchmarks = checkout.root / ".github/workflows/perf-bench-matrix.json"
    benchmarks.write_text('[{"tests": [{"name": "tiny", "pytest": "tests/benchmark", "runs-on": "n150"}]}]')
    yield printed("show-row", "show", "benchmark::tiny")
    yield printed("list", "list", "kind:benchmark,placeholder")
    yield printed("show-handwritten", "show", "tests/torch/test_ops.py::test_a[1]")
    yield printed("jobs-of-test", "jobs", "tests/torch/test_ops.py::test_a[1]")
    yield printed("ops-report", "ops", "report")
    tensor = "[TensorDesc(shape=[1, 2], data_type='bf16', buffer_type=None, layout=None, grid_shape=None)]"
    result = {"op_name": "stablehlo.add", "success": "False", "model_name": "nothing", "inputs": tensor}
    report = {"tests": [{"user_properties": [{"OpTest model for: stablehlo.add": result}]}]}
    (checkout.root / "report.json").write_text(json.dumps(report))
    yield printed("ops-of", "ops", "of", PASSING)
    yield printed("ops-run", "ops", "run", "nano_lm::input_norm", "--backend", "eager")
    yield printed("ops-results", "ops", "results")
    failed = {"status": "fail", "max_abs": 0.5, "pcc": 0.9, "run_seconds": 0.1}
    ingest_cases(checkout, reports / "night.xml", "inductor", {"nano_lm::input_norm": failed}, "1 of 2 differ")
    yield printed("ops-compare", "ops", "compare")
    yield printed("ops-report", "ops", "report", "--grid")
    runs = printed("runs", "runs")
    yield runs
    made = paths().runs / runs[2][0]["run"]
    yield "run-spec", "spec.json of op cases", json.loads((made / "spec.json").read_text())
    for line in (made / "results.jsonl").read_text().splitlines():
        yield "run-results", line, json.loads(line)
    yield printed("plan", "run", "nano_lm::input_norm", "--plan")
    shared = "[profiles.bfp8]\nbatch_size = 2\noptions = {optimization_level = 1}\nweights = {'*' = 'bfp_bf8'}\n"
    (checkout.root / "ttmatrix-profiles.toml").write_text(shared)
    yield printed("profiles", "profiles")
    yield printed("perf", "perf")
    yield printed("profiles-options", "profiles", "--options")
    (directory / "graph_ttnn.mlir").write_text('%0 = "ttnn.add"(%a, %b)\n')
    yield printed("filecheck", "filecheck", directory / "add.ttnn.mlir", directory / "graph_ttnn.mlir", "--first", "1")
    if shutil.which("FileCheck-14") or shutil.which("FileCheck"):
        yield printed("filecheck", "filecheck", directory / "add.ttnn.mlir", directory / "graph_ttnn.mlir")
    yield printed("ir", "ir", "list", directory / "graph_ttnn.mlir")
    yield printed("ir", "ir", "ops", directory / "graph_ttnn.mlir")
    yield printed("ir", "ir", "ops", directory / "graph_ttnn.mlir", "--find", "add")
    (directory / "other_ttnn.mlir").write_text('%0 = "ttnn.multiply"(%a, %b)\n')
    yield printed("ir", "ir", "diff", directory / "graph_ttnn.mlir", directory / "other_ttnn.mlir")
    yield printed("loaders", "loaders")
    yield printed("verdicts", "verdicts")
    yield printed("policy-of-checkout", "policy")
    yield printed("clusters", "clusters")
    yield printed("clusters-issues", "clusters", "--issues")
    yield printed("operations", "clusters", "--cluster", "class DepthMapOutput", "--set-reason", "No handler")
    yield printed("compare", "compare")
    yield printed("compare-runs", "compare", "--runs")
    yield printed("since", "since", PASSING)
    yield printed("since", "since", STALE)
    yield printed("report", "report", "--since", "9000", "--by", "group")
    proposed = printed("propose", "propose", "-o", directory / "proposals.json")
    yield proposed
    yield "proposals", "the file of propose -o", json.loads((directory / "proposals.json").read_text())
    yield "proposals", "the document of propose", proposed[2]
    yield printed("edit", "apply", directory / "proposals.json", "--markdown")
    operations = directory / "operations.json"
    done, rejected = _operations()
    operations.write_text(json.dumps([done, rejected]))
    yield "operations", "a file of operations", [done, rejected]
    yield printed("edit", "edit", "--apply", operations)
    operations.write_text(json.dumps([done]))
    yield printed("edit", "edit", "--apply", operations, "--commit")
    yield printed("pr", "pr")
    yield printed("diff", "diff", "HEAD~3..HEAD")
    yield printed("diff", "diff", "HEAD~3..index")
    yield printed("diff", "diff")
    yield printed("diff-hours", "diff", "HEAD~3..HEAD", "--hours", "2")
    nested = with_submodule(directory / "nested")
    yield _printed("diff", "uplift", "HEAD", "--repo", nested.root)
    yield printed("hosts", "hosts", "add", "here", "--local", "--expires", "4h")
    yield printed("hosts", "hosts", "list")
    yield printed("hosts-check", "hosts", "check")
    yield printed("session", "plan", "has:entry", "--hours", "2", "--arch", "n150")
    yield printed("completion", "completion", "bash")
    yield printed("error", "show", "no such test")


def _operations() -> list[dict[str, object]]:
    """One that can be done, and one that cannot."""
    return [
        {"op": "set", "id": STALE, "path": ["arch_overrides", "n150", "reason"], "value": "Too large"},
        {"op": "remove", "id": "no such entry"},
    ]


def _runs(directory: Path, home: Path) -> Documents:
    use_fake_python(home, directory)
    checkout = sample(directory / "runs")
    passing, failing = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "org/name"))

    def printed(schema: str, *argv: object) -> tuple[str, str, Any]:
        return _printed(schema, *argv, "--repo", checkout.root)

    yield printed("ops-extract", "ops", "extract", passing)
    yield printed("ops-extract", "ops", "extract", passing, "-o", directory / "tiny.yaml")
    yield printed("ops-bisect", "ops", "bisect", passing, "--backend", "inductor")
    yield printed("ops-bisect", "ops", "bisect", failing, "--backend", "inductor")
    yield printed("plan", "run", passing, "--kind", "cpu", "--plan")
    yield printed("runs", "run", passing, failing, "--kind", "cpu", "--wait")
    runs = printed("runs", "runs")
    yield runs
    first, second = (one["run"] for one in runs[2])
    yield printed("logs", "logs", first)
    yield printed("logs-artefacts", "logs", first, "--artefacts")
    yield printed("logs-compare", "logs", first, "--compare", second)
    yield printed("capsule", "capsule", first, "-o", directory / "capsule.tar.gz")
    yield printed("replay", "replay", directory / "capsule.tar.gz")
    yield printed("plan", "rerun", "--failed", "--plan")
    yield printed("runs", "rerun", "--failed", "--wait")
    yield printed("runs", "queue")
    yield printed("runs", "prune", "--runs", "1")
    yield printed("runs", "cancel", first)
    both = "default,default+batch_size=2"
    yield printed("compare-profiles", "compare", "--profiles", both, "--repeat", "1", f"id:{passing}")
    for name in ("spec", "exit", "provenance"):
        yield f"run-{name}", f"{name}.json", json.loads((paths().runs / first / f"{name}.json").read_text())
    for line in (paths().runs / first / "events.jsonl").read_text().splitlines():
        yield "run-event", line, json.loads(line)


def _workflow(directory: Path, home: Path) -> Documents:
    checkout = triage_checkout(directory / "workflow", home)
    yield _printed("triage-sessions", "triage", "--repo", checkout.root)
    yield _printed("triage", "triage", SMALL, "--repo", checkout.root)
    yield _printed("triage-sessions", "triage", "--repo", checkout.root)
    result = device_xml(directory / "device.xml", Large="RuntimeError: TT_FATAL: no room")
    yield _printed("triage", "triage", SMALL, "--device-result", result, "--apply", "--repo", checkout.root)
    yield _printed("loaders", "loaders", "--repo", checkout.root)


def _printed(schema: str, *argv: object) -> tuple[str, str, Any]:
    called = call(*argv, "--json")
    assert called.code in (0, 1) or schema == "error", called.err
    return schema, " ".join(map(str, argv)), called.json
