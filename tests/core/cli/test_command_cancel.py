# SPDX-License-Identifier: Apache-2.0
"""`cancel`: the run and all it started are gone."""

import time

import psutil

from core.sources import Checkout
from tests.support.cli import call

HANGS = "alpha/pytorch-net-v1.5+aug-single_device-training"


def test_a_hanging_run_is_stopped(runnable: Checkout) -> None:
    (record,) = call("run", HANGS, "--kind", "cpu", "--json", "--repo", runnable.root).json
    deadline = time.monotonic() + 30
    while "waiting" not in call("logs", record["run"]).out:
        assert time.monotonic() < deadline
    called = call("cancel", record["run"], "--json")
    assert called.code == 0
    assert [one["outcome"] for one in called.json] == ["cancelled"]
    assert not [p for p in psutil.process_iter(["cmdline"]) if record["command"].split("--nonce=")[1] in str(p.info)]


def test_one_wrong_name_stops_nothing(runnable: Checkout) -> None:
    (record,) = call("run", HANGS, "--kind", "cpu", "--json", "--repo", runnable.root).json
    assert call("cancel", record["run"], "20200101-000000-ffffff").code == 64
    assert [one["run"] for one in call("runs", "--active", "--json").json] == [record["run"]]
    assert call("cancel", record["run"]).code == 0


def test_a_whole_batch_is_stopped(runnable: Checkout) -> None:
    started = call("run", HANGS, "--kind", "cpu", "--repeat", "3", "--json", "--repo", runnable.root).json
    (other,) = call("run", HANGS, "--kind", "cpu", "--json", "--repo", runnable.root).json
    assert call("cancel", "--batch", "20200101-000000-ffffff").code == call("cancel").code == 64
    stopped = call("cancel", "--batch", started[0]["batch"], "--json").json
    assert {one["run"] for one in stopped} == {one["run"] for one in started}
    assert [one["run"] for one in call("runs", "--active", "--json").json] == [other["run"]]
    assert call("cancel", "--batch", started[0]["batch"], "--json").json == []
    assert call("cancel", other["run"]).code == 0


def test_a_finished_run_stays_as_it_is(runnable: Checkout) -> None:
    passes = "alpha/pytorch-tiny-single_device-training"
    (record,) = call("run", passes, "--kind", "cpu", "--wait", "--json", "--repo", runnable.root).json
    assert [one["outcome"] for one in call("cancel", record["run"], "--json").json] == ["pass"]
