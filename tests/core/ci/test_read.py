# SPDX-License-Identifier: Apache-2.0
"""The scheduled jobs of the sample checkout, and what an entry changes about them."""

import pytest

from core.ci import Ci, read_ci, selected
from core.matrix import index
from core.model import Entry
from core.sources import read_model_infos
from tests.support.sample import sample_checkout

TEST = "patch_vit/pytorch-Small_Patch8-single_device-training"


@pytest.fixture(scope="module")
def ci(tmp_path_factory: pytest.TempPathFactory) -> Ci:
    matrix = index(sample_checkout(tmp_path_factory.mktemp("sample") / "tt-xla"))
    return read_ci(matrix, read_model_infos(matrix.checkout, matrix.loaders.values()))


def test_every_row_has_the_jobs_that_select_it(ci: Ci) -> None:
    matrix, found = ci.selector.collection.matrix, selected(ci)
    assert {job.runs_on for job in found.of(matrix.rows[TEST])} == {"n150", "p150"}
    for id, row in matrix.rows.items():
        assert set(found.of(row)) == {job for job, _ in ci.selector.jobs(ci.jobs, id)}


def test_names_of_jobs_tell_how_often_they_run(ci: Ci) -> None:
    assert "model-test-push.json: run_forge_models on n150, push" in selected(ci).names


def test_an_excluded_test_loses_all_its_jobs(ci: Ci) -> None:
    entries = {**ci.selector.entries, TEST: Entry(TEST, "f", 1, 1, {"status": "EXCLUDE_MODEL"})}
    gained, lost = ci.gained_and_lost(ci.under(entries), TEST)
    assert gained == []
    assert set(lost) == set(selected(ci).of(ci.selector.collection.matrix.rows[TEST]))
    assert ci.gained_and_lost(ci.under(ci.selector.entries), TEST) == ([], [])
