# SPDX-License-Identifier: Apache-2.0
"""core.evidence.verdicts.gaps: a test that is gone, and not a job that did not run, select it, or end."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from core.ci import Selected
from core.evidence import CiJob, CiRun, CiStore, Ending, Observation, Origin, Results
from core.evidence.ci_runs import Death, HowDied
from core.evidence.series import LEAST_CUT, Gap
from core.evidence.store import EvidenceStore
from core.evidence.verdicts import MODEL_TESTS, Absence, Judgement, Policy, Verdict, Verdicts
from core.evidence.verdicts.gaps import Gaps
from core.matrix import Matrix, index
from tests.core.evidence.verdicts.test_matrix import ARTEFACT, JOB
from tests.support.evidence import report, seen
from tests.support.tree import sample

TINY, NET = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug"))
OTHER = "n150-n150_and_known_failure_xfail"


def night(number: int, *ids: str, job: str = ARTEFACT, ending: Ending = Ending.PASSED) -> list[Observation]:
    """One night of a job that reports these tests."""
    return [seen(ending, test_id=id, run=f"nightly-{number}", job=job, when=float(number)) for id in ids]


def gaps(rows: Iterable[Observation], selecting: str = ARTEFACT) -> Gaps:
    return Gaps(Results(sorted(rows, key=lambda one: one.when)), MODEL_TESTS, lambda cell: {selecting})


def test_a_test_that_its_job_no_longer_reports_is_gone() -> None:
    nights = [*night(1, TINY, NET), *night(2, TINY, NET), *night(3, NET), *night(4, NET)]
    assert gaps(nights).cells == {(TINY, "n150"): Gap(2, "nightly-3", 1, 2.0)}


def told(found: Gaps, id: str = TINY) -> tuple[Absence, str] | None:
    """Why the newest reports lack a test."""
    return found.absent((id, "n150"))


def test_why_a_test_is_not_in_the_newest_reports(tmp_path: Path) -> None:
    had = [*night(1, TINY, NET), *night(2, TINY, NET)]
    assert told(gaps(had)) is None
    assert told(gaps([*had, *night(3, NET)])) == (
        Absence.MISSING,
        "no result in 1 run, since nightly-3; 1 other test of its job has one",
    )
    assert told(gaps([*had, *night(3, NET, job=OTHER)])) == (Absence.JOB_NOT_RUN, f"{ARTEFACT} has not run since")
    assert told(gaps([*had, *night(3, NET)], selecting=OTHER)) == (
        Absence.NOT_SELECTED,
        f"{ARTEFACT} no longer selects it",
    )
    store = EvidenceStore(tmp_path / "x.sqlite")
    store.add([report(*night(at, TINY, NET), digest=str(at), run=f"nightly-{at}") for at in (1, 2)])
    store.add([report(*night(3, "m", NET), digest="3", run="nightly-3", cut="it ends in line 7")])
    cut = Gaps(Results((), store), MODEL_TESTS, lambda cell: {ARTEFACT})
    assert told(cut) == (
        Absence.JOB_CUT,
        f"{ARTEFACT} was cut in nightly-3: a report is truncated behind {NET}",
    )
    assert cut.cells == {}


def test_the_report_of_its_job_names_a_suspect(tmp_path: Path) -> None:
    died = replace(
        night(3, NET)[0], ending=Ending.CRASHED, reason="the worker of pytest-xdist crashed while running the test"
    )
    nights = [*night(1, TINY, NET, "m"), *night(2, TINY, NET, "m"), died, *night(3, "m"), *night(4, NET, "m")]
    words = f"; {NET} crashed in its job in nightly-3: the worker of pytest-xdist crashed while running the test"
    store = EvidenceStore(tmp_path / "x.sqlite")
    store.add([report(*[row for row in nights if row.run == f"nightly-{n}"], digest=str(n)) for n in range(1, 5)])
    for found in (gaps(nights), Gaps(Results((), store), MODEL_TESTS, lambda cell: {ARTEFACT})):
        assert found.suspect((TINY, "n150")) == words
        assert told(found) == (
            Absence.MISSING,
            f"no result in 2 runs, since nightly-3; 2 other tests of its job have one{words}",
        )
    quiet = gaps([*night(1, TINY, NET), *night(2, NET)])
    assert quiet.suspect((TINY, "n150")) == ""


def test_a_truncated_report_before_it_was_gone_names_its_last_test(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path / "x.sqlite")
    store.add([report(*night(at, TINY, NET), digest=str(at), run=f"nightly-{at}") for at in (1, 2)])
    store.add([report(*night(3, "m", NET), digest="3", run="nightly-3", cut="it ends in line 7")])
    store.add([report(*night(4, NET), digest="4", run="nightly-4")])
    found = Gaps(Results((), store), MODEL_TESTS, lambda cell: {ARTEFACT})
    assert found.cells[TINY, "n150"] == Gap(1, "nightly-4", 1, 2.0)
    assert found.suspect((TINY, "n150")) == f"; the truncated report of nightly-3 ends behind {NET}"


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
    found = gaps(nights)
    assert (found.cells, found.cut) == ({}, {(ARTEFACT, "nightly-2"): "10 of its tests are gone at once"})
    assert told(found, many[0]) == (
        Absence.JOB_CUT,
        f"{ARTEFACT} was cut in nightly-2: 10 of its tests are gone at once",
    )
    assert len(gaps([*night(1, *many[1:], NET), *night(2, NET)]).cells) == LEAST_CUT - 1


def test_a_run_without_the_report_of_a_group_was_cut(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path / "x.sqlite")
    for number in (1, 2, 3):
        store.add([report(*night(number, NET), digest=f"a{number}", run=f"nightly-{number}")])
        if number != 2:
            rows = night(number, TINY) if number == 1 else night(number, "m")
            store.add([report(*rows, digest=f"b{number}", run=f"nightly-{number}")])
    found = Gaps(Results((), store), MODEL_TESTS, lambda cell: {ARTEFACT})
    assert found.cut == {(ARTEFACT, "nightly-2"): "1 of 2 reports"}
    assert found.cells == {(TINY, "n150"): Gap(1, "nightly-3", 2, 1.0)}, "only the whole run counts"


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return index(sample(tmp_path_factory.mktemp("tree")))


def test_what_ran_on_a_machine_that_is_left_out_is_not_gone(matrix: Matrix, tmp_path: Path) -> None:
    nights = [*night(1, TINY, NET), *night(2, TINY, NET), *night(3, NET)]
    alone = seen(Ending.FAILED, test_id=TINY, run="nightly-3", job=ARTEFACT, when=3.0, host="f10cs10")
    selected = Selected((JOB,), ("nightly",), (0, 1), [1] * len(matrix.ids))
    store = EvidenceStore(tmp_path / "x.sqlite")
    store.add(
        [report(*[row for row in (*nights, alone) if row.run == f"nightly-{n}"], digest=str(n)) for n in (1, 2, 3)]
    )
    for results in (Results([*nights, alone]), Results((), store)):
        without = results.without(["f10cs10"])
        for some in (without, without.until(4.0)):
            assert Verdicts(matrix, some, Policy(), selected).of(TINY)[0].verdict is not Verdict.MISSING


def test_the_verdict_names_the_run_and_weighs_little(matrix: Matrix, tmp_path: Path) -> None:
    nights = [row for number in range(1, 6) for row in night(number, TINY, NET) if number < 3 or row.test_id == NET]
    selected = Selected((JOB,), ("nightly",), (0, 1), [1] * len(matrix.ids))
    store = EvidenceStore(tmp_path / "x.sqlite")
    store.add([report(*[row for row in nights if row.run == f"nightly-{n}"], digest=str(n)) for n in range(1, 6)])
    for results in (Results(nights), Results((), store)):
        gone = Verdicts(matrix, results, Policy(), selected).of(TINY)[0]
        assert (gone.verdict, gone.since, gone.grade) == (Verdict.MISSING, "nightly-3", 2)
        assert gone.why == (
            "no result in 3 runs, since nightly-3; 1 other test of its job has one; before that it passed in nightly-2"
        )
        assert (gone.first, gone.last_reported) == (nights[4], nights[2]), "they have the commits and the pages"
        assert Verdicts(matrix, results, Policy()).of(TINY)[0].verdict is Verdict.UNKNOWN, "nothing is known of jobs"


def test_a_run_here_shows_why_it_is_gone(matrix: Matrix) -> None:
    """The run's own log names the cause; a run here is no report of the job, so the gap stays."""
    nights = [row for number in range(1, 6) for row in night(number, TINY, NET) if number < 3 or row.test_id == NET]
    selected = Selected((JOB,), ("nightly",), (0, 1), [1] * len(matrix.ids))

    def judged(ending: Ending, reason: str = "") -> Judgement:
        here = seen(ending, test_id=TINY, origin=Origin.HERE, run="batch", job="r1", when=6.0, reason=reason)
        return Verdicts(matrix, Results([*nights, here]), Policy(), selected).of(TINY)[0]

    gap = "no result in 3 runs, since nightly-3; 1 other test of its job has one"
    hung = judged(Ending.HUNG, "Test hangs in ttnn.matmul")
    assert (hung.verdict, hung.grade, hung.since) == (Verdict.HANG, 2, "batch")
    assert hung.why == f"the last hung here; {gap}"
    assert [row.origin for row in hung.rows] == [Origin.HERE]
    crashed = judged(Ending.CRASHED, "TT_FATAL")
    assert crashed.verdict is Verdict.CRASH
    passed = judged(Ending.PASSED)
    assert (passed.verdict, passed.why) == (Verdict.MISSING, f"{gap}; here it passed in batch")
    failed = judged(Ending.FAILED, "TypeError: no")
    assert (failed.verdict, failed.why) == (Verdict.MISSING, f"{gap}; here it failed in batch: TypeError: no")


def test_what_is_missing_is_listed_with_the_latest_first(matrix: Matrix) -> None:
    ids = (TINY, NET, "m", "n")
    nights = [
        row
        for at in range(1, 5)
        for row in night(at, *ids)
        if row.test_id in ("m", "n") or at < (3, 4)[row.test_id == NET]
    ]
    selected = Selected((JOB,), ("nightly",), (0, 1), [1] * len(matrix.ids))
    found = Verdicts(matrix, Results(nights), Policy(), selected)
    assert [(one.id, one.since, one.runs) for one in found.missing] == [
        (NET, "nightly-4", 1),
        (TINY, "nightly-3", 2),
    ]
    assert found.absent(NET, ["n150"])["n150"].kind is Absence.MISSING


def test_a_job_that_died_says_how_and_which_test_was_running(tmp_path: Path) -> None:
    """Not that it has not run: a job that hung has left no report."""
    store = EvidenceStore(tmp_path / "x.sqlite")
    store.add([report(*night(at, TINY, NET), digest=str(at), run=f"nightly-{at}") for at in (1, 2)])
    runner, _, mark = ARTEFACT.partition("-")
    name = f"models / test {mark.replace('_', ' ')} ({runner}, run_forge_models, 0)"
    run = CiRun(3, "nightly-3", 1, "", 3, created=2.5)
    ci = CiStore(store)
    ci.add(run, [CiJob(7, 3, 1, name, "completed", "failure")])
    ci.add_death(7, Death(HowDied.TIMED_OUT, "Run tests", "it has timed out", f"t.py::f[{NET}]"))
    why = f"{ARTEFACT} was cut in nightly-3: it ran out of time: it has timed out; t.py::f[{NET}] was running"

    def absent() -> tuple[Absence, str] | None:
        return told(Gaps(Results((), store), MODEL_TESTS, lambda cell: {ARTEFACT}))

    assert absent() == (Absence.JOB_CUT, why)
    # An attempt that reported takes its place, and so does the next night.
    ci.add(run, [CiJob(8, 3, 2, name, "completed", "success")])
    assert absent() is None
    ci.add_death(8, Death(HowDied.CANCELLED))
    store.add([report(*night(4, TINY, NET), digest="4", run="nightly-4")])
    assert absent() is None
