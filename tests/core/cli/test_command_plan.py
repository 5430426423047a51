# SPDX-License-Identifier: Apache-2.0
"""`plan`: which cells are worth the remaining time, on which machine, and what does not fit."""

from pathlib import Path
from typing import Any

import pytest

from core.sources import Checkout
from tests.support.boards import fake_tt_smi
from tests.support.cli import call
from tests.support.nightlies import nightly
from tests.support.schemas import complaints
from tests.support.tree import sample

TINY, NET, ORG = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug", "org/name"))


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """One test has three results on n150, another has one."""
    checkout = sample(tmp_path / "tt-xla")
    for number in range(3):
        endings = {NET: "pass", TINY: "pass"} if number == 0 else {NET: "pass"}
        nightly(tmp_path / "nightlies" / f"{number}.xml", "n150", endings)
    assert call("ingest", tmp_path / "nightlies", "--repo", checkout.root).code == 0
    return checkout


def planned(checkout: Checkout, *words: object) -> Any:
    called = call("plan", *words, "--json", "--repo", checkout.root)
    assert called.code == 0, called.err
    assert complaints("session", called.json) == []
    return called.json


def test_what_blocks_a_verdict_comes_first(checkout: Checkout) -> None:
    found = planned(checkout, "inference", "--hours", "24", "--arch", "n150", "--days", "100000")
    first, *rest = found["runs"]
    assert (first["id"], first["runs"], first["why"]) == (TINY, 2, ["2 results short of a verdict"])
    assert all(one["why"] == ["no result"] for one in rest)
    assert NET not in {one["id"] for one in found["runs"]}, "it has recent results and a verdict"
    assert found["slots"] == [{"host": "", "archs": ["n150"], "seconds": 86_400.0}]
    total = sum(one["seconds"] * one["runs"] for one in found["runs"]) / 60
    assert found["machine_minutes"] == pytest.approx(total)
    assert found["free_minutes"] == pytest.approx(24 * 60 - total)
    assert found["estimates"] == {"runs": 0, "ratio": None, "near": None}


def test_old_results_are_worth_a_run(checkout: Checkout) -> None:
    found = planned(checkout, "net", "--hours", "1", "--arch", "n150", "--days", "0.0001")
    (net,) = [one for one in found["runs"] if one["id"] == NET]
    assert net["known"] and net["why"][0].endswith("days old") and net["runs"] == 1


def test_what_does_not_fit_is_left_over(checkout: Checkout) -> None:
    found = planned(checkout, "inference", "--hours", "0.0001", "--arch", "n150")
    assert found["runs"] == [] and found["left_over"]
    assert "are left" in found["left_over"][0]["why"]


def test_the_hosts_that_have_the_arch_are_filled_until_their_leases_end(checkout: Checkout) -> None:
    call("hosts", "add", "wh", "--ssh", "wh", "--label", "n150", "--slots", "2", "--expires", "2h")
    call("hosts", "add", "bh", "--ssh", "bh", "--label", "p150")
    found = planned(checkout, "--hours", "4")
    wh, again, bh = found["slots"]
    assert wh == again and wh["host"] == "wh" and 7_000 < wh["seconds"] <= 7_200
    assert bh == {"host": "bh", "archs": ["p150"], "seconds": 14_400.0}
    assert {(one["arch"], one["host"]) for one in found["runs"]} == {("n150", "wh"), ("p150", "bh")}
    assert {one["host"] for one in planned(checkout)["slots"]} == {"wh"}, "without --hours, what has an end"
    assert {one["host"] for one in planned(checkout, "--hours", "1", "--host", "bh")["slots"]} == {"bh"}


def test_a_person_reads_the_table_and_the_sums(checkout: Checkout) -> None:
    called = call("plan", "inference", "--hours", "2", "--arch", "n150", "--repo", checkout.root)
    assert called.code == 0 and "takes min" in called.out and TINY in called.out
    assert "machine minutes on 1 slot" in called.err and "left over" in called.err
    assert "no earlier run had an estimate" in called.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Give --hours"),
        (("--hours", "1"), "Which arch?"),
        (("--hours", "0", "--arch", "n150"), "more than 0"),
        (("--hours", "nan", "--arch", "n150"), "more than 0"),
        (("--hours", "1", "--host", "no"), "There is no host no"),
    ],
)
def test_usage(checkout: Checkout, words: tuple[str, ...], said: str) -> None:
    called = call("plan", *words, "--repo", checkout.root)
    assert called.code == 64 and said in called.err


def test_the_boards_of_this_machine_are_the_arch(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", fake_tt_smi(tmp_path / "bin", "p150a")["PATH"])
    assert [slot["archs"] for slot in planned(checkout, "--hours", "1")["slots"]] == [["p150"]]


def test_what_is_planned_is_queued_for_the_machines_that_have_the_arch(runnable: Checkout) -> None:
    (runnable.root / "tests/runner/test_models.py").touch()
    call("hosts", "add", "here", "--local", "--label", "n150")
    call("hosts", "add", "bh", "--ssh", "bh", "--label", "p150")
    found = planned(runnable, "tiny inference", "--hours", "4", "--queue")
    assert {one["host"] for one in found["runs"]} == {"here", "bh"}
    runs = {one["run"]: one for one in call("runs", "--json", "--repo", runnable.root).json}
    assert [(runs[id]["id"], runs[id]["arch"]) for id in found["queued"]] == [
        (one["id"], one["arch"]) for one in found["runs"] for _ in range(one["runs"])
    ]
    # The other machine is not up: its runs wait for it.
    there = [runs[id] for id in found["queued"] if runs[id]["arch"] == "p150"]
    assert there and all("waiting for a host with p150" in one["summary"] for one in there)
    call("cancel", *found["queued"])
