# SPDX-License-Identifier: Apache-2.0
"""Half a year of nightlies with planted regressions, flaky tests, a bad machine and drift: exactly these are found."""

import random
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

import pytest

from core.domain.model import BringupStatus, Status
from core.evidence import RAN, Ending, Observation, Results
from core.evidence.analysis import broken_together, courses_of
from core.evidence.hosts import HostShare, shares_of, suspects
from core.evidence.store import EvidenceStore
from core.evidence.verdicts import Policy, Verdict, Verdicts
from core.matrix import Matrix, index
from core.matrix.query import Query, select
from tests.support.evidence import report, seen
from tests.support.tree import INFERENCE, loader_source, write_checkout

NIGHTS, TESTS, ARCHS, HOSTS = 180, 60, ("n150", "p150"), 6
BROKE, BAD, MOVED, SINKING = 150, 150, 160, 165
"""The nights on which regressions, failures of the bad machine, new reasons and low numbers began."""
_DAY, _FIRST = 86_400.0, datetime(2026, 5, 1, 3, tzinfo=UTC).timestamp()
_OOM = "Out of Memory: Not enough space to allocate 1073741824 B DRAM buffer across 12 banks"
_OTHER = "error: failed to legalize operation 'stablehlo.gather' that was explicitly marked illegal"

Cells = frozenset[tuple[int, str]]
REGRESSED: Cells = frozenset({(0, "n150"), (0, "p150"), (7, "n150"), (8, "p150"), (20, "n150")})
FLAKY: Cells = frozenset({(1, "n150"), (30, "p150"), (31, "n150")})
DRIFTED: Cells = frozenset({(54, "n150"), (56, "p150")})
SANK: Cells = frozenset({(2, "p150"), (40, "n150")})
_EXPECTED_TO_FAIL = range(50, TESTS)


def name(number: int) -> str:
    return f"alpha/pytorch-v{number:02}-single_device-inference"


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    failing = f'    status: KNOWN_FAILURE_XFAIL\n    reason: "{_OOM}"\n'
    entries = "".join(
        f"  {name(at)}:\n    supported_archs: [n150, p150]\n"
        + (failing if at in _EXPECTED_TO_FAIL else "    status: EXPECTED_PASSING\n")
        for at in range(TESTS)
    )
    loaders = {"alpha/pytorch": loader_source([f"v{at:02}" for at in range(TESTS)])}
    return index(write_checkout(tmp_path_factory.mktemp("c"), loaders, {INFERENCE: f"test_config:\n{entries}"}))


def night(at: int, chance: random.Random) -> Iterator[Observation]:
    """One result per cell, each on another machine than the previous night."""
    for number in range(TESTS):
        for arch in ARCHS:
            yield result(number, arch, at, f"host-{(number + at) % HOSTS}", chance)


def result(number: int, arch: str, at: int, host: str, chance: random.Random) -> Observation:
    cell, expected = (number, arch), Status.EXPECTED_PASSING
    ending, reason, pcc = Ending.PASSED, "", chance.uniform(0.9905, 0.9935)
    if number in _EXPECTED_TO_FAIL:
        expected = Status.KNOWN_FAILURE_XFAIL
        ending, reason = Ending.FAILED, _OTHER if cell in DRIFTED and at >= MOVED else _OOM
    elif cell in FLAKY:
        ending = chance.choice((Ending.PASSED, Ending.FAILED))
    elif cell in REGRESSED and at >= BROKE:
        ending = Ending.FAILED
    elif cell in SANK and at >= SINKING:
        ending, pcc = Ending.INACCURATE, 0.975 - (at - SINKING) * 0.001
    if host == "host-5" and at >= BAD:
        ending, reason = Ending.FAILED, "RuntimeError: Device 0 is not responding"
    failed = ending is Ending.FAILED
    return seen(
        ending, test_id=name(number), arch=arch, when=_FIRST + at * _DAY, run=f"nightly-{at}", host=host,
        expected=expected, reason=(reason or _OOM) if failed else "", pcc=None if failed else pcc, pcc_required=0.99,
        stage=BringupStatus.FAILED_RUNTIME if failed else BringupStatus.PASSED,
    )  # fmt: skip


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    store, chance = EvidenceStore(tmp_path_factory.mktemp("s") / "a.sqlite"), random.Random(7)
    store.add(report(*night(at, chance), digest=f"d{at}", run=f"nightly-{at}") for at in range(NIGHTS))
    return Results((), store)


def found(verdicts: Verdicts) -> Mapping[Verdict, Cells]:
    """The cells of each verdict except ACTIVE."""
    cells: dict[Verdict, set[tuple[int, str]]] = {}
    for number in range(TESTS):
        for one in verdicts.of(name(number)):
            if one.verdict is not Verdict.ACTIVE:
                cells.setdefault(one.verdict, set()).add((number, one.arch))
    return {verdict: frozenset(some) for verdict, some in cells.items()}


def shares(verdicts: Verdicts) -> Iterator[HostShare]:
    """What all tests show of machines, as Triage reads it."""
    for number in range(TESTS):
        yield from shares_of(row for one in verdicts.of(name(number)) for row in one.seen)


def test_the_machine_is_named_and_without_it_there_is_what_was_planted(matrix: Matrix, results: Results) -> None:
    before = Verdicts(matrix, results, Policy())
    assert [one.host for one in suspects(shares(before))] == ["host-5"]
    # With the bad machine, most tests look flaky, although they are not.
    assert len(found(before)[Verdict.FLAKY]) > 50
    verdicts = Verdicts(matrix, results.without(["host-5"]), Policy())
    assert suspects(shares(verdicts)) == ()
    assert found(verdicts) == {
        Verdict.REGRESSED: REGRESSED,
        Verdict.FLAKY: FLAKY,
        Verdict.DRIFTED: DRIFTED,
        Verdict.PCC_TIGHT: SANK,
    }


def test_since_when_and_what_broke_with_it(matrix: Matrix, results: Results) -> None:
    alone = results.without(["host-5"])
    verdicts = Verdicts(matrix, alone, Policy())
    for number, arch in REGRESSED:
        (course,) = courses_of({arch: verdicts.series(name(number))[arch]})
        assert course.first_bad is not None and course.first_bad.run == f"nightly-{BROKE}"
        turned = alone.turned_in(course.first_bad.run)
        assert broken_together(course.first_bad, turned) >= len(REGRESSED) - 1
        assert {(id, one) for id, one, passes in turned if not passes} - _named(FLAKY) == _named(REGRESSED)


@pytest.mark.parametrize("by", ["a person", "the policy"])
def test_queries_ask_for_them(matrix: Matrix, results: Results, by: str) -> None:
    if by == "the policy":
        facts = Verdicts(matrix, results, Policy(ignored_hosts=("host-5",))).facts()
    else:
        facts = Verdicts(matrix, results.without(["host-5"]), Policy()).facts()
    day = datetime.fromtimestamp(_FIRST + BROKE * _DAY, UTC).date()

    def ids(text: str, arch: str) -> set[str]:
        return {matrix.ids[row] for row in select(matrix, Query.parse(text), arch, {"runs": facts})}

    for arch in ARCHS:
        assert ids("flaky:>0.2", arch) == {name(number) for number, one in FLAKY if one == arch}
        broke = ids(f"first_bad:{day} !flaky:>0.2", arch)
        assert broke == {name(number) for number, one in REGRESSED if one == arch}
        assert ids("verdict:drifted", arch) == {name(number) for number, one in DRIFTED if one == arch}


def test_what_failed_on_a_machine_is_asked_for_by_its_name(matrix: Matrix, results: Results) -> None:
    failed = {
        (one.test_id, one.arch, one.host)
        for one in results.all()
        if one.ending in RAN and one.ending is not Ending.PASSED and one.when >= _FIRST + (NIGHTS - 1 - 28) * _DAY
    }
    # Even if the policy ignores a machine, its failures are shown.
    verdicts = Verdicts(matrix, results, Policy(ignored_hosts=("host-5",)))
    found = verdicts.failed_on
    assert {(id, arch, host) for id in found for arch, hosts in found[id].items() for host in hosts} == failed
    rows = select(matrix, Query.parse("failed_on:host-5"), learned={"runs": verdicts.facts()})
    assert {matrix.ids[row] for row in rows} == {id for id, _, host in failed if host == "host-5"} != set()


def _named(cells: Cells) -> set[tuple[str, str]]:
    return {(name(number), arch) for number, arch in cells}
