# SPDX-License-Identifier: Apache-2.0
"""`prune`: lists first, removes on request."""

import json
from pathlib import Path

from core.base.settings import paths
from core.edits import Present, parse_operations
from core.edits.pending import Decision, Workbench
from core.sources import Checkout
from tests.support.cli import call

PASSES = "alpha/pytorch-tiny-single_device-training"


def test_old_runs_go_only_when_asked_to(runnable: Checkout, own_home: Path) -> None:
    done = call("run", PASSES, "--kind", "cpu", "--repeat", "3", "--wait", "--json", "--repo", runnable.root).json
    runs = [one["run"] for one in done]
    assert call("prune", "--json").json == []
    settings = own_home / "config" / "settings.toml"
    settings.write_text(settings.read_text() + "keep_runs = 2\n")
    called = call("prune", "--json")
    assert [one["run"] for one in called.json] == runs[:1]
    assert "would remove 1" in called.err
    assert len(call("runs", "--json").json) == 3
    assert "removed 2" in call("prune", "--runs", "1", "--yes").err
    assert [one["run"] for one in call("runs", "--json").json] == runs[2:]
    assert call("prune", "--gib", "0.000000001", "--days", "9", "--yes").code == 0
    assert call("runs", "--json").json == []


def test_what_a_pending_change_cites_stays(runnable: Checkout, own_home: Path) -> None:
    done = call("run", PASSES, "--kind", "cpu", "--repeat", "2", "--wait", "--json", "--repo", runnable.root).json
    first, second = (one["run"] for one in done)
    bench = Workbench(runnable, paths().journal)
    operations = parse_operations(json.dumps([{"op": "unset", "id": PASSES, "path": ["reason"]}]))
    bench.propose(operations, f"passed in {first}", Present({}))
    bench.decide(Decision.ACCEPTED, [1])
    assert [one["run"] for one in call("prune", "--days", "0.0000001", "--json").json] == [second]
    assert "removed 1" in call("prune", "--days", "0.0000001", "--yes").err
    assert [one["run"] for one in call("runs", "--json").json] == [first]
