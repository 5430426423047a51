# SPDX-License-Identifier: Apache-2.0
"""`ops compare`: op cases on two backends, as table and as JSON."""

from pathlib import Path

import pytest

from core.sources import Checkout
from tests.support.cli import call
from tests.support.op_reports import ingest_cases
from tests.support.tree import LOADERS, write_checkout

MANIFEST = """\
cases:
  - {name: a, op: torch.add, inputs: [{tensor: {shape: [2]}}]}
  - {name: b, op: torch.neg, inputs: [{tensor: {shape: [2]}}]}
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    found = write_checkout(tmp_path / "tt-xla", LOADERS, {})
    directory = found.root / "tests/op_manifests"
    directory.mkdir(parents=True)
    (directory / "one.yaml").write_text(MANIFEST)
    good = {"status": "pass", "max_abs": 0.0, "pcc": 1.0, "run_seconds": 1.0}
    bad = {"status": "fail", "max_abs": 0.5, "pcc": 0.75, "run_seconds": 4.0}
    ingest_cases(found, tmp_path / "eager.xml", "eager", {"one::a": good, "one::b": good})
    ingest_cases(found, tmp_path / "tt.xml", "tt", {"one::a": bad, "one::b": good}, "1 of 2 differ")
    return found


def test_outcome_numbers_and_message_of_both_with_the_difference(checkout: Checkout) -> None:
    called = call("ops", "compare", "--json", "--repo", checkout.root)
    found = called.json
    assert (called.code, found["first"], found["second"]) == (1, "eager", "tt")
    assert {kind: count for kind, count in found["counts"].items() if count} == {"only second fails": 1, "both pass": 1}
    worst = found["cases"][0]
    assert (worst["id"], worst["kind"], worst["second"]["message"]) == ("one::a", "only second fails", "1 of 2 differ")
    assert worst["change"] == {"max_abs": 0.5, "max_rel": None, "mismatched": None, "pcc": -0.25, "seconds": 3.0}
    assert worst["first"]["atol"] == worst["second"]["atol"] == 5e-3
    table = call("ops", "compare", "--repo", checkout.root).out
    assert all(word in table for word in ("one::a", "pass", "fail", "+0.5", "-0.25", "+3", "1 of 2 differ"))


def test_some_cases_other_backends_and_what_cannot_be_compared(checkout: Checkout) -> None:
    repo = ("--repo", checkout.root)
    turned = call("ops", "compare", "one::a", "--backend", "tt", "--backend", "eager", "--json", *repo)
    assert (turned.code, [one["kind"] for one in turned.json["cases"]]) == (0, ["only first fails"])
    only = call("ops", "compare", "--only", "both pass", "--json", *repo).json
    assert [one["id"] for one in only["cases"]] == ["one::b"]
    assert call("ops", "compare", "--backend", "xla", *repo).code == 64
    assert call("ops", "compare", "one::zzz", *repo).code == 64
    assert call("ops", "compare", *(["--backend", "tt"] * 3), *repo).code == 64
