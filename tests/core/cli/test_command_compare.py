# SPDX-License-Identifier: Apache-2.0
"""`compare`: two runs."""

from pathlib import Path
from typing import Any

import pytest

from core.evidence import Ending
from core.sources import Checkout
from tests.support.cli import call
from tests.support.evidence import observed
from tests.support.git import committed_checkout, git
from tests.support.reports import keep
from tests.support.tree import sample


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    checkout = committed_checkout(sample(tmp_path / "tt-xla"))
    first = git(checkout.root, "rev-parse", "HEAD").strip()
    git(checkout.root, "commit", "--quiet", "--allow-empty", "--message=uplift of the compiler")
    second = git(checkout.root, "rev-parse", "HEAD").strip()
    old: dict[str, Any] = {"run": "nightly-1", "when": 1.0, "commit": first}
    new: dict[str, Any] = {"run": "nightly-2", "when": 2.0, "commit": second}
    keep(
        checkout,
        [
            observed(test_id="a", **old),
            observed(Ending.FAILED, "DRAM OOM", test_id="a", **new),
            observed(Ending.FAILED, "DRAM OOM", test_id="b", **old),
            observed(test_id="b", **new),
            observed(Ending.FAILED, "DRAM OOM", test_id="c", arch="p150", **old),
            observed(Ending.FAILED, "TypeError: x\x1b[31m", test_id="c", arch="p150", **new),
        ],
    )
    return checkout


def test_the_last_two_runs(checkout: Checkout) -> None:
    called = call("compare", "--json", "--repo", checkout.root)
    assert called.code == 1
    found = called.json
    assert (found["before"], found["after"], found["passing"]) == ("nightly-1", "nightly-2", 0)
    assert found["counts"] == {
        "new": 1,
        "changed reason": 1,
        "fixed": 1,
        "missing": 0,
        "not run": 0,
        "persisting": 0,
    }
    assert [(one["kind"], one["id"]) for one in found["differences"]] == [
        ("new", "a"),
        ("changed reason", "c"),
        ("fixed", "b"),
    ]
    assert [one["subject"] for one in found["commits"]["commits"]] == ["uplift of the compiler"]
    assert found["models_commits"]["unknown"]


def test_for_a_person(checkout: Checkout) -> None:
    called = call("compare", "--repo", checkout.root)
    assert "DRAM OOM -> TypeError: x" in called.out and "\x1b" not in called.out
    assert "1 new, 1 changed reason, 1 fixed" in called.err
    assert "uplift of the compiler" in called.err


def test_nothing_new_is_no_finding(checkout: Checkout) -> None:
    assert call("compare", "nightly-2", "nightly-2", "--repo", checkout.root).code == 0
    assert call("compare", "--arch", "p150", "--repo", checkout.root).code == 0


def test_only_some_kinds(checkout: Checkout) -> None:
    found = call("compare", "1", "2", "--only", "fixed", "--json", "--repo", checkout.root).json
    assert [one["id"] for one in found["differences"]] == ["b"]


def test_runs(checkout: Checkout) -> None:
    found = call("compare", "--runs", "--json", "--repo", checkout.root).json
    assert found == [{"run": "nightly-2", "cells": 3}, {"run": "nightly-1", "cells": 3}]
    assert "nightly-1" in call("compare", "--runs", "--repo", checkout.root).out


@pytest.mark.parametrize("words", [["nightly-1"], ["night", "nightly-1"], ["x", "y"], ["--only", "such"]])
def test_what_makes_no_sense(checkout: Checkout, words: list[str]) -> None:
    assert call("compare", *words, "--repo", checkout.root).code == 64


def test_without_runs_it_says_how_to_get_them(tmp_path: Path) -> None:
    listed = call("compare", "--runs", "--repo", committed_checkout(sample(tmp_path / "tt-xla")).root)
    assert listed.code == 0 and "ttmatrix ingest" in listed.err


def test_without_two_runs_it_says_how_to_get_them(tmp_path: Path) -> None:
    called = call("compare", "--repo", committed_checkout(sample(tmp_path / "tt-xla")).root)
    assert called.code == 64
    assert "ttmatrix ingest" in called.err
