# SPDX-License-Identifier: Apache-2.0
"""Each entry that no scheduled job selects is reported."""

from pathlib import Path

import pytest

from core.ci import read_ci, selected
from core.doctor.reading import no_job_findings
from core.domain.model import Finding
from core.matrix import Matrix, index
from core.sources import read_model_infos
from tests.support.sample import sample_checkout
from tests.support.tree import sample


def _findings(matrix: Matrix) -> list[Finding]:
    ci = read_ci(matrix, read_model_infos(matrix.checkout, matrix.loaders.values()))
    return list(no_job_findings(matrix, selected(ci)))


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return index(sample_checkout(tmp_path_factory.mktemp("sample") / "tt-xla"))


def test_each_finding_is_an_entry_that_no_job_selects(matrix: Matrix) -> None:
    ci = read_ci(matrix, read_model_infos(matrix.checkout, matrix.loaders.values()))
    findings = _findings(matrix)
    assert findings
    assert {one.id for one in findings} == {id for id in matrix.entries if not ci.selector.jobs(ci.jobs, id)}
    for one in findings:
        assert one.line == matrix.entries[one.id].line
        assert one.file.endswith(matrix.entries[one.id].file)


def test_without_scheduled_jobs_there_is_nothing_to_say(tmp_path: Path) -> None:
    assert _findings(index(sample(tmp_path))) == []
