# SPDX-License-Identifier: Apache-2.0
"""`since`: where a cell began to fail, and what was committed before."""

from pathlib import Path
from typing import Any

import pytest

from core.base.settings import paths
from core.evidence import Ending
from core.sources import Checkout
from tests.support.cli import call
from tests.support.evidence import TEST_ID, observed
from tests.support.git import committed_checkout, git
from tests.support.reports import keep
from tests.support.tree import sample


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    checkout = committed_checkout(sample(tmp_path / "tt-xla"))
    git(checkout.root, "remote", "add", "origin", "git@github.com:owner/tt-xla.git")
    commits = [git(checkout.root, "rev-parse", "HEAD").strip()]
    for subject in ("uplift of the compiler", "another"):
        git(checkout.root, "commit", "--quiet", "--allow-empty", f"--message={subject}")
        commits.append(git(checkout.root, "rev-parse", "HEAD").strip())
    nights = [(commits[0], Ending.PASSED), (commits[1], Ending.FAILED), (commits[2], Ending.FAILED)]
    rows = []
    for night, (commit, ending) in enumerate(nights):
        place: dict[str, Any] = {"run": f"nightly-{night}", "when": 86400.0 * (night + 1), "commit": commit}
        reason = "DRAM OOM \x1b[31m" if ending is Ending.FAILED else ""
        rows += [observed(ending, reason, test_id=id, **place) for id in (TEST_ID, "other", "third")]
        rows += [observed(test_id=TEST_ID, arch="p150", **place), observed(test_id="fine", **place)]
    keep(checkout, rows)
    return checkout


def test_first_bad_and_the_commits_between(checkout: Checkout) -> None:
    called = call("since", TEST_ID, "--json", "--repo", checkout.root)
    assert called.code == 1
    bad, good = called.json["cells"]
    assert (bad["arch"], bad["failing"], bad["results"], bad["flips"], bad["flakiness"]) == ("n150", True, 3, 1, 0)
    assert (bad["first_bad"]["run"], bad["last_good"]["run"]) == ("nightly-1", "nightly-0")
    assert bad["first_bad"]["when"] == "1970-01-03T00:00:00+00:00"
    assert bad["broken_together"] == 2
    assert [one["subject"] for one in bad["commits"]["commits"]] == ["uplift of the compiler"]
    commits = bad["commits"]
    assert commits["url"] == f"https://github.com/owner/tt-xla/compare/{commits['before']}...{commits['after']}"
    assert (good["arch"], good["failing"], good["commits"], good["first_bad"]) == ("p150", False, None, None)


def test_in_words(checkout: Checkout) -> None:
    called = call("since", TEST_ID, "--repo", checkout.root)
    lines = called.out.splitlines()
    assert lines[0] == "n150: fails since nightly-1 (1970-01-03); changed once, not flaky"
    assert lines[1] == "  last good: nightly-0 (1970-01-02)"
    assert "DRAM OOM" in lines[2] and "\x1b" not in called.out
    assert lines[3] == "  2 other cells began to fail in the same run"
    assert lines[4] == "p150: passes in all of 3 results, since nightly-0 (1970-01-02)"
    assert "uplift of the compiler" in called.err


def test_a_commit_that_the_clone_lacks_is_named(checkout: Checkout) -> None:
    lost = "abcdef0123" * 4
    place: dict[str, Any] = {"run": "nightly-9", "when": 86400.0 * 9, "commit": lost}
    keep(checkout, [observed(Ending.FAILED, "DRAM OOM", test_id=TEST_ID, arch="p150", **place)])
    called = call("since", TEST_ID, "--arch", "p150", "--repo", checkout.root)
    words = f"abcdef0123 is not in this clone: git -C {checkout.root} fetch origin {lost} may bring it"
    assert f"tt-xla: {words}" in called.err and f"tt_forge_models: {words}" in called.err
    found = call("since", TEST_ID, "--arch", "p150", "--json", "--repo", checkout.root).json["cells"][0]
    assert (found["commits"]["after"], found["commits"]["unknown"]) == (lost, words)


def test_the_drift_of_the_pcc_is_a_strip(checkout: Checkout) -> None:
    days = range(60)
    keep(
        checkout,
        [observed(test_id=TEST_ID, run=f"n{day}", when=86400.0 * (day + 20), pcc=0.999 - day / 6000) for day in days],
    )
    lines = call("since", TEST_ID, "--arch", "n150", "--repo", checkout.root).out.splitlines()
    (line,) = [line for line in lines if line.startswith("  pcc ")]
    assert line.split()[1][0] == "█" and line.split()[1][-1] == "▁" and len(line.split()[1]) == 30
    assert line.endswith(".9989 to .9892 in 60 results since 1970-01-21")
    drift = call("since", TEST_ID, "--json", "--repo", checkout.root).json["cells"][0]["drift"]
    assert (len(drift["pcc"]), drift["results"]) == (30, 60)
    assert sorted(drift["pcc"], reverse=True) == drift["pcc"]


def test_machines_that_the_policy_ignores_say_nothing(checkout: Checkout) -> None:
    lame: dict[str, Any] = {"host": "lame", "reason": "Device 0 is not responding"}
    keep(
        checkout,
        [
            observed(test_id="lonely", run="nightly-0", when=86400.0),
            observed(Ending.FAILED, test_id="lonely", run="nightly-1", when=86400.0 * 2, **lame),
            observed(Ending.FAILED, test_id=TEST_ID, arch="p150", run="nightly-9", when=86400.0 * 9, **lame),
        ],
    )
    argv = "since", TEST_ID, "--repo", checkout.root
    found = [(one["arch"], one["failing"], one["broken_together"]) for one in call(*argv, "--json").json["cells"]]
    assert found == [("n150", True, 3), ("p150", True, 0)]
    paths().policy_file.parent.mkdir(parents=True)
    paths().policy_file.write_text('ignored_hosts = ["lame"]\n')
    found = [(one["arch"], one["failing"], one["broken_together"]) for one in call(*argv, "--json").json["cells"]]
    assert found == [("n150", True, 2), ("p150", False, None)]
    assert "Results of lame are left out" in call(*argv).err


def test_on_one_arch_that_passes(checkout: Checkout) -> None:
    called = call("since", TEST_ID, "--arch", "p150", "--repo", checkout.root)
    assert (called.code, len(called.out.splitlines())) == (0, 1)


def test_without_results(tmp_path: Path) -> None:
    called = call("since", TEST_ID, "--repo", committed_checkout(sample(tmp_path / "tt-xla")).root)
    assert (called.code, called.out) == (0, "")
    assert "0 results" in called.err
