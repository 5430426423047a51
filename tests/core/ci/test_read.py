# SPDX-License-Identifier: Apache-2.0
"""The scheduled jobs of the sample checkout, and what an entry changes about them."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from core.ci import Ci, Selector, read_ci, selected
from core.domain.model import Entry
from core.matrix import index
from core.sources import read_model_infos
from core.sources.ci import Job
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


def _promoted(ci: Ci) -> dict[str, Entry]:
    """The entries as they are if everything passes everywhere, also what has no entry yet."""
    ids = ci.selector.collection.matrix.rows
    return {id: Entry(id, "f", 1, 1, {"status": "EXPECTED_PASSING"}) for id in ids} | {
        id: one._replace(fields={**one.fields, "status": "EXPECTED_PASSING"}) for id, one in ci.selector.entries.items()
    }


def _left_by_job(before: Ci, after: Ci) -> dict[str, tuple[str, ...]]:
    """The archs that tests leave, from the jobs of each test."""
    found: dict[str, tuple[str, ...]] = {}
    for id in before.selector.collection.matrix.rows:
        had, has = ({job.runs_on for job, _ in one.selector.jobs(one.jobs, id)} for one in (before, after))
        if had - has:
            found[id] = tuple(arch for arch in before.selector.collection.matrix.schema.archs if arch in had - has)
    return found


@pytest.mark.parametrize("named", ["", "vit or Small"])
def test_the_archs_that_tests_leave_are_found_by_kind(ci: Ci, named: str) -> None:
    ci = replace(ci, jobs={replace(job, contains=named): triggers for job, triggers in ci.jobs.items()})
    ids = ci.selector.collection.matrix.rows
    promoted = ci.under(_promoted(ci))
    excluded = ci.under({id: Entry(id, "f", 1, 1, {"status": "EXCLUDE_MODEL"}) for id in ids})
    for after in (promoted, excluded):
        assert ci.archs_left(after, ids) == _left_by_job(ci, after) != {}
    assert ci.archs_left(ci, ids) == {}


def test_tests_of_one_kind_are_looked_up_once(ci: Ci, monkeypatch: pytest.MonkeyPatch) -> None:
    ids, after = ci.selector.collection.matrix.rows, ci.under(_promoted(ci))
    kinds = {(ci.selector.kind(id), after.selector.kind(id)) for id in ids}
    asked: list[str] = []
    jobs = Selector.jobs

    def counting(selector: Selector, of: Iterable[Job], id: str) -> list[tuple[Job, Any]]:
        asked.append(id)
        return jobs(selector, of, id)

    monkeypatch.setattr(Selector, "jobs", counting)
    ci.archs_left(after, ids)
    assert len(asked) == 2 * len(kinds) < len(ids)
