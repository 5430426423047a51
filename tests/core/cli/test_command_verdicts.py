# SPDX-License-Identifier: Apache-2.0
"""`verdicts`: from reports to verdicts about entries, and the same for queries and `show`."""

from pathlib import Path

import pytest

from core.sources import Checkout
from tests.support.cli import call
from tests.support.nightlies import nightly
from tests.support.tree import sample

TINY, NET, ORG = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug", "org/name"))


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """The checkout with three nightlies on n150, and two on p150."""
    checkout = sample(tmp_path / "tt-xla")
    directory = tmp_path / "nightlies"
    for _ in range(3):
        number = len(list(directory.glob("*"))) if directory.is_dir() else 0
        nightly(
            directory / f"n150-{number}.xml",
            "n150",
            {NET: "pass", TINY: "pass" if number == 1 else "crash", ORG: "pass"},
        )
    for number in range(2):
        nightly(directory / f"p150-{number}.xml", "p150", {ORG: "pass"})
    assert call("ingest", directory, "--repo", checkout.root).code == 0
    return checkout


def test_every_cell_with_its_verdict_and_what_proves_it(checkout: Checkout) -> None:
    told = call("verdicts", "--json", "--repo", checkout.root)
    assert told.code == 1
    found = {(one["id"], one["arch"]): one for one in told.json}
    assert found[NET, "n150"]["verdict"] == "stale"
    assert found[NET, "n150"]["evidence"] == "n150 PPP 3/3 pcc .998"
    assert len(found[NET, "n150"]["rows"]) == 3
    assert found[NET, "n150"]["rows"][0]["when"] == "2026-11-01T00:00:00+00:00"
    assert found[TINY, "n150"]["verdict"] == "flaky"
    assert found[ORG, "n150"]["verdict"] == "stale"
    assert found[ORG, "p150"] | {"rows": []} == {
        "id": ORG, "arch": "p150", "verdict": "stale", "why": "passed 2 times in a row", "grade": 3,
        "since": "nightlies", "direction": "same", "pcc": 0.9987, "required_pcc": None, "pinned": "", "evidence": "p150 PP 2/2 pcc .998", "rows": [],
    }  # fmt: skip
    assert found["alpha/pytorch-tiny-single_device-training", "n150"]["evidence"] == ""


def test_only_some_tests_archs_and_verdicts(checkout: Checkout) -> None:
    told = call("verdicts", "net", "--arch", "n150", "--repo", checkout.root)
    assert told.code == 1
    assert told.out.splitlines()[1].split()[:4] == ["stale", "n150", "PPP", "3/3"]
    assert len(told.out.splitlines()) == 2
    assert told.err == "1 cell: 1 stale\n"
    assert call("verdicts", "--only", "hang", "--repo", checkout.root).code == 0
    assert len(call("verdicts", "net", "--all", "--json", "--repo", checkout.root).json) > 2
    some = call("verdicts", "--only", "flaky", "--only", "stale", "--json", "--repo", checkout.root).json
    assert {(one["id"], one["verdict"]) for one in some} == {(NET, "stale"), (ORG, "stale"), (TINY, "flaky")}


def test_what_was_said_on_an_earlier_day(checkout: Checkout) -> None:
    then = call("verdicts", NET, "--as-of", "2026-10-31", "--json", "--repo", checkout.root).json
    assert {(one["verdict"], len(one["rows"])) for one in then} == {("unused", 0)}
    now = call("verdicts", NET, "--as-of", "2026-11-30", "--json", "--repo", checkout.root).json
    assert now == call("verdicts", NET, "--json", "--repo", checkout.root).json
    assert call("verdicts", NET, "--as-of", "yesterday", "--repo", checkout.root).code == 64


def test_queries_ask_the_same_truth(checkout: Checkout) -> None:
    def ids(*query: str) -> list[str]:
        return call("list", *query, "--format", "ids", "--repo", checkout.root).out.split()

    assert ids("is:stale") == sorted([NET, ORG])
    assert ids("verdict:stale") == sorted([NET, ORG])
    assert ids("verdict:semi-stale", "arch:n150") == []
    assert ids("verdict:flaky") == [TINY]
    assert call("list", "verdict:sour", "--repo", checkout.root).code == 64


def test_show_has_the_evidence(checkout: Checkout) -> None:
    shown = call("show", NET, "--repo", checkout.root)
    assert "Evidence:\n  n150 PPP 3/3 pcc .998: stale, passed 3 times in a row\n" in shown.out
    document = call("show", NET, "--json", "--repo", checkout.root).json
    assert (document["evidence"][0]["arch"], document["evidence"][0]["verdict"]) == ("n150", "stale")
    assert "Evidence" not in call("show", "gamma/jax-Base-single_device-inference", "--repo", checkout.root).out


def test_the_policy_decides_how_many_it_takes(checkout: Checkout) -> None:
    (checkout.root / "ttmatrix-policy.toml").write_text("minimum_runs = 2\n[keep]\n'alpha/*' = 'for now'")
    told = call("verdicts", "org", "--repo", checkout.root)
    assert [line.split()[0] for line in told.out.splitlines()[1:]] == ["stale", "stale"]
    assert "(pinned: for now)" in told.out
    (checkout.root / "ttmatrix-policy.toml").write_text("minimum_runs = 0")
    assert call("verdicts", "--repo", checkout.root).code == 2
