# SPDX-License-Identifier: Apache-2.0
"""The scheduled jobs of the sample checkout, and what an entry changes about them."""

import pytest

from core.matrix.ci import Ci, job_name, read_ci
from core.matrix.index import index
from core.model import Entry
from core.sources.model_info import read_model_infos
from tests.support.sample import sample_checkout

TEST = "patch_vit/pytorch-Small_Patch8-single_device-training"


@pytest.fixture(scope="module")
def ci(tmp_path_factory: pytest.TempPathFactory) -> Ci:
    matrix = index(sample_checkout(tmp_path_factory.mktemp("sample") / "tt-xla"))
    return read_ci(matrix, read_model_infos(matrix.checkout, matrix.loaders.values()))


def test_jobs_of_a_test(ci: Ci) -> None:
    jobs = ci.of(TEST)
    assert jobs
    assert {job.runs_on for job in jobs} == {"n150", "p150"}
    assert len({job_name(job) for job in jobs}) == len(jobs)
    assert ci.of("no such test") == ()


def test_an_excluded_test_loses_all_its_jobs(ci: Ci) -> None:
    entries = {**ci.selector.entries, TEST: Entry(TEST, "f", 1, 1, {"status": "EXCLUDE_MODEL"})}
    gained, lost = ci.gained_and_lost(ci.under(entries), TEST)
    assert gained == []
    assert set(lost) == set(ci.of(TEST))
    assert ci.gained_and_lost(ci.under(ci.selector.entries), TEST) == ([], [])
