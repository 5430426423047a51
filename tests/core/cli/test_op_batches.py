# SPDX-License-Identifier: Apache-2.0
"""Op cases in the queue: one run per batch, ended at any moment, and rerun without cases that have a result."""

import json
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from core.base.processes import marked
from core.base.settings import paths
from core.runs import RUN_VARIABLE, read_case_results
from core.runs.store import RunStore
from core.sources import Checkout
from tests.support.cli import call
from tests.support.git import committed_checkout
from tests.support.tree import LOADERS, write_checkout
from tests.support.warm_python import use_python

SLOW_CASES = 150
"""Enough cases with a compiler that a batch can be interrupted while it runs."""


@pytest.fixture
def checkout(tmp_path: Path, own_home: Path, warm_torch: Path) -> Checkout:
    use_python(warm_torch, own_home)
    found = write_checkout(tmp_path / "tt-xla", LOADERS, {})
    directory = found.root / "tests/op_manifests"
    directory.mkdir(parents=True)
    tensor = "{tensor: {shape: [2, 3]}}"
    (directory / "two.yaml").write_text(
        f"cases:\n  - {{name: a, op: torch.neg, inputs: [{tensor}]}}\n  - {{name: b, op: torch.abs, inputs: [{tensor}]}}\n"
        f"  - {{name: s, op: torch.abs, skip_if: 'True', inputs: [{tensor}]}}\n"
    )
    cases = (
        f"  - {{name: c{n}, op: torch.neg, inputs: [{{tensor: {{shape: [{n + 1}]}}}}]}}\n" for n in range(SLOW_CASES)
    )
    (directory / "many.yaml").write_text("cases:\n" + "".join(cases))
    return found


def until(condition: Callable[[], object], seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        pause.wait(0.02)


def test_a_batch_is_planned_as_one_run(checkout: Checkout) -> None:
    (planned,) = call("run", "two::a", "two::b", "--plan", "--json", "--repo", checkout.root).json
    assert (planned["id"], planned["kind"], planned["arch"]) == ("2 op cases of two", "op", "inductor")
    assert planned["cases"] == ["two::a", "two::b"]
    assert planned["env"]["TORCHINDUCTOR_CACHE_DIR"] == str(paths().cache / "inductor")
    both = call("run", "two::a", "--backend", "eager", "--backend", "xla", "--plan", "--json", "--repo", checkout.root)
    assert [(one["id"], one["arch"]) for one in both.json] == [("two::a", "eager"), ("two::a", "xla")]
    assert call("run", "two::a", "--kind", "cpu", "--plan", "--repo", checkout.root).code == 64
    closest = call("run", "two::aa", "--plan", "--repo", checkout.root)
    assert (closest.code, "Closest: two::a" in closest.err) == (64, True)


@pytest.mark.slow("a batch of op cases")
def test_it_belongs_to_the_checkout_and_to_what_its_manifests_say(checkout: Checkout) -> None:
    committed_checkout(checkout)
    called = call("ops", "run", "two::a", "two::s", "--backend", "eager", "--repo", checkout.root)
    assert called.code == 0
    (run,) = called.out.split()
    waited = call("logs", run, "-f", "--repo", checkout.root)
    assert "two::a PASSED" in waited.out and "two::s SKIPPED" in waited.out
    (listed,) = call("runs", "--json", "--repo", checkout.root).json
    assert (listed["outcome"], listed["summary"], listed["committed"]) == ("pass", "1 pass, 1 skip", True)
    assert listed["result"]["counts"] == {"pass": 1, "skip": 1}
    assert listed["age"] == ""
    manifest = checkout.root / "tests/op_manifests/two.yaml"
    manifest.write_text(manifest.read_text().replace("[2, 3]", "[2, 4]"))
    assert call("runs", "--json", "--repo", checkout.root).json[0]["age"] == "manifest edited since"
    assert "results.jsonl" in call("logs", run, "--artefacts", "--repo", checkout.root).out
    forced = call("ops", "run", "two::s", "--backend", "eager", "--run-skipped", "--json", "--repo", checkout.root)
    assert [(one["id"], one["status"]) for one in forced.json] == [("two::s", "pass")]
    # One result is enough for this team's policy.
    (checkout.root / "ttmatrix-policy.toml").write_text("minimum_runs = 1\napply_grade = 1\n")
    found = call("ops", "results", "two::s", "--json", "--repo", checkout.root).json
    assert [(one["status"], one["backend"], one["verdict"], one["max_abs"]) for one in found] == [
        ("pass", "eager", "stale", 0.0)
    ]
    (judged,) = call("verdicts", "kind:op", "--only", "stale", "--json", "--repo", checkout.root).json
    assert (judged["id"], judged["arch"], judged["rows"][0]["op"]["status"]) == ("two::s", "eager", "pass")
    (proposal,) = call("propose", "kind:op", "--json", "--repo", checkout.root).json
    assert proposal["ops"] == [
        {"op": "unset", "id": "two::s", "file": "tests/op_manifests/two.yaml", "path": ["skip_if"]}
    ]
    file = checkout.root.parent / "proposals.json"
    call("propose", "kind:op", "-o", file, "--repo", checkout.root)
    assert call("apply", file, "--repo", checkout.root).code == 0
    assert "skip_if" not in manifest.read_text()
    newest = call("runs", "--json", "--repo", checkout.root).json[0]
    (result,) = read_case_results(Path(newest["directory"]))
    assert (result["expected"], newest["estimate"] > 0) == ("skip", True), "and the first run says how long it takes"
    assert len(call("prune", "--runs", "0", "--days", "0", "--gib", "1e-9", "--yes", "--json").json) == 2


@pytest.mark.slow("a batch of op cases")
def test_what_has_a_result_outlives_a_kill_and_is_not_run_again(checkout: Checkout) -> None:
    store = RunStore(paths().runs)
    ids = [f"many::c{n}" for n in range(SLOW_CASES)]
    started = call("run", "two::a", *ids, "--backend", "aot_eager", "--json", "--repo", checkout.root)
    (run,) = (one["run"] for one in started.json)
    until(lambda: len(read_case_results(store.directory(run))) > 1)
    listed = call("runs", "--active", "--repo", checkout.root).out
    assert f"of {SLOW_CASES + 1}, about" in listed
    for process in marked(RUN_VARIABLE, run):
        os.kill(process.pid, signal.SIGKILL)
    until(lambda: not store.record(run).active)
    (killed,) = call("runs", "--json", "--repo", checkout.root).json
    done = [one["id"] for one in read_case_results(store.directory(run))]
    assert killed["outcome"] in ("crash", "lost")
    assert 1 < len(done) < SLOW_CASES
    again = call("rerun", "--not-run", "--json", "--repo", checkout.root).json
    assert again[0]["cases"] == [id for id in ("two::a", *ids) if id not in done]
    until(lambda: read_case_results(store.directory(again[0]["run"])))
    cancelled = call("cancel", again[0]["run"], "--json", "--repo", checkout.root).json
    assert cancelled[0]["outcome"] == "cancelled"
    assert f"of {len(again[0]['cases'])} cases" in cancelled[0]["summary"]
    assert not marked(RUN_VARIABLE, again[0]["run"])
    rest = call("rerun", "--not-run", "--failed", "--plan", "--json", "--repo", checkout.root).json
    known = {str(one["id"]) for one in read_case_results(store.directory(again[0]["run"]))}
    assert rest[0]["cases"] == [id for id in again[0]["cases"] if id not in known]
    whole = call("rerun", "--plan", "--json", "--repo", checkout.root).json
    assert len(whole[0]["cases"]) == SLOW_CASES + 1
    spec = json.loads((store.directory(run) / "spec.json").read_text())
    assert spec["manifests"] == ["tests/op_manifests/two.yaml", "tests/op_manifests/many.yaml"]


@pytest.mark.slow("inductor compiles")
def test_what_inductor_compiled_is_used_by_the_next_run(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    # Precompiled headers pay off from the fourth op on.
    monkeypatch.setenv("TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS", "0")

    def compiled() -> dict[str, int]:
        made = (paths().cache / "inductor").rglob("*.so")
        return {file.name: file.stat().st_mtime_ns for file in made if not file.name.startswith("_")}

    for _ in range(2):
        before = compiled()
        assert call("ops", "run", "two::b", "--backend", "inductor", "--wait", "--repo", checkout.root).code == 0
    assert before == compiled() != {}, "the second run has compiled nothing"
