# SPDX-License-Identifier: Apache-2.0
"""Columns of a table: their texts and their order."""

from pathlib import Path

import pytest

from core.base.errors import UsageError
from core.matrix import DEVICE_RUN, RUN, Matrix, all_kinds, index
from core.matrix.view import TABLE_FIELDS, ordered, text_of_row
from core.matrix.view.columns import check_columns
from tests.support.tree import INFERENCE, YAML, sample, write_checkout

TINY, NET, ORG = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug", "org/name"))


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return index(sample(tmp_path_factory.mktemp("checkout")))


@pytest.mark.parametrize("name", [one.name for one in TABLE_FIELDS])
@pytest.mark.parametrize("arch", ["", "n150"])
@pytest.mark.parametrize("descending", [False, True])
def test_any_order_shows_the_same_rows_and_empty_ones_last(
    matrix: Matrix, name: str, arch: str, descending: bool
) -> None:
    runs = {RUN: {NET: "pass", TINY: "FAIL"}, DEVICE_RUN: {NET: "HANG"}}
    rows = range(len(matrix.ids))
    found = ordered(matrix, rows, name, arch, runs, descending=descending)
    assert sorted(found) == list(rows)
    texts = [bool(text_of_row(matrix, row, name, arch, runs)) for row in found]
    assert texts == sorted(texts, reverse=True)


def test_both_ways_and_stable(matrix: Matrix) -> None:
    rows = sorted(matrix.rows[id] for id in (TINY, NET, ORG))

    def by(name: str, *, descending: bool = False, arch: str = "n150") -> list[str]:
        runs = {RUN: {NET: "pass", TINY: "FAIL"}, DEVICE_RUN: {ORG: "CRASH", NET: "pass"}}
        return [matrix.ids[row] for row in ordered(matrix, rows, name, arch, runs, descending=descending)]

    assert by("status") == [TINY, NET, ORG]
    assert by("status", descending=True) == [ORG, NET, TINY]
    assert by("id", descending=True) == [TINY, ORG, NET]
    assert by("reason") == [NET, ORG, TINY]
    assert by("reason", descending=True) == [ORG, NET, TINY]
    assert by(RUN) == [TINY, NET, ORG]
    assert by(DEVICE_RUN) == [ORG, NET, TINY]
    assert by("mode") == by("mode", descending=True) == [NET, ORG, TINY]


def test_numbers_are_ordered_as_numbers_and_nonsense_after_them(tmp_path: Path) -> None:
    values = {TINY: "0.99", NET: "1.0", ORG: "high"}
    text = "test_config:\n" + "".join(f"  {id}:\n    required_pcc: {value}\n" for id, value in values.items())
    matrix = index(write_checkout(tmp_path, {"alpha/pytorch": ""}, {INFERENCE: text}))
    rows = [matrix.rows[id] for id in (NET, ORG, TINY)]
    assert [matrix.ids[row] for row in ordered(matrix, rows, "pcc", "", {}, descending=False)] == [TINY, NET, ORG]


def test_measured_numbers_are_ordered_as_numbers(matrix: Matrix) -> None:
    rows = sorted(matrix.rows[id] for id in (TINY, NET, ORG))
    runs = {"peak_mb": {TINY: "1000", NET: "9.5", ORG: "200 7"}}
    found = ordered(matrix, rows, "peak_mb", "", runs, descending=True)
    assert [matrix.ids[row] for row in found] == [TINY, ORG, NET]


def test_texts(matrix: Matrix) -> None:
    row = matrix.rows[NET]
    runs = {RUN: {NET: "pass"}}
    texts = {one.name: text_of_row(matrix, row, one.name, "", runs) for one in TABLE_FIELDS}
    assert texts["id"] == NET
    assert texts["status"] == "EXPECTED_PASSING / KNOWN_FAILURE_XFAIL"
    assert (texts["archs"], texts["variant"]) == ("n150 n300-llmbox", "net-v1.5+aug")
    assert (texts[RUN], texts[DEVICE_RUN]) == ("pass", "")
    assert (texts["file"], texts["reason"]) == (INFERENCE, "DRAM OOM")
    assert "DRAM OOM" in YAML[INFERENCE]


def test_columns_that_cannot_be(matrix: Matrix) -> None:
    for kind in all_kinds().values():
        check_columns(kind.columns)
    with pytest.raises(UsageError, match="no column 'x'"):
        check_columns(["id", "x"])
    with pytest.raises(UsageError, match="twice"):
        check_columns(["id", "id"])
