# SPDX-License-Identifier: Apache-2.0
"""`prune`: lists first, removes on request."""

from pathlib import Path

from core.sources.checkout import Checkout
from tests.support.cli import call

PASSES = "alpha/pytorch-tiny-single_device-training"


def test_old_runs_go_only_when_told_to(runnable: Checkout, own_home: Path) -> None:
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
