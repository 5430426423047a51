# SPDX-License-Identifier: Apache-2.0
"""`rerun`: the whole batch, or the rest of it."""

from pathlib import Path

import pytest

from core.sources import Checkout
from tests.support.cli import call

PASSES, FAILS, HANGS = (f"alpha/pytorch-{name}-single_device-training" for name in ("tiny", "org/name", "net-v1.5+aug"))


@pytest.mark.slow("runs are started")
def test_failed_and_not_run_tests_are_found_through_reruns(runnable: Checkout, own_home: Path) -> None:
    settings = own_home / "config" / "settings.toml"
    settings.write_text(settings.read_text() + "cpu_slots = 1\n")
    strict = ("--kind", "cpu", "--stop-on-failure", "--wait", "--json", "--repo", runnable.root)
    first = call("run", PASSES, FAILS, HANGS, *strict).json
    assert [one["outcome"] for one in first] == ["pass", "fail", "cancelled"]
    again = call("rerun", "--failed", "--wait", "--json")
    assert again.code == 1
    (failed,) = again.json
    assert (failed["id"], failed["parent"]) == (FAILS, first[0]["run"])
    assert failed["argv"][:-1] == first[1]["argv"][:-1]
    assert failed["argv"][-1] != first[1]["argv"][-1]
    planned = call("rerun", "--failed", "--not-run", "--plan", "--json").json
    assert {one["id"] for one in planned} == {FAILS, HANGS}
    assert [one["id"] for one in call("rerun", "--not-run", "--plan", "--json").json] == [HANGS]
    whole = call("rerun", "--batch", first[0]["run"], "--plan", "--json").json
    assert [one["id"] for one in whole] == [PASSES, FAILS, HANGS]
    assert [one["id"] for one in call("rerun", first[0]["run"], "--plan", "--json").json] == [PASSES]


def test_nothing_to_rerun(runnable: Checkout) -> None:
    assert call("rerun").code == 64
    call("run", PASSES, "--kind", "cpu", "--wait", "--repo", runnable.root)
    called = call("rerun", "--failed", "--json")
    assert (called.code, called.json) == (0, [])
    assert "nothing to run" in called.err
    assert call("rerun", "--batch", "x").code == 64
