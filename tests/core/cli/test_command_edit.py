# SPDX-License-Identifier: Apache-2.0
"""`edit`: prints a diff, and changes files only with --write."""

import json
from pathlib import Path

import pytest

from core.base.settings import paths
from core.cli.demo_walk import STALE
from core.edits import parse_operations, plan
from core.edits.pending import Workbench, workbench
from core.edits.pending.recovery import write_began
from core.edits.pending.writer_lock import sole_writer
from core.sources import Checkout
from tests.support.cli import call
from tests.support.sample import sample_checkout
from tests.support.tree import INFERENCE, TRAINING, YAML, sample

TINY = "alpha/pytorch-tiny-single_device-training"
PROMOTE = [
    {"op": "set", "id": TINY, "path": ["status"], "value": "EXPECTED_PASSING"},
    {"op": "unset", "id": TINY, "path": ["bringup_status"]},
    {"op": "unset", "id": TINY, "path": ["reason"]},
]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


def test_without_write_nothing_is_touched(checkout: Checkout) -> None:
    called = call("edit", "--apply", "-", "--repo", checkout.root, stdin=json.dumps(PROMOTE))
    assert called.code == 0
    assert called.out.startswith(f"--- a/tests/runner/test_config/{TRAINING}\n")
    assert "+    status: EXPECTED_PASSING\n" in called.out
    assert "n150: KNOWN_FAILURE_XFAIL -> EXPECTED_PASSING" in called.err
    assert (checkout.test_config / TRAINING).read_text() == YAML[TRAINING]


def test_proposals_are_shown_too_and_only_apply_writes_them(checkout: Checkout) -> None:
    proposals = json.dumps([{"id": TINY, "ops": PROMOTE}])
    shown, applied = (
        call(*command, "-", "--json", "--repo", checkout.root, stdin=proposals)
        for command in (("edit", "--apply"), ("apply",))
    )
    assert shown.json["diff"] == applied.json["diff"] != ""
    assert (shown.json["written"], applied.json["written"]) == ([], [TRAINING])


def test_write_changes_just_those_lines(checkout: Checkout, tmp_path: Path) -> None:
    file = tmp_path / "ops.json"
    file.write_text(json.dumps(PROMOTE))
    assert call("edit", "--apply", file, "--write", "--repo", checkout.root).code == 0
    lines = YAML[TRAINING].splitlines(keepends=True)
    assert (checkout.test_config / TRAINING).read_text() == "".join(
        [lines[0], lines[1], "    status: EXPECTED_PASSING\n", *lines[5:]]
    )
    assert (checkout.test_config / INFERENCE).read_text() == YAML[INFERENCE]


def test_json(checkout: Checkout) -> None:
    called = call("edit", "--apply", "-", "--json", "--repo", checkout.root, stdin=json.dumps(PROMOTE))
    document = called.json
    assert document["applied"] == PROMOTE
    assert document["rejected"] == []
    fields = {
        "status": {"before": "KNOWN_FAILURE_XFAIL", "after": "EXPECTED_PASSING"},
        "bringup_status": {"before": "FAILED_RUNTIME", "after": None},
        "reason": {"before": "Bad StatusOr access", "after": None},
    }
    assert document["effect"] == [
        {
            "id": TINY,
            "arch": arch,
            "before": "KNOWN_FAILURE_XFAIL",
            "after": "EXPECTED_PASSING",
            "jobs_gained": [],
            "jobs_lost": [],
            "fields": fields,
            "markers_gained": [],
            "markers_lost": [],
            "minutes": None,
        }
        for arch in ("n150", "p150")
    ]
    assert document["diff"] == call("edit", "--apply", "-", "--repo", checkout.root, stdin=json.dumps(PROMOTE)).out


def test_a_rejected_operation_blocks_its_file_and_is_reported(checkout: Checkout) -> None:
    bad = {"op": "unset", "id": "no/pytorch-such-single_device-training", "file": TRAINING, "path": ["reason"]}
    called = call(
        "edit", "--apply", "-", "--write", "--json", "--repo", checkout.root, stdin=json.dumps([*PROMOTE, bad])
    )
    assert called.code == 1
    assert [one["op"] for one in called.json["rejected"]] == [bad, *PROMOTE]
    assert all(one["why"] for one in called.json["rejected"])
    assert (checkout.test_config / TRAINING).read_text() == YAML[TRAINING]


@pytest.mark.parametrize("text", ["{}", "[1]", "nonsense", '[{"op": "set", "id": "x"}]'])
def test_what_is_no_list_of_operations_is_64(checkout: Checkout, text: str) -> None:
    called = call("edit", "--apply", "-", "--repo", checkout.root, stdin=text)
    assert called.code == 64


def test_a_missing_file_is_reported(checkout: Checkout, tmp_path: Path) -> None:
    called = call("edit", "--apply", tmp_path / "absent", "--repo", checkout.root)
    assert called.code == 2
    assert "absent" in called.err


def test_the_jobs_a_test_gains_and_loses_are_reported(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "demo")
    promote = [{"op": "set", "id": STALE, "path": ["status"], "value": "EXPECTED_PASSING"}]
    (first, *_) = call("edit", "--apply", "-", "--json", "--repo", checkout.root, stdin=json.dumps(promote)).json[
        "effect"
    ]
    assert first["jobs_lost"] != []
    assert all(name.endswith(")") and "on n150" in name for name in first["jobs_lost"])
    before = call("show", STALE, "--json", "--repo", checkout.root).json["jobs"]["n150"]
    assert len(before) >= len(first["jobs_lost"])


@pytest.mark.slow("waits for a lock")
def test_a_checkout_that_somebody_else_writes_to_is_2_and_says_who(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbench, "_WAIT_SECONDS", 0)
    with sole_writer(checkout.root, "writing something long", wait=0):
        called = call("edit", "--apply", "-", "--write", "--repo", checkout.root, stdin=json.dumps(PROMOTE))
        assert called.code == 2
        assert "writing something long" in called.err
        assert call("edit", "--apply", "-", "--repo", checkout.root, stdin=json.dumps(PROMOTE)).code == 0
    assert (checkout.test_config / TRAINING).read_text() == YAML[TRAINING]


def test_a_write_that_was_cut_off_is_reported_by_the_next_one(checkout: Checkout) -> None:
    planned = plan(checkout.test_config, parse_operations(json.dumps(PROMOTE)))
    Workbench(checkout, paths().journal)._journal.record(lambda _: write_began(planned))
    for notice in ("nothing is written. Apply the same operations again", ""):
        called = call("edit", "--apply", "-", "--write", "--repo", checkout.root, stdin=json.dumps(PROMOTE))
        assert called.code == 0
        assert notice in called.err
        assert bool(notice) is ("interrupted" in called.err)


def test_a_home_that_keeps_nothing_stops_no_write(checkout: Checkout, own_home: Path) -> None:
    (own_home / "state").write_text("in the way")
    assert call("edit", "--apply", "-", "--write", "--repo", checkout.root, stdin=json.dumps(PROMOTE)).code == 0
    assert (checkout.test_config / TRAINING).read_text() != YAML[TRAINING]
