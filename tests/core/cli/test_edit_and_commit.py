# SPDX-License-Identifier: Apache-2.0
"""Options of `edit` beyond the diff: commits, their number, pull request texts, edits without effect."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from core.edits.commit.validator import VALIDATOR
from core.sources import Checkout
from tests.support.cli import Called, call
from tests.support.git import committed_checkout, git
from tests.support.killed import killed_in_hook
from tests.support.tree import INFERENCE, TRAINING, YAML, sample

TINY = "alpha/pytorch-tiny-single_device-inference"
TRAIN = "alpha/pytorch-tiny-single_device-training"
PASS = {"op": "set", "id": TRAIN, "path": ["status"], "value": "EXPECTED_PASSING"}
WHY = {"op": "set", "id": TINY, "path": ["reason"], "value": "why"}
SAME = {"op": "set", "id": TINY, "path": ["status"], "value": "EXPECTED_PASSING"}


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return committed_checkout(sample(tmp_path / "tt-xla"))


def edit(checkout: Checkout, operations: object, *words: str) -> Called:
    return call("edit", "--apply", "-", *words, "--repo", checkout.root, stdin=json.dumps(operations))


def test_a_commit_for_each_reason(checkout: Checkout) -> None:
    called = edit(checkout, [PASS, WHY], "--write", "--commit", "--split", "reason")
    assert called.code == 0
    assert called.err.count("committed ") == 2
    assert git(checkout.root, "log", "--format=%s", "-2").splitlines() == [
        f"Expect {TRAIN} to pass",
        f"Update reason of {TINY}",
    ]
    assert git(checkout.root, "status", "--porcelain") == ""


def test_the_validator_stops_it_unless_asked_otherwise(checkout: Checkout) -> None:
    (checkout.root / VALIDATOR).write_text("print('ERROR: bad entry')\nraise SystemExit(1)\n")
    called = edit(checkout, [PASS], "--commit")
    assert called.code == 2
    assert "bad entry" in called.err
    assert (checkout.test_config / TRAINING).read_text() == YAML[TRAINING]
    assert edit(checkout, [PASS], "--commit", "--no-verify-config").code == 0
    assert git(checkout.root, "show", "--name-only", "--format=").split() == [f"tests/runner/test_config/{TRAINING}"]


def test_markdown_is_printed_and_nothing_is_touched(checkout: Checkout) -> None:
    called = edit(checkout, [PASS], "--markdown")
    assert called.out.startswith(f"# Expect {TRAIN} to pass\n\nWhat is not committed (pending), on ")
    assert "**1 entry changed**" in called.out.partition("<details>")[0]
    assert "| test | change |" in called.out.partition("<details>")[2]
    assert edit(checkout, [PASS], "--markdown", "--json").json["markdown"] == called.out
    assert (checkout.test_config / TRAINING).read_text() == YAML[TRAINING]


def test_what_has_no_effect_is_noted_and_done_as_the_contract_says(checkout: Checkout) -> None:
    called = edit(checkout, [SAME], "--json")
    assert called.code == 0
    assert (called.json["applied"], called.json["rejected"], called.json["effect"]) == ([SAME], [], [])
    assert called.json["notes"] == [f"no effect: {TINY}: status is EXPECTED_PASSING already"]
    assert "no effect" in called.err


def test_what_has_no_effect_is_refused_on_request(checkout: Checkout) -> None:
    called = edit(checkout, [SAME, WHY], "--refuse-no-effect", "--write", "--json")
    assert called.code == 1
    assert [one["op"] for one in called.json["rejected"]] == [SAME, WHY]
    assert called.json["rejected"][0]["why"] == "it has no effect: status is EXPECTED_PASSING already"
    assert (checkout.test_config / INFERENCE).read_text() == YAML[INFERENCE]
    assert edit(checkout, [WHY], "--refuse-no-effect").code == 0


def test_a_dead_override_is_pointed_out(checkout: Checkout) -> None:
    dead = {"op": "set", "id": TINY, "path": ["arch_overrides", "n300", "reason"], "value": "x"}
    notes = edit(checkout, [dead], "--json").json["notes"]
    assert f"dead override: {TINY} is not marked for n300" in notes


@pytest.mark.parametrize("words", [("-m", "words"), ("--commit", "--split", "colour")])
def test_requests_that_mean_nothing(checkout: Checkout, words: tuple[str, ...]) -> None:
    assert edit(checkout, [PASS], *words).code == 64


def test_a_commit_of_nothing_is_64(checkout: Checkout) -> None:
    assert edit(checkout, [SAME], "--commit").code == 64


def test_killed_while_git_commits_the_rerun_waits_and_tells_the_commit(checkout: Checkout, tmp_path: Path) -> None:
    operations = tmp_path / "operations.json"
    operations.write_text(json.dumps([PASS]))
    killed_in_hook(checkout, operations, "sleep 1")
    assert (checkout.root / ".git" / "index.lock").exists()
    called = call("apply", operations, "--commit", "--repo", checkout.root)
    assert called.code == 0, called.err
    revision = git(checkout.root, "rev-parse", "HEAD").strip()
    assert git(checkout.root, "rev-list", "--count", "HEAD").strip() == "2"
    assert f"committed {revision[:10]}" in called.err
    assert f"git finished {revision[:10]} by itself" in called.err
    assert not (checkout.root / ".git" / "index.lock").exists()
    assert not list((checkout.root / ".git").glob("ttmatrix-*"))
    assert git(checkout.root, "status", "--porcelain") == ""
    assert call("apply", operations, "--commit", "--repo", checkout.root).code == 64


@pytest.mark.parametrize("words", [("--write",), ("--commit",)])
def test_any_command_that_writes_clears_what_a_killed_one_left(
    checkout: Checkout, tmp_path: Path, words: tuple[str, ...]
) -> None:
    operations = tmp_path / "operations.json"
    operations.write_text(json.dumps([PASS]))
    killed_in_hook(checkout, operations, "exit 1")
    assert list((checkout.root / ".git").glob("ttmatrix-*/owner"))
    called = edit(checkout, [PASS, WHY], *words)
    assert called.code == 0, called.err
    assert "A commit was interrupted: no commit was made" in called.err
    assert not (checkout.root / ".git" / "index.lock").exists()


def test_a_journal_that_cannot_be_saved_is_reported(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TTMATRIX_HOME", str(tmp_path / "file" / "home"))
    called = edit(checkout, [PASS], "--write", "--json")
    assert called.code == 0
    (note,) = called.json["notes"]
    assert note.startswith("Pending changes cannot be saved: ")
    assert note.endswith("Not a directory")
    assert note in called.err
    assert "EXPECTED_PASSING" in (checkout.test_config / TRAINING).read_text()


def test_what_was_written_and_not_committed_is_committed_when_asked_again(checkout: Checkout) -> None:
    new = f"{TRAIN}-new"
    operations = [{"op": "remove", "id": TINY}, {"op": "rename", "id": TRAIN, "to": new}]
    assert edit(checkout, operations, "--write").code == 0
    text = (checkout.test_config / TRAINING).read_text()
    # A different request is not a repetition, so it is rejected.
    assert edit(checkout, [operations[0], {"op": "remove", "id": "nobody"}], "--commit").code == 1
    called = edit(checkout, operations, "--commit")
    assert called.code == 0, called.err
    assert (checkout.test_config / TRAINING).read_text() == text
    assert git(checkout.root, "status", "--porcelain") == ""
    assert git(checkout.root, "log", "--format=%s").count("\n") == 2


MANIFEST = """\
model: one
cases:
  - {name: a, op: torch.add, rtol: 0.1, inputs: [{tensor: {shape: [2, 3]}}]}
  - {name: b, op: torch.neg, inputs: [{tensor: {shape: [2, 3]}}]}
"""
CASES = "tests/op_manifests/one.yaml"


@pytest.fixture
def with_cases(tmp_path: Path) -> Checkout:
    found = sample(tmp_path / "tt-xla")
    (found.root / CASES).parent.mkdir(parents=True)
    (found.root / CASES).write_text(MANIFEST)
    return committed_checkout(found)


def _based(checkout: Checkout, operation: Mapping[str, object], file: str, fields: object) -> list[dict[str, object]]:
    """A proposal of `operation` with the commit and the entry on which it was made."""
    base = {"commit": git(checkout.root, "rev-parse", "HEAD").strip(), "file": file, "fields": fields}
    return [{"id": operation["id"], "why": "seen", "evidence": [], "base": base, "ops": [operation]}]


@pytest.mark.parametrize(
    "kind", ["set of a case", "removal of a case", "new case", "removal of an entry", "proposal", "proposal of a case"]
)
def test_what_was_written_before_is_committed_later(with_cases: Checkout, kind: str) -> None:
    tensor = {"inputs": [{"tensor": {"shape": [2, 3]}}]}
    rtol = {"op": "set", "id": "one::a", "file": CASES, "path": ["rtol"], "value": 0.5}
    entry = {"status": "KNOWN_FAILURE_XFAIL", "bringup_status": "FAILED_RUNTIME", "reason": "Bad StatusOr access"}
    asked: dict[str, object] = {
        "set of a case": [{"op": "set", "id": "one::a", "path": ["rtol"], "value": 0.5}],
        "removal of a case": [{"op": "remove", "id": "one::b"}],
        "new case": [{"op": "add", "id": "one::c", "file": CASES, "value": {"op": "torch.neg", **tensor}}],
        "removal of an entry": [{"op": "remove", "id": TINY}],
        "proposal": _based(with_cases, PASS, TRAINING, entry),
        "proposal of a case": _based(with_cases, rtol, CASES, {"name": "a", "op": "torch.add", "rtol": 0.1, **tensor}),
    }
    assert edit(with_cases, asked[kind], "--write").code == 0
    changed = git(with_cases.root, "status", "--porcelain").split()
    assert changed[0] == "M"
    called = edit(with_cases, asked[kind], "--commit")
    assert called.code == 0, called.err
    assert git(with_cases.root, "status", "--porcelain") == ""
    assert git(with_cases.root, "show", "--name-only", "--format=").split() == changed[1:]
    if kind.startswith("proposal"):
        assert "seen" in git(with_cases.root, "log", "-1", "--format=%B")
        # Now the last commit contains it.
        assert edit(with_cases, asked[kind], "--commit").code == 64
