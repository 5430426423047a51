# SPDX-License-Identifier: Apache-2.0
"""core.evidence.store_retention: a history keeps its meaning with fewer rows."""

import sqlite3
from contextlib import closing
from itertools import groupby, pairwise
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.evidence import Ending, Observation, Results, Series, read_file, retain, write_file
from core.evidence.store import EvidenceStore
from core.evidence.verdicts import Policy, Verdicts
from core.evidence.verdicts.policy import RetentionPolicy
from core.matrix import Matrix, index
from tests.support.evidence import TEST_ID, observed, report, seen
from tests.support.tree import sample

_DAY = 86_400.0
NEWEST = 50


def changes(rows: list[Observation]) -> list[tuple[Ending, str, str]]:
    """Each stretch of equal endings, with its first and its last run."""
    stretches = ([*some] for _, some in groupby(rows, key=lambda one: one.ending))
    return [(some[0].ending, some[0].run, some[-1].run) for some in stretches]


@pytest.mark.slow("stores of many nights are made and read")
@given(st.lists(st.tuples(st.sampled_from((Ending.PASSED, Ending.FAILED)), st.integers(1, 40)), max_size=8))
def test_every_change_of_outcome_stays(tmp_path_factory: pytest.TempPathFactory, stretches: list) -> None:  # type: ignore[type-arg]
    endings = [ending for ending, length in stretches for _ in range(length)]
    rows = [seen(ending, when=at * _DAY, run=f"n{at}") for at, ending in enumerate(endings)]
    store = EvidenceStore(tmp_path_factory.mktemp("x") / "a.sqlite")
    store.add([report(row, digest=row.run, run=row.run) for row in rows])
    runs, turned = store.runs(), {row.run: store.turned_in(row.run) for row in rows}
    gone = store.thin(len(rows) * _DAY, NEWEST, write=True)
    left = store.observations()
    assert len(left) == len(rows) - gone
    assert changes(left) == changes(rows)
    assert left[-NEWEST:] == rows[-NEWEST:]
    assert Series(left).flakiness == Series(rows).flakiness
    assert {row.run: store.turned_in(row.run) for row in left} == {row.run: turned[row.run] for row in left}
    assert store.runs().items() <= runs.items()
    # No row is further from its neighbour than a week and a day, unless it was before.
    assert all(after.when - before.when <= 8 * _DAY for before, after in pairwise(left))
    assert store.thin(len(rows) * _DAY, NEWEST, write=True) == 0


_NUMBERS = st.lists(
    st.tuples(st.sampled_from([0.9 + at / 1000 for at in range(0, 100, 3)]), st.integers(1, 20), st.integers(0, 9)),
    max_size=6,
)


@pytest.mark.slow("stores of many nights are made and read")
@given(_NUMBERS)
def test_every_level_of_numbers_stays(
    tmp_path_factory: pytest.TempPathFactory, stretches: list[tuple[float, int, int]]
) -> None:
    """Numbers go up and down within a level, and drift: each level begins with the same result as before."""
    numbers = [round(pcc + at * 7 % 5 * more / 10_000, 5) for pcc, length, more in stretches for at in range(length)]
    rows = [seen(pcc=pcc, when=at * _DAY, run=f"n{at}") for at, pcc in enumerate(numbers)]
    store = EvidenceStore(tmp_path_factory.mktemp("x") / "a.sqlite")
    store.add([report(row, digest=row.run, run=row.run) for row in rows])
    store.thin(len(rows) * _DAY, 3, write=True)
    left = store.observations()
    levels = [[(one.since, one.behaviour.level) for one in Series(some).segments] for some in (left, rows)]
    assert levels[0] == levels[1]
    assert store.thin(len(rows) * _DAY, 3, write=True) == 0


def test_the_other_attempts_of_a_run_go_with_the_one_that_counts(tmp_path: Path) -> None:
    rows = [(at * _DAY, f"n{at}", "j", attempt) for at in range(30) for attempt in (1, 2)]
    # In the tenth night, another job ran the test too, and a second one with the same name did so at the second attempt.
    rows += [(9 * _DAY, "n9", "k", 1), (9 * _DAY, "n9", "k", 2), (14 * _DAY - 2, "n9", "j", 2)]
    store, other = EvidenceStore(tmp_path / "a.sqlite"), EvidenceStore(tmp_path / "b.sqlite")
    endings = {1: Ending.FAILED, 2: Ending.PASSED}
    store.add(
        report(seen(endings[attempt], when=when + attempt, run=run, job=job), digest=str(at), run=run, attempt=attempt)
        for at, (when, run, job, attempt) in enumerate(rows)
    )
    gone = store.thin(40 * _DAY, 3, write=True)
    left = store.observations()
    assert {one.ending for one in left} == {Ending.PASSED}
    assert [one.job for one in left if one.run == "n9"] == ["j"]
    assert store.stats().results == len(rows) - gone == 2 * len(left)
    write_file(tmp_path / "x.csv", store.reports())
    other.add_stored(read_file(tmp_path / "x.csv"))
    assert other.observations() == left
    assert store.thin(40 * _DAY, 3, write=True) == 0


def test_attempts_that_were_left_behind_go_later(tmp_path: Path) -> None:
    """Files that were thinned before have attempts without the one that counts."""
    store = EvidenceStore(tmp_path / "a.sqlite")
    store.add(report(seen(when=float(at)), digest=str(at), attempt=at) for at in (1, 2))
    with closing(sqlite3.connect(store.file)) as connection, connection:
        connection.execute("DELETE FROM results WHERE attempts > 0")
    assert store.thin(0.0, 3, write=True) == 1
    assert store.stats().results == 0


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return index(sample(tmp_path_factory.mktemp("checkout")))


_STRETCHES = st.lists(
    st.tuples(st.sampled_from(list(Ending)), st.integers(1, 60), st.sampled_from((None, 0.9, 0.98, 0.999))), max_size=6
)


@pytest.mark.slow("stores of many nights are made and read")
@given(
    _STRETCHES,
    _STRETCHES,
    st.builds(
        Policy,
        minimum_runs=st.integers(1, 6),
        window=st.integers(6, 90),
        retention=st.builds(RetentionPolicy, st.floats(1, 60), st.integers(1, 60)),
    ),
)
def test_no_verdict_changes_under_any_policy(
    tmp_path_factory: pytest.TempPathFactory,
    matrix: Matrix,
    one: list[tuple[Ending, int, float | None]],
    other: list[tuple[Ending, int, float | None]],
    policy: Policy,
) -> None:
    store = EvidenceStore(tmp_path_factory.mktemp("x") / "a.sqlite")
    reports = []
    for arch, stretches in (("n150", one), ("p150", other)):
        endings = [(ending, pcc) for ending, length, pcc in stretches for _ in range(length)]
        for at, (ending, pcc) in enumerate(endings):
            run = f"{arch}-{at}"
            row = observed(ending, test_id=TEST_ID, arch=arch, when=(at + 1) * _DAY, run=run, pcc=pcc)
            reports.append(report(row, digest=run, run=run))
    store.add(reports)
    before = _verdicts(matrix, store, policy)
    assert bool(before) == bool(reports)
    count = store.stats().results
    gone = retain(store, policy, 400 * _DAY)
    assert store.stats().results == count - gone
    assert _verdicts(matrix, store, policy) == before
    # Once a week at most.
    assert retain(store, policy, store.file.with_suffix(".thinned").stat().st_mtime + 60) == 0 if reports else gone == 0


def _verdicts(matrix: Matrix, store: EvidenceStore, policy: Policy) -> list[tuple[object, ...]]:
    found = Verdicts(matrix, Results((), store), policy).judged
    return [
        (id, one.arch, one.verdict, one.direction, one.required_pcc, one.since)
        for id, some in found.items()
        for one in some
    ]
