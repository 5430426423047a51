# SPDX-License-Identifier: Apache-2.0
"""`grid`: the heat map without the app."""

from pathlib import Path
from typing import Any

import pytest

from core.base.errors import EXIT_OK, EXIT_USAGE
from core.domain.model import BringupStatus, Status
from core.evidence import Ending
from core.matrix.view import LAYOUTS, Outcomes
from core.matrix.view.tally import case_outcomes
from core.sources import Checkout
from tests.support.cli import call
from tests.support.evidence import seen
from tests.support.reports import keep
from tests.support.sample import sample_checkout
from tests.support.tree import sample

TINY = "alpha/pytorch-tiny-single_device-inference"
TRAIN = "alpha/pytorch-tiny-single_device-training"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return sample_checkout(tmp_path_factory.mktemp("sample") / "tt-xla")


def test_each_cell_says_its_rate_and_selects_its_tests(checkout: Checkout) -> None:
    made = call("grid", "has:entry", "--layout", "families", "--json", "--repo", checkout.root).json
    assert (made["down"], made["across"], made["rows"][0]["all"]) == ("family", "arch", True)
    cells = [cell for row in made["rows"] for cell in row["cells"]]
    assert all(cell["tests"] == sum(cell["counts"].values()) for cell in cells)
    assert all(cell["rate"] is None or cell["rate"] == cell["passed"] / cell["of"] for cell in cells)
    for cell in (cells[0], cells[-1]):
        ids = call("list", cell["query"], "--format", "ids", "--repo", checkout.root).out.split()
        assert len(ids) == cell["tests"], cell["query"]


def test_the_worst_come_first_after_all_together(checkout: Checkout) -> None:
    lines = call("grid", "has:entry", "--sort", "p150", "--repo", checkout.root).out.splitlines()
    assert lines[0].split()[:3] == ["loader", "n150", "p150"] and lines[1].startswith("all")
    worst, best = (
        call("grid", "has:entry", "--sort", "p150", *more, "--json", "--repo", checkout.root).json["rows"]
        for more in ([], ["--best-first"])
    )
    rates = [_rate(row, "p150") for row in worst[1:]]
    known = [one for one in rates if one is not None]
    assert known == sorted(known) and rates[: len(known)] == known
    assert _rate(best[1], "p150") == max(known)
    call("grid", "--sort", "n150", "--sort", "p150", "--repo", checkout.root)


def _rate(row: dict[str, Any], column: str) -> float | None:
    return next((cell["rate"] for cell in row["cells"] if cell["column"] == column), None)


def test_a_query_about_other_tests_names_their_layouts(checkout: Checkout) -> None:
    refused = call("grid", "op:torch.matmul", "--repo", checkout.root)
    assert refused.code == EXIT_USAGE
    assert "The layout loaders has no tests that op:torch.matmul could select" in refused.err
    assert "ops, op-results, handwritten" in refused.err
    assert "torch.matmul" in call("grid", "op:torch.matmul", "--layout", "ops", "--repo", checkout.root).out
    empty = call("grid", "kind:op", "--repo", checkout.root)
    assert empty.code == EXIT_OK and "No test of the layout loaders matches, but 15 other tests." in empty.err
    assert "ops, op-results, handwritten" in empty.err
    assert not call("grid", "nothing_has_this_name", "--repo", checkout.root).err
    unknown = call("grid", "op:torch.nothing", "--repo", checkout.root).err
    assert "No op matches 'torch.nothing'" in unknown and "Did you mean op:torch.cat?" in unknown


@pytest.mark.parametrize("layout", [one.name for one in LAYOUTS])
def test_every_layout_can_be_printed(checkout: Checkout, layout: str) -> None:
    assert call("grid", "--layout", layout, "--repo", checkout.root).out.splitlines()


def test_a_column_that_there_is_not_is_named_with_those_there_are(checkout: Checkout) -> None:
    failed = call("grid", "--sort", "p15", "--repo", checkout.root)
    assert failed.code == 64
    assert "There is no column 'p15'" in failed.err and "p150" in failed.err


def test_results_are_counted_as_expected_beside_passed(tmp_path: Path) -> None:
    """The same as `ingest` and the overview count, in the same words."""
    checkout = sample(tmp_path / "tt-xla")
    fails: dict[str, Any] = {"ending": Ending.FAILED, "stage": BringupStatus.FAILED_RUNTIME, "reason": "DRAM OOM"}
    passing: dict[str, Any] = {"expected": Status.EXPECTED_PASSING}
    keep(
        checkout,
        [
            seen(test_id=TINY, when=1.0, **fails),
            seen(test_id=TINY, when=2.0, **passing),
            seen(test_id=TINY, arch="p150", when=2.0, **(passing | fails)),
            seen(test_id=TRAIN, when=2.0, expected=Status.KNOWN_FAILURE_XFAIL, **fails),
            seen(test_id=TRAIN, arch="p150", when=2.0, expected=Status.KNOWN_FAILURE_XFAIL),
        ],
    )
    repo = ("--repo", checkout.root)
    total = call("grid", "--json", *repo).json["rows"][0]["cells"]
    found = {cell["column"]: (cell["results"], cell["as_expected"], cell["results_passed"]) for cell in total}
    assert (found["n150"], found["p150"]) == ((2, 2, 1), (2, 0, 1))
    shown = call("grid", *repo)
    assert "(100% 50%)" in shown.out
    assert "As expected: 2 of 4 (50.0%); passed: 50.0%." in shown.err

    def ids(query: str) -> list[str]:
        return call("list", query, "--format", "ids", *repo).out.split()

    assert ids("last:as-expected") == [TINY, TRAIN]
    assert ids("last:unexpected arch:p150") == [TINY, TRAIN]
    assert ids("last:passed arch:p150") == [TRAIN]
    keep(checkout, [seen(test_id=TINY, when=2.0 + 3 * 86_400, **passing)])
    # What did not run on the last day that has results is not of last night.
    assert ids("night:as-expected") == ids("night:passed") == [TINY]
    assert ids("night:unexpected") == [] and ids("night:passed arch:p150") == []
    by_mode = call("grid", "--layout", "work", "--json", *repo).json["rows"][0]["cells"]
    assert [(cell["column"], cell["results"]) for cell in by_mode] == [("inference", 2), ("training", 2)]
    assert [
        cell["results"]
        for cell in call("grid", "--layout", "work", "--arch", "p150", "--json", *repo).json["rows"][0]["cells"]
    ] == [1, 1]


def test_an_expected_failure_of_an_op_case_is_as_expected() -> None:
    counts = {"pass": 3, "xpass": 1, "xfail": 2, "fail": 1, "skip": 5, "dup": 2}
    assert case_outcomes(counts) == Outcomes(ran=7, as_expected=5, passed=4)
    assert Outcomes().words == ""
