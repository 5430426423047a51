# SPDX-License-Identifier: Apache-2.0
"""core.evidence.verdicts.matrix: judging a whole matrix gives the same as judging each test alone."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.ci import Selected
from core.domain.model import Function, Status
from core.evidence import Ending, Observation, Results
from core.evidence.store import EvidenceStore
from core.evidence.verdicts import Policy, Verdict, Verdicts
from core.matrix import Matrix, index
from core.sources.ci import Job
from tests.support.evidence import report, seen
from tests.support.tree import INFERENCE, LOADERS, YAML, write_checkout

TINY, NET, ORG = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug", "org/name"))
JOB = Job("nightly.json", 0, "run", "n150", "tests/runner", "n150 and expected_passing", forge_models=True)
ARTEFACT = "n150-n150_and_expected_passing"


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    text = YAML[INFERENCE].replace(
        "    status: NOT_SUPPORTED_SKIP", "    # ttmatrix:keep later\n    status: NOT_SUPPORTED_SKIP"
    )
    return index(write_checkout(tmp_path_factory.mktemp("checkout"), LOADERS, YAML | {INFERENCE: text}))


def _selected(matrix: Matrix, *ids: str) -> Selected:
    codes = [int(id in ids) for id in matrix.ids]
    return Selected((JOB,), ("nightly",), (0, 1), codes)


XFAIL = Status.KNOWN_FAILURE_XFAIL
PASSES = [seen(test_id=NET, when=float(at), expected=XFAIL) for at in range(3)]


def test_cells_are_those_of_the_marks_and_of_the_evidence(matrix: Matrix) -> None:
    found = Verdicts(
        matrix, [*PASSES, seen(test_id=NET, arch="galaxy-bh"), seen(test_id=NET, arch="wormhole")], Policy()
    )
    assert [(one.arch, one.verdict) for one in found.of(NET)] == [
        ("n150", Verdict.STALE),
        ("n300-llmbox", Verdict.UNKNOWN),
        ("galaxy-bh", Verdict.UNKNOWN),
    ]
    assert found.judged.keys() == {NET}
    assert [one.arch for one in found.of(TINY)] == ["n150", "p150"]


def test_a_twin_of_the_same_id_says_nothing(matrix: Matrix) -> None:
    twins = [replace(one, function=Function.OP_BY_OP) for one in PASSES]
    assert Verdicts(matrix, twins, Policy()).of(NET)[0].verdict is Verdict.UNKNOWN


def test_what_is_known_of_jobs_tells_unused_from_unknown(matrix: Matrix) -> None:
    nightlies = [seen(test_id=TINY, run=f"nightly-{at}", job=ARTEFACT, when=float(at)) for at in range(3)]
    without = Verdicts(matrix, nightlies, Policy())
    assert [one.verdict for one in without.of(ORG)] == [Verdict.UNKNOWN] * 2
    found = Verdicts(matrix, nightlies, Policy(), _selected(matrix, TINY, ORG))
    assert [(one.verdict, one.why) for one in found.of(ORG)] == [
        (Verdict.UNUSED, "scheduled, but without a result in 3 runs of its jobs"),
        (Verdict.UNUSED, "no scheduled job selects it"),
    ]
    fewer = Verdicts(matrix, nightlies[:2], Policy(), _selected(matrix, TINY, ORG))
    assert fewer.of(ORG)[0].verdict is Verdict.UNKNOWN
    other = [replace(one, job="p150-n150_and_expected_passing") for one in nightlies]
    assert Verdicts(matrix, other, Policy(), _selected(matrix, ORG)).of(ORG)[0].verdict is Verdict.UNKNOWN


def test_a_pin_is_reported(matrix: Matrix) -> None:
    assert {one.pinned for one in Verdicts(matrix, [], Policy()).of(ORG)} == {"later"}
    assert {one.pinned for one in Verdicts(matrix, [], Policy()).of(TINY)} == {""}


def test_columns_say_what_each_test_says(matrix: Matrix) -> None:
    crash = [seen(Ending.CRASHED, test_id=TINY, arch="p150", when=float(at)) for at in range(3)]
    strays = [seen(test_id="gone/pytorch-single_device-inference")]
    for selected in (None, _selected(matrix, TINY, ORG)):
        found = Verdicts(matrix, [*PASSES, *crash, *strays], Policy(), selected)
        facts = found.facts()
        for arch in matrix.schema.archs:
            column = facts.column("verdict", arch)
            for row, id in enumerate(matrix.ids):
                wanted = {one.arch: one.verdict for one in found.of(id)}.get(arch, "")
                assert column[row] == wanted, (id, arch)
        assert facts.column("stale", "")[matrix.rows[NET]] == "stale"
        assert facts.column("stale", "")[matrix.rows[TINY]] == ""


def test_what_turned_in_the_last_night(matrix: Matrix) -> None:
    day = 86_400.0
    broke = [seen(test_id=NET, when=day), seen(Ending.FAILED, test_id=NET, when=3 * day)]
    fixed = [seen(Ending.CRASHED, test_id=TINY, when=day), seen(test_id=TINY, when=3 * day - 9)]
    same = [seen(test_id=ORG, when=day), seen(test_id=ORG, when=3 * day)]
    not_run = [*fixed, seen(Ending.NOT_RUN, test_id=TINY, when=3 * day)]
    assert Verdicts(matrix, [*broke, *fixed, *same], Policy()).turned == {
        NET: {"n150": "broke"},
        TINY: {"n150": "fixed"},
    }
    assert Verdicts(matrix, [*not_run, *same], Policy()).turned == {TINY: {"n150": "fixed"}}
    before = [seen(test_id=NET, when=0.0), seen(Ending.FAILED, test_id=NET, when=1.9 * day)]
    assert Verdicts(matrix, [*before, *same], Policy()).turned == {}


@pytest.mark.parametrize("failures", [4, 30, 200])
def test_since_and_before_go_further_back_than_what_decides(matrix: Matrix, tmp_path: Path, failures: int) -> None:
    """A window says that it is so, not since when: it would be another run each night."""
    endings = [Ending.PASSED] * 5 + [Ending.FAILED] * failures
    rows = [
        seen(ending, test_id=TINY, run=f"nightly-{at}", when=float(at), reason="" if at < 5 else "TypeError: no")
        for at, ending in enumerate(endings)
    ]
    store = EvidenceStore(tmp_path / "x.sqlite")
    store.add([report(row, digest=row.run, run=row.run) for row in rows])
    for results in (Results(rows), Results((), store)):
        found = Verdicts(matrix, results, Policy())
        for one in (found.of(TINY)[0], found.judged[TINY][0]):
            assert (one.verdict, one.since) == (Verdict.REGRESSED, "nightly-5")
            assert [row.run for row in one.earlier] == [f"nightly-{at}" for at in range(5)]
            assert len(one.rows) == min(failures, Policy().window)
            newest: list[Observation] = [*one.seen]
            assert newest[-len(one.rows) :] == [*one.rows], "the strip has what was before, too"
            assert failures > 4 or [row.ending for row in newest[:5]] == [Ending.PASSED] * 5


def test_the_level_that_changed_has_its_run_and_what_was_before(matrix: Matrix) -> None:
    rows = [
        seen(test_id=TINY, run=f"nightly-{at}", when=float(at), pcc=0.994)
        if at < 20
        else seen(Ending.INACCURATE, test_id=TINY, run=f"nightly-{at}", when=float(at), pcc=0.936, reason="PCC")
        for at in range(35)
    ]
    one = Verdicts(matrix, Results(rows), Policy()).of(TINY)[0]
    assert (one.verdict, one.since, len(one.earlier)) == (Verdict.PCC_TIGHT, "nightly-20", 20)


def test_what_a_wrong_clock_says_is_of_no_night(matrix: Matrix) -> None:
    """Else what ran years ahead would be of every night until then."""
    some = [seen(Ending.FAILED, test_id=NET, when=1.0), seen(test_id=NET, when=1e12), seen(test_id=TINY, when=2.0)]
    facts = Verdicts(matrix, some, Policy())
    assert facts.newest.keys() == {NET, TINY}
    assert facts.of_night.keys() == {TINY}
    assert facts.turned == {}
