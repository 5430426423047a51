# SPDX-License-Identifier: Apache-2.0
"""`list`: universes, formats, queries."""

import csv
import io
from pathlib import Path

import pytest

from core.base.settings import paths
from core.matrix.query import Query
from core.matrix.view import ViewSpec, change_saved
from core.sources import Checkout
from tests.support.cli import call
from tests.support.tree import sample

STRAY = "alpha/pytorch-gone-single_device-training"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path)


def _ids(checkout: Checkout, *argv: str) -> list[str]:
    return call("list", *argv, "--format", "ids", "--repo", checkout.root).out.splitlines()


def test_universes(checkout: Checkout) -> None:
    assert len(_ids(checkout, "--universe", "entries")) == 5
    validator = _ids(checkout, "--universe", "validator")
    assert len(validator) == 906
    assert STRAY not in validator
    assert set(_ids(checkout)) == {*validator, STRAY}
    assert validator == sorted(validator)


def test_collected_names_the_function(checkout: Checkout) -> None:
    lines = _ids(checkout, "--universe", "collected", "tiny")
    assert "test_all_models_op_by_op::alpha/pytorch-tiny-single_device-inference" in lines
    assert len(lines) == 6 + 2
    assert lines == sorted(lines)


def test_collected_has_one_json_record_a_test(checkout: Checkout) -> None:
    found = call("list", "--universe", "collected", "--json", "--repo", checkout.root).json
    assert sorted(f"{one['function']}::{one['id']}" for one in found) == _ids(checkout, "--universe", "collected")


def test_query_words_are_joined(checkout: Checkout) -> None:
    assert _ids(checkout, "status:xfail", "mode:training") == ["alpha/pytorch-tiny-single_device-training"]
    assert _ids(checkout, "status:xfail", "--arch", "p150") == ["alpha/pytorch-tiny-single_device-training"]


def test_json_has_one_record_a_row(checkout: Checkout) -> None:
    called = call("list", "net-v1.5+aug has:entry", "--json", "--repo", checkout.root)
    (record,) = called.json
    assert record["id"] == "alpha/pytorch-net-v1.5+aug-single_device-inference"
    assert record["statuses"]["n150"] == "KNOWN_FAILURE_XFAIL"
    assert record["status"] == "EXPECTED_PASSING"
    assert record["archs"] == ["n150", "n300-llmbox"]
    assert record["line"] == 5
    assert called.out == call("list", "net-v1.5+aug has:entry", "--format", "json", "--repo", checkout.root).out


def test_csv(checkout: Checkout) -> None:
    rows = list(csv.reader(io.StringIO(call("list", "has:entry", "--format", "csv", "--repo", checkout.root).out)))
    assert rows[0] == ["id", "status", "bringup", "archs", "reason"]
    assert len(rows) == 6
    assert ["alpha/pytorch-net-v1.5+aug-single_device-inference", "n150 n300-llmbox", "DRAM OOM"] in [
        [row[0], row[3], row[4]] for row in rows
    ]


def test_the_table_says_how_many(checkout: Checkout) -> None:
    called = call("list", "has:entry", "--repo", checkout.root)
    assert len(called.out.splitlines()) == 6
    assert "5 of 907" in called.err


def test_a_bad_query_is_64_and_points_at_it(checkout: Checkout) -> None:
    called = call("list", "tiny", "stauts:x", "--repo", checkout.root)
    assert called.code == 64
    assert "column 6" in called.err
    assert "status:" in called.err


def test_views_are_named_and_used(checkout: Checkout) -> None:
    mine = ViewSpec(Query.parse("has:entry mode:inference"), "n150", ("status", "id"), "status", True)
    change_saved(paths().views_file, lambda kept: kept.with_view("Mine", mine))
    named = {one["name"]: one for one in call("list", "--views", "--json").json}
    assert named["Mine"] == {"name": "Mine", "own": True, **mine.to_json()}
    assert named["mixed"] == {"name": "mixed", "own": False, "query": "is:mixed"}
    assert "is:mixed" in call("list", "--views").out
    lines = call("list", "--view", "mine", "--format", "csv", "--repo", checkout.root).out.splitlines()
    assert lines == [
        "status,id",
        "NOT_SUPPORTED_SKIP,alpha/pytorch-org/name-single_device-inference",
        "KNOWN_FAILURE_XFAIL,alpha/pytorch-net-v1.5+aug-single_device-inference",
        "EXPECTED_PASSING,alpha/pytorch-tiny-single_device-inference",
    ]


def test_a_view_is_narrowed_by_a_query_and_ids_stay_sorted(checkout: Checkout) -> None:
    change_saved(paths().views_file, lambda kept: kept.with_view("down", ViewSpec(sort="id", descending=True)))
    both = _ids(checkout, "--view", "down", "tiny has:entry")
    assert both == sorted(both)
    assert both == _ids(checkout, "tiny has:entry")
    assert _ids(checkout, "--view", "stray entries", "gone") == [STRAY]
    assert _ids(checkout, "--view", "mixed", "tiny") == []


def test_an_arch_given_beside_a_view_wins(checkout: Checkout) -> None:
    change_saved(paths().views_file, lambda kept: kept.with_view("x", ViewSpec(Query.parse("status:xfail"), "n150")))
    assert len(_ids(checkout, "--view", "x")) == 2
    assert len(_ids(checkout, "--view", "x", "--arch", "p150")) == 1


def test_the_last_run_can_be_a_column(checkout: Checkout) -> None:
    change_saved(paths().views_file, lambda kept: kept.with_view("ran", ViewSpec(columns=("id", "run"), sort="run")))
    lines = call("list", "--view", "ran", "tiny has:entry", "--format", "csv", "--repo", checkout.root).out.splitlines()
    assert lines == ["id,run", *(f"{id}," for id in _ids(checkout, "tiny has:entry"))]


def test_views_that_cannot_be(checkout: Checkout) -> None:
    unknown = call("list", "--view", "mixd", "--repo", checkout.root)
    assert unknown.code == 64
    assert "Did you mean 'mixed'?" in unknown.err
    change_saved(paths().views_file, lambda kept: kept.with_view("x", ViewSpec(arch="n9")))
    assert call("list", "--view", "x", "--repo", checkout.root).code == 64
    paths().views_file.write_text("{")
    damaged = call("list", "--views")
    assert damaged.code == 2
    assert str(paths().views_file) in damaged.err
