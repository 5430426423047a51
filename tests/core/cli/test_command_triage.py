# SPDX-License-Identifier: Apache-2.0
"""`triage`: its output, what it leaves behind, its exit codes, and how it survives being killed."""

import time
from collections.abc import Callable
from json import dumps
from pathlib import Path

import pytest

from core.base.errors import EXIT_USAGE
from core.base.settings import paths
from core.sources import Checkout
from core.workflows import driver, sessions_directory
from tests.faults.player import Player
from tests.support.cli import Called, call
from tests.support.git import committed_checkout, git
from tests.support.killed import killed_in_hook
from tests.support.tree import TRAINING
from tests.support.triage_checkout import LARGE, LOADER, LOADER_FILE, SMALL, device_xml, triage_checkout

pytestmark = pytest.mark.slow("workflows are killed and resumed at every step")

KEYS = {"workflow", "flavour", "decision", "cpu", "loader_edit", "scope", "ops", "needs_review", "aborted"}


@pytest.fixture
def checkout(tmp_path: Path, own_home: Path) -> Checkout:
    return triage_checkout(tmp_path, own_home)


def triage(checkout: Checkout, *argv: object) -> Called:
    return call("triage", *argv, "--repo", checkout.root)


def files(checkout: Checkout) -> tuple[str, str]:
    return (checkout.root / LOADER_FILE).read_text(), (checkout.test_config / TRAINING).read_text()


def test_without_apply_nothing_remains_and_the_device_is_what_is_missing(checkout: Checkout) -> None:
    before = files(checkout)
    called = triage(checkout, SMALL, "--json")
    told = called.json
    assert called.code == 1
    assert told.keys() >= KEYS
    assert (told["workflow"], told["flavour"], told["decision"]) == ("dtype-bfloat16", "cross_dtype", "fixed")
    assert told["loader_edit"]["path"] == LOADER_FILE
    assert "+        row = torch.zeros(batch_size, 6, dtype=dtype_override)" in told["loader_edit"]["diff"]
    assert (told["scope"], told["ops"], told["aborted"]) == ([SMALL, LARGE], [], None)
    assert [one["when"] for one in told["cpu"]] == ["before", "before", "after", "after"]
    assert "pytest" in told["waiting"]["command"]
    assert files(checkout) == before


def test_without_an_id_the_open_workflows_are_listed(checkout: Checkout) -> None:
    nothing = triage(checkout)
    assert (nothing.code, nothing.out) == (0, "")
    assert "no workflow is open" in nothing.err
    triage(checkout, SMALL)
    (one,) = triage(checkout, "--json").json
    assert (one["id"], one["state"], one["workflow"]) == (SMALL, "needs a device", "dtype-bfloat16")
    called = triage(checkout)
    assert SMALL in called.out
    assert "--resume goes on" in called.err
    assert triage(checkout, "--resume").code == EXIT_USAGE


def test_a_workflow_for_which_a_device_has_come_needs_none(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    triage(checkout, SMALL)
    monkeypatch.setattr(driver, "device_command", lambda *_: (None, ""))
    (one,) = triage(checkout, "--json").json
    assert (one["id"], one["state"]) == (SMALL, "stopped")


def test_what_a_workflow_downloads_is_asked_about_and_caches_are_named(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    monkeypatch.delenv("IRD_LF_CACHE", raising=False)
    with (checkout.root / LOADER_FILE).open("a") as file:
        file.write('\n_ = lambda: (AutoModel.from_pretrained("org/some"), get_file("files/some.pt"))\n')
    called = triage(checkout, SMALL)
    assert called.code == EXIT_USAGE
    assert "download: 1 checkpoint: org/some" in called.err
    assert f"note: Files of the Hugging Face hub are cached in {tmp_path / 'hub/hub'}\n  HF_HOME says so" in called.err
    assert "warning: net/pytorch asks for files of a cache, and IRD_LF_CACHE is not set" in called.err
    assert "Add --yes to agree to these downloads." in called.err


def test_a_device_result_ends_it_and_apply_writes_loader_and_yaml(checkout: Checkout, tmp_path: Path) -> None:
    triage(checkout, SMALL)
    xml = device_xml(tmp_path / "junit.xml", Large="RuntimeError: TT_FATAL: no room")
    called = triage(checkout, SMALL, "--device-result", xml, "--apply", "--json")
    loader, yaml = files(checkout)
    assert (called.code, called.json["applied"], called.json["waiting"]) == (0, True, None)
    assert loader == LOADER.replace("(batch_size, 6)", "(batch_size, 6, dtype=dtype_override)")
    assert f"  {SMALL}:\n    status: EXPECTED_PASSING\n\n" in yaml
    assert 'reason: "RuntimeError: TT_FATAL: no room"' in yaml
    assert called.json["diff"].count("+++ ") == 1


def test_apply_says_what_it_clears_of_a_killed_commit(checkout: Checkout, tmp_path: Path) -> None:
    committed_checkout(checkout)
    operations = tmp_path / "operations.json"
    operations.write_text(dumps([{"op": "set", "id": LARGE, "path": ["reason"], "value": "why"}]))
    killed_in_hook(checkout, operations, "exit 1")
    called = triage(checkout, SMALL, "--device-result", device_xml(tmp_path / "junit.xml"), "--apply")
    assert called.code == 0, called.err
    assert "A commit was interrupted: no commit was made" in called.err
    assert not (checkout.root / ".git" / "index.lock").exists()


def test_a_preview_with_a_device_result_leaves_nothing(checkout: Checkout, tmp_path: Path) -> None:
    before = files(checkout)
    called = triage(checkout, SMALL, "--device-result", device_xml(tmp_path / "junit.xml"), "--json")
    assert (called.code, len(called.json["ops"]), called.json["applied"]) == (0, 6, False)
    assert files(checkout) == before


@pytest.mark.parametrize("json", [False, True])
def test_apply_at_the_device_stop_leaves_the_edit_for_the_run_and_no_yaml(checkout: Checkout, json: bool) -> None:
    yaml = files(checkout)[1]
    called = triage(checkout, SMALL, "--apply", *(["--json"] if json else []))
    assert called.code == 1
    assert "dtype=dtype_override" in files(checkout)[0]
    assert files(checkout)[1] == yaml
    if json:
        assert (called.json["applied"], called.json["loader_edit"]["in_work_tree"]) == (False, True)
        assert called.json["waiting"]["go_on"].endswith("device.xml --apply")
    else:
        assert "is uncommitted in the work tree of the submodule" in called.out
        assert "the expectations are not written yet" in called.out
        assert "is not in the work tree" not in called.out


def test_an_edit_that_was_committed_is_never_reverted(checkout: Checkout, tmp_path: Path) -> None:
    committed_checkout(checkout)
    triage(checkout, SMALL, "--apply")
    git(checkout.root, "commit", "--quiet", "--all", "--message=mine")
    edited = files(checkout)
    preview = triage(checkout, SMALL, "--resume", "--device-result", device_xml(tmp_path / "junit.xml"))
    assert files(checkout) == edited
    assert "the loader edit is committed in the submodule" in preview.out
    applied = triage(checkout, SMALL, "--resume", "--device-result", tmp_path / "junit.xml", "--apply")
    assert (applied.code, files(checkout)[0]) == (0, edited[0])
    assert "move the pointer of the checkout" in applied.out and "commit it there" not in applied.out
    assert f"  {SMALL}:\n    status: EXPECTED_PASSING\n\n" in files(checkout)[1]


def test_a_loader_that_was_committed_otherwise_is_looked_at_anew(checkout: Checkout) -> None:
    committed_checkout(checkout)
    triage(checkout, SMALL, "--apply")
    loader = checkout.root / LOADER_FILE
    loader.write_text(f"# theirs\n{LOADER}")
    assert triage(checkout, SMALL).code == 2, "the change is in no commit"
    git(checkout.root, "commit", "--quiet", "--all", "--message=theirs")
    again = triage(checkout, SMALL)
    assert again.code == 1 and "dtype=dtype_override" in again.out
    assert loader.read_text() == f"# theirs\n{LOADER}"


def test_a_preview_and_an_abort_say_that_nothing_is_in_the_tree(checkout: Checkout) -> None:
    before = files(checkout)
    preview = triage(checkout, SMALL)
    assert "the loader edit is not in the work tree of the submodule" in preview.out
    shown = triage(checkout, SMALL, "--json").json
    assert (shown["applied"], shown["loader_edit"]["in_work_tree"]) == (False, False)
    aborted = triage(checkout, SMALL, "--workflow", "missing-inputs", "--apply", "--json").json
    assert aborted["aborted"]
    assert (aborted["applied"], aborted["loader_edit"]) == (False, None)
    assert files(checkout) == before


def test_a_second_device_result_counts_instead_of_the_first(checkout: Checkout, tmp_path: Path) -> None:
    before = files(checkout)
    fails = device_xml(tmp_path / "fails.xml", Small="RuntimeError: TT_FATAL: no room")
    passes = device_xml(tmp_path / "passes.xml")
    first = triage(checkout, SMALL, "--device-result", fails, "--json").json
    assert "KNOWN_FAILURE_XFAIL" in {op.get("value") for op in first["ops"]} or first["ops"]
    assert files(checkout) == before
    # A file about other tests changes nothing.
    (tmp_path / "other.xml").write_text("<testsuites><testsuite/></testsuites>")
    other = triage(checkout, SMALL, "--resume", "--device-result", tmp_path / "other.xml", "--apply")
    assert other.code == 64
    assert "is about other tests" in other.err
    assert files(checkout) == before
    second = triage(checkout, SMALL, "--resume", "--device-result", passes, "--apply", "--json")
    assert (second.code, second.json["applied"]) == (0, True)
    assert {one["ending"] for one in second.json["device"]} == {"passed"}
    loader, yaml = files(checkout)
    assert "dtype=dtype_override" in loader
    assert f"  {SMALL}:\n    status: EXPECTED_PASSING\n\n" in yaml
    assert "TT_FATAL" not in yaml


def test_what_was_applied_is_shown_again_and_takes_no_other_result(checkout: Checkout, tmp_path: Path) -> None:
    passes = device_xml(tmp_path / "passes.xml")
    triage(checkout, SMALL)
    triage(checkout, SMALL, "--device-result", passes, "--apply")
    after = files(checkout)
    again = triage(checkout, SMALL, "--resume", "--json")
    assert (again.code, again.json["applied"], again.json["decision"]) == (0, True, "fixed")
    late = triage(checkout, SMALL, "--device-result", passes, "--apply")
    assert late.code == 64
    assert "was applied already" in late.err
    assert files(checkout) == after


def test_a_device_result_that_nothing_asks_for_is_said_to_be_unused(checkout: Checkout, tmp_path: Path) -> None:
    called = triage(checkout, SMALL, "--workflow", "missing-inputs", "--device-result", device_xml(tmp_path / "x.xml"))
    assert called.code == 1
    assert "was not used: no step needed a device result" in called.err


def test_an_interruption_takes_the_edit_out_of_the_tree(checkout: Checkout, tmp_path: Path) -> None:
    before = files(checkout)
    damaged = tmp_path / "damaged.xml"
    damaged.write_text("<testsuites>")
    called = triage(checkout, SMALL, "--apply", "--device-result", damaged)
    assert called.code == 2
    assert files(checkout) == before
    assert triage(checkout, SMALL, "--resume", "--json").json["decision"] == "fixed"


def test_the_report_has_every_part(checkout: Checkout) -> None:
    told = triage(checkout, SMALL).out
    for part in (f"# {SMALL}", "- flavour: cross_dtype", "## CPU", "inputs: row float32", "## Loader", "```diff"):
        assert part in told
    for part in ("## Scope", LARGE, "## Device", "--junitxml=", "--device-result /", "inference expectations"):
        assert part in told


def test_a_wrong_gate_aborts_with_1_and_an_unknown_name_is_usage(checkout: Checkout) -> None:
    called = triage(checkout, SMALL, "--workflow", "missing-inputs", "--json")
    assert (called.code, called.json["cpu"]) == (1, [])
    assert "The failing reason here is: RuntimeError: mat1" in called.json["aborted"]
    unknown = triage(checkout, "no_such_model")
    assert unknown.code == 64
    assert "Could not resolve no_such_model to a YAML entry or loader" in unknown.err
    assert triage(checkout).code == 0, "the open workflows"
    assert triage(checkout, "--query", "status:passing").code == 64


def test_a_machine_that_cannot_run_is_2(checkout: Checkout) -> None:
    (checkout.root.parent / "python").write_text('#!/bin/sh\necho \'TTMATRIX-PROBE {"python": "3"}\'\nexit 3\n')
    assert triage(checkout, SMALL).code == 2


def test_many_at_once_decide_what_belongs_together_once(checkout: Checkout, tmp_path: Path) -> None:
    xml = device_xml(tmp_path / "junit.xml")
    called = triage(checkout, SMALL, LARGE, "--device-result", xml, "--json")
    assert called.code == 0
    assert called.json["scope"] == [SMALL, LARGE]
    queried = triage(checkout, "--query", "mode:training", "--json")
    assert queried.json["scope"] == [LARGE, SMALL]
    assert "running 2 CPU repros" in queried.err


def _journal(checkout: Checkout) -> Path | None:
    return next(sessions_directory(paths().state, checkout.root).glob("*/journal.jsonl"), None)


def _lines(checkout: Checkout) -> int:
    journal = _journal(checkout)
    return journal.read_text().count("\n") if journal else 0


def _calls(checkout: Checkout) -> list[str]:
    file = checkout.root.parent / "calls"
    return file.read_text().splitlines() if file.exists() else []


def _killed_once(reached: Callable[[], bool], tmp_path: Path, *argv: object) -> None:
    """Run `ttmatrix` in a process of its own, which is killed as soon as it has `reached` what it shall."""
    player = Player(argv, tmp_path / "said", {})
    deadline = time.monotonic() + 60
    while not reached() and not player.is_over(0):
        assert time.monotonic() < deadline
        time.sleep(0.005)
    player.kill()
    player.wait()


@pytest.mark.parametrize("moment", ["round", "called", "journal"])
def test_killed_with_several_ids_nothing_runs_twice(checkout: Checkout, tmp_path: Path, moment: str) -> None:
    """Two tests of two loaders: neither affects the other's decision."""
    twin = checkout.models / "twin/pytorch"
    twin.mkdir(parents=True)
    (twin / "loader.py").write_text(LOADER)
    yaml = checkout.test_config / TRAINING
    yaml.write_text(yaml.read_text() + yaml.read_text().partition("test_config:\n")[2].replace("net/", "twin/"))
    ids = [SMALL, SMALL.replace("net/", "twin/")]
    xml = device_xml(tmp_path / "junit.xml")
    cases = xml.read_text().partition('"pytest">')[2].partition("</testsuite>")[0]
    xml.write_text(xml.read_text().replace("</testsuite>", cases.replace("[net/", "[twin/") + "</testsuite>"))
    before = files(checkout)
    root = sessions_directory(paths().state, checkout.root)
    there: dict[str, Callable[[], bool]] = {
        "round": (root / "round.json").exists,
        "called": lambda: bool(_calls(checkout)),
        "journal": lambda: _lines(checkout) >= 2,
    }
    _killed_once(there[moment], tmp_path, "triage", *ids, "--repo", checkout.root)
    called = triage(checkout, *ids, "--resume", "--device-result", xml, "--json")
    assert called.code == 0, called.err
    assert [one["decision"] for one in called.json] == ["fixed", "fixed"]
    # Each of four variants once before the edit, and once after it.
    assert len(_calls(checkout)) == 8
    assert files(checkout) == before


@pytest.mark.parametrize("lines", [1, 2, 4, 6])
def test_killed_at_any_line_of_its_journal_it_ends_the_same(checkout: Checkout, tmp_path: Path, lines: int) -> None:
    before = files(checkout)
    xml = device_xml(tmp_path / "junit.xml")
    argv = ("triage", SMALL, "--device-result", xml, "--repo", checkout.root)
    _killed_once(lambda: _lines(checkout) >= lines, tmp_path, *argv)
    called = triage(checkout, SMALL, "--resume", "--device-result", xml, "--json")
    assert (called.code, called.json["decision"], len(called.json["ops"])) == (0, "fixed", 6)
    assert files(checkout) == before
