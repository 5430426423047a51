# SPDX-License-Identifier: Apache-2.0
"""Every commit of the sample leaves a whole checkout, and each kind of edit is among them."""

import ast
from itertools import pairwise
from pathlib import Path

import pytest

from core.demo.history import COMMITS
from core.demo.replay import states
from core.demo.template import sample_files
from core.domain.ids import TestId
from core.domain.model import Entry
from core.sources import Checkout, Schema, loader_directories, parse_expectations, read_expectations, scan_loaders

BROKEN = "spot_detector/pytorch"


def test_every_commit_changes_something() -> None:
    found = states(sample_files(), COMMITS)
    assert len(found) == len(COMMITS) == 6
    assert all(one != next_one for one, next_one in pairwise(found))


@pytest.mark.parametrize("index", range(len(COMMITS)), ids=[commit.date for commit in COMMITS])
def test_every_state_is_a_checkout_whose_entries_have_loaders(index: int, tmp_path: Path) -> None:
    for name, text in states(sample_files(), COMMITS)[index].items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if path.suffix == ".py":
            ast.parse(text)
    checkout = Checkout(tmp_path)
    loaders, findings = scan_loaders(checkout, loader_directories(checkout.models, ()))
    expectations = read_expectations(checkout, Schema())
    assert {finding.id for finding in findings} <= {BROKEN}
    assert [finding for file in expectations for finding in file.findings] == []
    variants = {loader.directory: loader.variants or (None,) for loader in loaders}
    ids = [TestId.parse(entry.id) for file in expectations for entry in file.entries]
    assert [one for one in ids if one is None or one.variant not in variants[one.directory]] == []


def _entry(index: int, test_id: str) -> Entry | None:
    files = {name: text for name, text in states(sample_files(), COMMITS)[index].items() if name.endswith(".yaml")}
    entries = [entry for name, text in files.items() for entry in parse_expectations(text, name).entries]
    return next((entry for entry in entries if entry.id == test_id), None)


def test_one_commit_promotes_and_drops_the_reason() -> None:
    before, after = (_entry(index, "lstm_forecaster/pytorch-Hourly-single_device-training") for index in (0, 1))
    assert before is not None and set(before.fields) == {"status", "bringup_status", "reason"}
    assert before.fields["status"] == "KNOWN_FAILURE_XFAIL"
    assert after is not None and after.fields == {"status": "EXPECTED_PASSING"}


def test_one_commit_demotes() -> None:
    before, after = (_entry(index, "voxel_scatter/pytorch-Grid_8-single_device-inference") for index in (1, 2))
    assert before is not None and before.fields == {"status": "EXPECTED_PASSING"}
    assert after is not None and after.fields["status"] == "NOT_SUPPORTED_SKIP"


def test_one_commit_renames_without_changing_the_fields() -> None:
    before = _entry(2, "tinynet/pytorch-V1_5-single_device-inference")
    after = _entry(3, "tinynet/pytorch-tiny/net-v1.5-single_device-inference")
    assert before is not None and after is not None and before.fields == after.fields
    assert _entry(3, before.id) is None and _entry(2, after.id) is None
