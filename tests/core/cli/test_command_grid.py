# SPDX-License-Identifier: Apache-2.0
"""`grid`: the heat map without the app."""

from typing import Any

import pytest

from core.errors import EXIT_OK, EXIT_USAGE
from core.matrix.view.grid import LAYOUTS
from core.sources.checkout import Checkout
from tests.support.cli import call
from tests.support.sample import sample_checkout


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
