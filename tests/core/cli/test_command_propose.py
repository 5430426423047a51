# SPDX-License-Identifier: Apache-2.0
"""`propose`: from results to a file of proposals, and by `apply` into a commit."""

import json
from pathlib import Path

import pytest

from core.base.settings import paths
from core.domain.model import BringupStatus, Status
from core.evidence import Ending
from core.sources import Checkout
from tests.support.cli import call
from tests.support.evidence import observed
from tests.support.git import committed_checkout, git
from tests.support.reports import keep
from tests.support.tree import INFERENCE, TRAINING, sample

TINY = "alpha/pytorch-tiny-single_device-inference"
NET = "alpha/pytorch-net-v1.5+aug-single_device-inference"
TRAIN = "alpha/pytorch-tiny-single_device-training"
LINK = "https://github.com/tenstorrent/tt-xla/issues/12"
POLICY = "grace_days = 0\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    tree = sample(tmp_path / "tt-xla")
    (tree.root / "ttmatrix-policy.toml").write_text(POLICY)
    checkout = committed_checkout(tree)
    nights = [{"run": f"nightly-{n}", "when": float(n), "host": f"host-{n}"} for n in (1, 2, 3)]
    failed = {"ending": Ending.FAILED, "reason": "DRAM OOM", "stage": BringupStatus.FAILED_RUNTIME}
    keep(
        checkout,
        [
            observed(**(night | test))  # type: ignore[arg-type]
            for night in nights
            for test in (
                {"test_id": TRAIN, "arch": "n150"},
                {"test_id": TRAIN, "arch": "p150"},
                {"test_id": TINY, "arch": "p150", **failed},
            )
        ],
    )
    return checkout


def test_proposals_have_the_form_of_the_contract(checkout: Checkout) -> None:
    called = call("propose", "--json", "--repo", checkout.root)
    assert called.code == 0
    regressed, stale = called.json
    assert {"id", "arch", "verdict", "why", "evidence", "ops"} <= stale.keys()
    assert (stale["id"], stale["arch"], stale["verdict"]) == (TRAIN, "n150, p150", "stale")
    assert stale["base"]["commit"] == git(checkout.root, "rev-parse", "HEAD").strip()
    assert (regressed["id"], regressed["verdict"]) == (TINY, "regressed")
    paths = {tuple(op["path"]): op["value"] for op in regressed["ops"]}
    assert paths["arch_overrides", "p150", "status"] == "KNOWN_FAILURE_XFAIL"
    assert paths["arch_overrides", "p150", "reason"] == "DRAM OOM"
    assert "2 proposals" in called.err


def test_from_results_to_a_commit(checkout: Checkout, tmp_path: Path) -> None:
    file = tmp_path / "proposals.json"
    assert call("propose", "-o", file, "--issue", LINK, "--repo", checkout.root).code == 0
    assert call("apply", file, "--commit", "--repo", checkout.root).code == 0
    assert git(checkout.root, "status", "--porcelain") == ""
    assert f'reason: "DRAM OOM - {LINK}"' in (checkout.test_config / INFERENCE).read_text()
    assert "Bad StatusOr" not in (checkout.test_config / TRAINING).read_text()
    message = git(checkout.root, "log", "-1", "--format=%B")
    # A run is named once, however many tests it is about.
    assert message.count("nightly-1") == 1
    assert "    failed, 3 hosts: DRAM OOM\n      p150 failed 3 of 3\n" in message
    text = call("pr", "--repo", checkout.root).out
    assert "  - failed, 3 hosts: DRAM OOM\n    - p150 failed 3 of 3\n" in text
    # What is already true is not proposed again.
    assert call("propose", "--json", "--repo", checkout.root).json == []


def test_only_some_tests_archs_and_machines(checkout: Checkout) -> None:
    def found(*words: str) -> list[tuple[str, str]]:
        document = call("propose", *words, "--json", "--repo", checkout.root).json
        return [(one["id"], one["arch"]) for one in document]

    assert found("mode:training") == [(TRAIN, "n150, p150")]
    assert found("--arch", "p150") == [(TINY, "p150"), (TRAIN, "p150")]
    assert found("--without-host", "host-2") == found(), "two results are listed too, with a lower grade"
    grades = call("propose", "--without-host", "host-2", "--json", "--repo", checkout.root).json
    assert [one["grade"] for one in grades] < [
        one["grade"] for one in call("propose", "--json", "--repo", checkout.root).json
    ]


def test_for_a_person(checkout: Checkout) -> None:
    called = call("propose", "--repo", checkout.root)
    assert f"{TRAIN} on n150, p150: stale" in called.out
    assert "arch_overrides.p150.status" in called.out


def test_what_is_not_proposed_yet_is_said(checkout: Checkout) -> None:
    (checkout.root / "ttmatrix-policy.toml").write_text(f'{POLICY}must_pass = ["alpha/*"]\nrequire_issue = true\n')
    called = call("propose", "--json", "--repo", checkout.root)
    assert [one["id"] for one in called.json] == [TRAIN]
    assert f"not proposed: {TINY} on p150: regressed: it is on the list" in called.err


def test_scripts_do_not_promote_a_young_entry(checkout: Checkout) -> None:
    (checkout.root / "ttmatrix-policy.toml").write_text("grace_days = 3\n")
    called = call("propose", "--json", "--repo", checkout.root)
    grades = {(one["id"], one["verdict"]): one["grade"] for one in called.json}
    assert grades == {(TINY, "regressed"): 4, (TRAIN, "stale"): 1}, "what turns red does not wait"
    assert "its status is younger than 3 days" in called.json[1]["why"]


def test_apply_prints_what_the_grade_of_each_test_rests_on(checkout: Checkout, tmp_path: Path) -> None:
    file = tmp_path / "proposals.json"
    proposals = call("propose", "-o", file, "--json", "--repo", checkout.root).json
    lines = call("apply", file, "--grade", "any", "--repo", checkout.root).err.splitlines()
    assert proposals
    for one in proposals:
        line = f"  grade {one['grade']} of 5: {one['grade_why']}"
        at = next(at for at, text in enumerate(lines) if text.startswith(f"{one['id']} on "))
        assert line in lines[at:], "below the first of its cells"
    assert sum("grade " in line for line in lines) == len({one["id"] for one in proposals}), "once for each test"


def test_scripts_take_proposals_from_a_grade_on(checkout: Checkout, tmp_path: Path) -> None:
    file, weak = tmp_path / "proposals.json", tmp_path / "weak.json"
    assert call("propose", "-o", file, "--repo", checkout.root).code == 0
    proposals = json.loads(file.read_text())
    weak.write_text(json.dumps([one | {"grade": 2} for one in proposals]))
    called = call("apply", weak, "--json", "--repo", checkout.root)
    assert (called.code, called.json["applied"]) == (0, [])
    assert "2 proposals of a grade below 3 not taken: --grade N or --grade any takes them" in called.err
    assert call("apply", weak, "--grade", "6", "--repo", checkout.root).code == 64
    weak.write_text(json.dumps([one | {"grade": "high"} for one in proposals]))
    assert "grade: must be a number" in call("apply", weak, "--repo", checkout.root).err
    weak.write_text(json.dumps([one | {"grade": 2} for one in proposals]))
    assert call("apply", weak, "--grade", "any", "--json", "--repo", checkout.root).json["applied"]


def test_one_reason_that_holds_many_back_is_said_once(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.cli.command_propose._MOST_LISTED", 0)
    (checkout.root / "ttmatrix-policy.toml").write_text(f'{POLICY}must_pass = ["alpha/*"]\n')
    said = call("propose", "--repo", checkout.root).err.splitlines()
    (line,) = [line for line in said if line.startswith("not proposed:")]
    assert line.endswith(" cells: it is on the list of tests that must pass")
    (count,) = [int(line.split(", ")[1].split()[0]) for line in said if "proposal, " in line]
    assert line.split()[2] == str(count)


def test_an_issue_must_be_one(checkout: Checkout) -> None:
    assert call("propose", "--issue", "twelve", "--repo", checkout.root).code == 64


def test_a_proposal_on_what_was_changed_since_is_rejected(checkout: Checkout, tmp_path: Path) -> None:
    file = tmp_path / "proposals.json"
    assert call("propose", "-o", file, "--repo", checkout.root).code == 0
    path = checkout.test_config / TRAINING
    path.write_text(path.read_text().replace("Bad StatusOr access", "another"))
    called = call("apply", file, "--json", "--repo", checkout.root)
    assert called.code == 1
    assert [one["op"]["path"] for one in called.json["rejected"] if "was Bad StatusOr" in one["why"]] == [["reason"]]
    assert "EXPECTED_PASSING" not in path.read_text().split("gone")[0]


def test_a_proposal_of_another_history_is_refused(checkout: Checkout, tmp_path: Path) -> None:
    file = tmp_path / "proposals.json"
    assert call("propose", "-o", file, "--repo", checkout.root).code == 0
    document = json.loads(file.read_text())
    for one in document:
        one["base"]["commit"] = "0" * 40
    file.write_text(json.dumps(document))
    called = call("apply", file, "--repo", checkout.root)
    assert called.code == 64
    assert "does not have" in called.err


def _issue_is(state: str, checkout: Checkout) -> None:
    """What the last look-up has said of issue 12."""
    file = paths().issues_file
    file.parent.mkdir(parents=True, exist_ok=True)
    closed = "2026-11-20" if state == "closed" else ""
    one = {"issue": "tenstorrent/tt-xla#12", "state": state, "title": "t", "closed": closed, "asked": "2026-11-21"}
    file.write_text(json.dumps([one]))


def test_what_is_to_be_as_before_comes_back_when_the_issue_is_closed(checkout: Checkout, tmp_path: Path) -> None:
    file, repo = tmp_path / "proposals.json", ("--repo", checkout.root)
    noted = ("--restore-when-closed", "tt-xla#12")
    assert "to be undone once tenstorrent/tt-xla#12 is closed" in call("propose", TINY, *noted, *repo).out
    assert call("propose", TINY, "-o", file, *noted, "--json", *repo).json[0]["restore_when_closed"] == LINK
    before = (checkout.test_config / INFERENCE).read_text()
    assert call("apply", file, "--commit", *repo).code == 0
    assert "Restore when tenstorrent/tt-xla#12 is closed" in git(checkout.root, "log", "-1", "--format=%B")
    assert "tt-xla/issues/12" not in (checkout.test_config / INFERENCE).read_text()
    # Nothing is said before it is known that the issue is closed; where it is listed, since when that is not known.
    said = call("clusters", "--issues", *repo).out
    assert "tenstorrent/tt-xla#12: 1 test to be undone once it is closed; never looked up" in said
    _issue_is("open", checkout)
    assert "tt-xla#12" not in call("propose", *repo).err
    assert "once it is closed; open on 2026-11-21, not looked up since" in call("clusters", "--issues", *repo).out
    _issue_is("closed", checkout)
    words = "tenstorrent/tt-xla#12, closed on 2026-11-20: status, bringup_status, reason were to be as before then"
    assert f"not proposed: {TINY} on p150: active: {words}" in call("propose", *repo).err
    assert "tt-xla#12" not in call("propose", "mode:training", *repo).err
    advice = "it is closed: these entries were to be as before then"
    assert f"tenstorrent/tt-xla#12: {advice} (1 test)" in call("clusters", "--issues", *repo).out
    assert [one["advice"] for one in call("report", "--json", *repo).json["issues"]] == [advice]
    noted_cells = {(one["id"], one["arch"]) for one in call("clusters", "--issues", "--json", *repo).json[0]["noted"]}
    assert noted_cells == {(TINY, "p150")}
    # Restored by whatever means, it is no more said.
    (checkout.test_config / INFERENCE).write_text(before)
    assert "were to be as before" not in call("propose", *repo).err


def test_a_note_can_be_dropped(checkout: Checkout, tmp_path: Path) -> None:
    file, repo = tmp_path / "operations.json", ("--repo", checkout.root)
    file.write_text(json.dumps([{"op": "set", "id": TINY, "path": ["required_pcc"], "value": 0.5}]))
    assert call("edit", "--apply", file, "--write", "--restore-when-closed", LINK, *repo).code == 0
    assert call("edit", "--apply", file, "--restore-when-closed", "next week", *repo).code == 64
    _issue_is("closed", checkout)
    assert "required_pcc was to be as before then" in call("propose", "--json", *repo).json[0]["why"]
    assert "1 note about tenstorrent/tt-xla#12 dropped" in call("clusters", "--forget", "12", *repo).err
    assert "to be as before" not in call("propose", *repo).out
    assert call("clusters", "--forget", "12", *repo).code == 64


def test_a_lowered_threshold_is_explained_with_an_issue(checkout: Checkout) -> None:
    """As upstream's guide wants it: the stage, and a reason that links an issue."""
    keep(
        checkout,
        [
            observed(
                Ending.INACCURATE,
                "PCC comparison failed",
                test_id=NET,
                arch="n300-llmbox",
                run=f"nightly-{at}",
                when=float(at),
                pcc=0.9758,
                pcc_required=0.99,
                expected=Status.EXPECTED_PASSING,
            )
            for at in (1, 2, 3)
        ],
    )
    plain = call("propose", NET, "--json", "--repo", checkout.root)
    assert {op["path"][-1] for op in plain.json[0]["ops"]} == {"required_pcc"}
    assert "1 proposal lowers a threshold without an issue: --issue adds the stage INCORRECT_RESULT" in plain.err
    linked = call("propose", NET, "--issue", "12", "--json", "--repo", checkout.root)
    fields = {op["path"][-1]: op["value"] for op in linked.json[0]["ops"]}
    assert fields == {
        "required_pcc": 0.97,
        "bringup_status": "INCORRECT_RESULT",
        "reason": f"PCC 0.9758, below 0.99 - {LINK}",
    }
    assert linked.json[0]["issues"] == ["tenstorrent/tt-xla#12"]
    assert "without an issue" not in linked.err
