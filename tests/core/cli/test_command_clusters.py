# SPDX-License-Identifier: Apache-2.0
"""`clusters`: failures with the same cause, their issues, and edits of all their entries."""

import json
from pathlib import Path

import pytest

from core.base.settings import paths
from core.issues import IssueState, State
from core.sources import Checkout
from tests.support.cli import call
from tests.support.git import committed_checkout
from tests.support.tree import INFERENCE, loader_source, write_checkout

A, B, C = (f"alpha/pytorch-{name}-single_device-inference" for name in "abc")
LINK = "https://github.com/tenstorrent/tt-xla/issues/12"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    yaml = f"""\
test_config:
  {A}:
    status: KNOWN_FAILURE_XFAIL
    bringup_status: FAILED_RUNTIME
    reason: "DRAM OOM - {LINK}"
  {B}:
    status: KNOWN_FAILURE_XFAIL
    reason: "OOM DRAM"
  {C}:
    status: NOT_SUPPORTED_SKIP
    reason: "Buffer must be allocated on device"
"""
    tree = write_checkout(tmp_path / "tt-xla", {"alpha/pytorch": loader_source("abc")}, {INFERENCE: yaml})
    return committed_checkout(tree)


def test_the_biggest_first(checkout: Checkout) -> None:
    dram, buffer = call("clusters", "--json", "--repo", checkout.root).json
    assert (dram["tests"], dram["archs"]) == (2, {"n150": 2, "p150": 2})
    # It is the age of the failure, and nothing has run.
    assert (dram["oldest_days"], dram["since"], dram["failed_lately"]) == (None, None, 0)
    assert dram["issues"][0] == {
        "issue": "tenstorrent/tt-xla#12",
        "state": "unknown",
        "title": None,
        "closed": None,
        "asked": None,
    }
    assert buffer["reason"] == "Buffer must be allocated on device"
    table = call("clusters", "--repo", checkout.root)
    assert table.code == 0
    assert table.out.splitlines()[1].startswith("2 ")


def test_a_query_and_an_arch_leave_cells_out(checkout: Checkout) -> None:
    (found,) = call("clusters", "status:skip", "--arch", "p150", "--json", "--repo", checkout.root).json
    assert [(one["id"], one["arch"]) for one in found["members"]] == [(C, "p150")]


def test_the_members_of_one(checkout: Checkout) -> None:
    called = call("clusters", "--cluster", "dram", "--repo", checkout.root)
    assert called.code == 0
    assert A in called.out and B in called.out and C not in called.out
    assert call("clusters", "--cluster", "nothing", "--repo", checkout.root).code == 64


def test_operations_for_all_entries_can_be_applied(checkout: Checkout, tmp_path: Path) -> None:
    file = tmp_path / "ops.json"
    words = ("clusters", "--cluster", "dram", "--repo", checkout.root)
    assert call(*words, "--set-reason", "DRAM full", "-o", file).code == 0
    assert call("apply", file, "--repo", checkout.root).code == 0
    text = (checkout.test_config / INFERENCE).read_text()
    assert f'"DRAM full - {LINK}"' in text and 'reason: "DRAM full"\n' in text
    (op,) = call(*words, "--attach", "tenstorrent/tt-xla#99", "--json").json
    assert (op["id"], op["value"]) == (B, "DRAM full - https://github.com/tenstorrent/tt-xla/issues/99")


@pytest.mark.parametrize(
    "words", [["--set-reason", "x"], ["-o", "file"], ["--cluster", "dram", "--set-reason", "x", "--attach", "o/r#1"]]
)
def test_what_makes_no_sense(checkout: Checkout, words: list[str]) -> None:
    assert call("clusters", *words, "--repo", checkout.root).code == 64


def test_issues_with_what_is_known_of_them(checkout: Checkout) -> None:
    known = IssueState("tenstorrent/tt-xla#12", State.CLOSED, "DRAM\x1b[31m", "2026-04-03", "2026-05-01")
    paths().cache.mkdir(parents=True, exist_ok=True)
    paths().issues_file.write_text(json.dumps([{**_plain(known)}]))
    (issue,) = call("clusters", "--issues", "--json", "--repo", checkout.root).json
    assert (issue["state"], issue["closed"], len(issue["cells"])) == ("closed", "2026-04-03", 2)
    called = call("clusters", "--issues", "--repo", checkout.root)
    assert "as of 2026-05-01" in called.err
    assert "\x1b" not in called.out
    assert "tenstorrent/tt-xla#12 (closed)" in call("clusters", "--repo", checkout.root).out


def test_asking_needs_gh(checkout: Checkout, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("core.issues.states.shutil.which", lambda _: None)
    called = call("clusters", "--refresh", "--repo", checkout.root)
    assert called.code == 2
    assert "gh is not installed" in called.err


def _plain(state: IssueState) -> dict[str, str]:
    return {name: str(getattr(state, name)) for name in ("issue", "state", "title", "closed", "asked")}


def test_doctor_and_check_know_what_was_looked_up(checkout: Checkout) -> None:
    repo = ("--repo", checkout.root)
    before = call("doctor", *repo)
    assert "closed-issue" not in before.out
    assert "whether issues that explain failures are closed is not known here of 1 of 1" in before.err
    known = IssueState("tenstorrent/tt-xla#12", State.CLOSED, "DRAM", "2026-04-03", "2026-05-01")
    paths().cache.mkdir(parents=True, exist_ok=True)
    paths().issues_file.write_text(json.dumps([_plain(known)]))
    after = call("doctor", *repo)
    assert "closed on 2026-04-03 (looked up on 2026-05-01)" in after.out
    assert "not known here" not in after.err
    assert [one["id"] for one in call("doctor", "--json", *repo).json if one["kind"] == "closed-issue"] == [A]
    # What is there at the base is not new; an entry that is added is.
    file = checkout.test_config / INFERENCE
    assert call("check", "--base", "HEAD", *repo).out == ""
    file.write_text(file.read_text().replace('"OOM DRAM"', f'"OOM DRAM {LINK}"'))
    new = call("check", "--base", "HEAD", "--json", *repo).json["findings"]
    assert [(one["kind"], one["id"]) for one in new] == [("closed-issue", B)]
