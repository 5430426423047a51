# SPDX-License-Identifier: Apache-2.0
"""`runs`: newest first, filtered by words."""

from datetime import datetime
from pathlib import Path

import pytest

from core.base.settings import paths
from core.matrix.view import ViewSpec, change_saved
from core.sources import Checkout
from tests.support.cli import call
from tests.support.git import committed_checkout, git
from tests.support.tree import sample

PASSES, FAILS = (f"alpha/pytorch-{name}-single_device-training" for name in ("tiny", "org/name"))


def test_none_yet(runnable: Checkout) -> None:
    assert call("runs", "--json").json == []
    assert call("runs", "--repo", runnable.root).out == "run  outcome  started  seconds  kind  arch  id  age  why\n"
    assert call("runs", "--repo", runnable.root).err == "no runs of this checkout yet; ttmatrix run TEST starts one\n"
    called = call("runs")
    assert called.out == "run  outcome  started  seconds  kind  arch  id  checkout  age  why\n"
    assert called.err == "no runs yet; ttmatrix run TEST starts one\n"
    assert call("queue").err == "no run is queued; ttmatrix runs lists all runs\n"
    assert call("runs", "--repo", "/nowhere").code == 2


@pytest.mark.slow("runs are started")
def test_two_checkouts_with_one_home(runnable: Checkout, tmp_path: Path) -> None:
    other = committed_checkout(sample(tmp_path / "other"))
    here, there = ("--repo", runnable.root), ("--repo", other.root)
    (mine,) = call("run", PASSES, "--kind", "cpu", "--wait", "--json", *here).json
    assert [one["run"] for one in call("runs", "--json", *here).json] == [mine["run"]]
    called = call("runs", *there)
    assert (called.out, "1 run of other checkouts" in called.err) == (
        "run  outcome  started  seconds  kind  arch  id  age  why\n",
        True,
    )
    assert call("rerun", *there).code == 64
    assert call("rerun", mine["run"], "--plan", *there).code == 64
    (planned,) = call("rerun", "--all", "--plan", "--json", *there).json
    assert planned["cwd"] == str(runnable.root)
    (theirs,) = call("run", FAILS, "--kind", "cpu", "--wait", "--json", *there).json
    assert {one["checkout"] for one in call("runs", "--all", "--json", *here).json} == {
        str(runnable.root.resolve()),
        str(other.root.resolve()),
    }
    (planned,) = call("rerun", "--failed", "--plan", "--json", *there).json
    assert planned["cwd"] == str(other.root)
    assert call("rerun", "--failed", "--plan", "--json", *here).json == []
    assert theirs["commit"] == git(other.root, "rev-parse", "HEAD").strip()
    spec = ViewSpec(columns=("id", "run", "device_run"))
    change_saved(paths().views_file, lambda kept: kept._replace(views={"mine": spec}))
    view = ("list", "--view", "mine", "--format", "csv")
    assert f"{PASSES},pass," in call(*view, *here).out.splitlines()
    assert f"{PASSES},," in call(*view, *there).out.splitlines()


def test_the_age_of_a_run_is_reported(runnable: Checkout) -> None:
    committed_checkout(runnable)
    call("run", PASSES, "--kind", "cpu", "--wait", "--repo", runnable.root)
    assert [one["age"] for one in call("runs", "--json", "--repo", runnable.root).json] == [""]
    loader = runnable.models / "alpha/pytorch/loader.py"
    loader.write_text(f"{loader.read_text()}# edited\n")
    (one,) = call("runs", "--json", "--repo", runnable.root).json
    assert (one["age"], one["committed"]) == ("loader edited since", True)
    git(runnable.root, "commit", "--quiet", "--all", "--message=second")
    assert "1 commit ago, loader edited since" in call("runs", "--repo", runnable.root).out


def test_words_filter_by_id_and_outcome(runnable: Checkout) -> None:
    call("run", PASSES, FAILS, "--kind", "cpu", "--wait", "--repo", runnable.root)
    assert {one["id"] for one in call("runs", "--json").json} == {PASSES, FAILS}
    assert [one["id"] for one in call("runs", "fail", "--json").json] == [FAILS]
    assert [one["id"] for one in call("runs", "TINY", "--json").json] == [PASSES]
    assert call("runs", "--active", "--json").json == []


def test_a_broken_run_is_reported_and_the_rest_is_listed(runnable: Checkout, own_home: Path) -> None:
    call("run", PASSES, "--kind", "cpu", "--wait", "--repo", runnable.root)
    broken = own_home / "state" / "runs" / "20260101-000000-abcdef"
    broken.mkdir()
    (broken / "spec.json").write_text("{")
    called = call("runs", "--json")
    assert called.code == 0
    assert [one["id"] for one in called.json] == [PASSES]
    assert str(broken) in called.err


def test_a_run_says_when_it_started_its_kind_and_its_profile(runnable: Checkout) -> None:
    id = "alpha/pytorch-tiny-single_device-training"
    (queued,) = call(
        "run", id, "--kind", "cpu", "--profile", "default+batch_size=2", "--json", "--wait", "--repo", runnable.root
    ).json
    assert (queued["kind"], queued["profile"]) == ("cpu", "default+batch_size=2")
    (run,) = call("runs", "--json", "--repo", runnable.root).json
    assert run["profile"] == "default+batch_size=2"
    assert datetime.fromisoformat(run["started"]) >= datetime.fromisoformat(run["created"]).replace(microsecond=0)
    header, line = call("runs", "--repo", runnable.root).out.splitlines()
    assert header.split()[:7] == ["run", "outcome", "started", "seconds", "kind", "arch", "id"]
    assert f"{datetime.fromisoformat(run['started']).astimezone():%m-%d %H:%M}" in line
    assert "  cpu  " in line and "default+batch_size=2" in line
