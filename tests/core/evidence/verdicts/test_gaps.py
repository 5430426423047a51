# SPDX-License-Identifier: Apache-2.0
"""core.evidence.verdicts.gaps: a test that is gone, and not a job that did not run, select it, or end."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from core.ci.selection import Selected
from core.evidence.observation import Ending, Observation
from core.evidence.results import Results
from core.evidence.series import Gap
from core.evidence.store import EvidenceStore
from core.evidence.verdicts.gaps import LEAST_CUT, Gaps, find_gaps
from core.evidence.verdicts.matrix import Verdicts
from core.evidence.verdicts.policy import Policy
from core.evidence.verdicts.seen import MODEL_TESTS
from core.evidence.verdicts.verdict import Verdict
from core.matrix.indexing import index
from core.matrix.matrix import Matrix
from tests.core.evidence.verdicts.test_matrix import ARTEFACT, JOB
from tests.support.evidence import report, seen
from tests.support.tree import sample

TINY, NET = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug"))
OTHER = "n150-n150_and_known_failure_xfail"


def night(number: int, *ids: str, job: str = ARTEFACT, ending: Ending = Ending.PASSED) -> list[Observation]:
    """One night of a job that reports these tests."""
    return [seen(ending, test_id=id, run=f"nightly-{number}", job=job, when=float(number)) for id in ids]


def gaps(rows: Iterable[Observation], selecting: str = ARTEFACT) -> Gaps:
    return find_gaps(Results(sorted(rows, key=lambda one: one.when)), MODEL_TESTS, lambda cell: {selecting})


def test_a_test_that_its_job_no_longer_reports_is_gone() -> None:
    nights = [*night(1, TINY, NET), *night(2, TINY, NET), *night(3, NET), *night(4, NET)]
    assert gaps(nights).cells == {(TINY, "n150"): Gap(2, "nightly-3", 1)}


def test_a_skip_is_a_mention() -> None:
    nights = [*night(1, TINY, NET), *night(2, NET), *night(2, TINY, ending=Ending.NOT_RUN)]
    assert gaps(nights).cells == {}


def test_a_job_that_did_not_run_or_does_not_select_it_misses_nothing() -> None:
    nights = [*night(1, TINY, NET), *night(2, NET, job=OTHER)]
    assert gaps(nights).cells == {}
    assert gaps([*night(1, TINY, NET), *night(2, NET)], selecting=OTHER).cells == {}


def test_a_job_that_selects_it_since_today_has_not_lost_it() -> None:
    nights = [*night(1, TINY, job=OTHER), *night(1, NET), *night(2, NET)]
    assert gaps(nights).cells == {}


def test_a_job_that_lost_most_of_its_tests_was_cut() -> None:
    many = [f"m{at}" for at in range(LEAST_CUT)]
    nights = [*night(1, *many, NET), *night(2, NET)]
    assert gaps(nights) == Gaps({}, {(ARTEFACT, "nightly-2")})
    assert len(gaps([*night(1, *many[1:], NET), *night(2, NET)]).cells) == LEAST_CUT - 1


def test_a_run_without_the_report_of_a_group_was_cut(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path / "x.sqlite")
    for number in (1, 2, 3):
        store.add([report(*night(number, NET), digest=f"a{number}", run=f"nightly-{number}")])
        if number != 2:
            rows = night(number, TINY) if number == 1 else night(number, "m")
            store.add([report(*rows, digest=f"b{number}", run=f"nightly-{number}")])
    found = find_gaps(Results((), store), MODEL_TESTS, lambda cell: {ARTEFACT})
    assert found.cut == {(ARTEFACT, "nightly-2")}
    assert found.cells == {(TINY, "n150"): Gap(1, "nightly-3", 2)}, "only the whole run counts"


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return index(sample(tmp_path_factory.mktemp("tree")))


def test_the_verdict_names_the_run_and_weighs_little(matrix: Matrix, tmp_path: Path) -> None:
    nights = [row for number in range(1, 6) for row in night(number, TINY, NET) if number < 3 or row.test_id == NET]
    selected = Selected((JOB,), ("nightly",), (0, 1), [1] * len(matrix.ids))
    store = EvidenceStore(tmp_path / "x.sqlite")
    store.add([report(*[row for row in nights if row.run == f"nightly-{n}"], digest=str(n)) for n in range(1, 6)])
    for results in (Results(nights), Results((), store)):
        gone = Verdicts(matrix, results, Policy(), selected).of(TINY)[0]
        assert (gone.verdict, gone.since, gone.grade) == (Verdict.MISSING, "nightly-3", 2)
        assert gone.why == (
            "no result in 3 runs, since nightly-3; 1 other test of its jobs did; before that it passed in nightly-2"
        )
        assert Verdicts(matrix, results, Policy()).of(TINY)[0].verdict is Verdict.UNKNOWN, "nothing is known of jobs"
