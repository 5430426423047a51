# SPDX-License-Identifier: Apache-2.0
"""core.evidence.series: where the behaviour of a cell changed, and the laws of cutting."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from core.domain.model import BringupStatus
from core.evidence import Ending, Observation, Series
from core.evidence.series import SAYS_WHERE, Course, flakiness_of, newest_start, series_of, turns
from core.evidence.store import EvidenceStore
from core.evidence.verdicts import MODEL_TESTS
from tests.support.evidence import report, seen

P = seen(pcc=0.9921)
HIGH = seen(pcc=0.9987)
NEAR = seen(pcc=0.9935)
LOW = seen(Ending.INACCURATE, pcc=0.936, reason="PCC comparison failed")
NAN = seen(Ending.INACCURATE, pcc=None, reason="nan")
OOM = seen(Ending.FAILED, reason="Out of Memory: Not enough space to allocate 1073741824 B DRAM buffer across 12 banks")
OTHER_OOM = replace(OOM, reason=OOM.reason.replace("1073741824", "512"))
FATAL = seen(Ending.FAILED, reason="TT_FATAL: unsupported data type for input tensor")
C = seen(Ending.CRASHED, signal=11)
S = seen(Ending.NOT_RUN)
B = seen(Ending.FLAKY)
EARLY = replace(OOM, stage=BringupStatus.FAILED_FE_COMPILATION)
LATE = replace(OOM, stage=BringupStatus.FAILED_RUNTIME)


def rows_of(word: str) -> list[Observation]:
    """The observations that a row of the table names, one a night."""
    return [replace(globals()[name], when=float(at), run=f"nightly-{at}") for at, name in enumerate(word.split())]


@pytest.mark.parametrize(
    ("rows", "lengths"),
    [
        ("P", [1]),
        ("P P P", [3]),
        ("P NEAR P", [3]),
        ("P P P LOW LOW", [3, 2]),
        ("LOW LOW HIGH", [2, 1]),
        # What comes and goes is one behaviour, also as a number.
        ("P LOW P", [3]),
        ("P NAN P", [3]),
        ("OOM OTHER_OOM OOM", [3]),
        ("OOM OOM FATAL", [2, 1]),
        ("OOM FATAL OOM", [3]),
        ("P P OOM OOM C", [2, 2, 1]),
        ("P S S OOM", [1, 1]),
        # Another stage is another behaviour, unless it is unknown.
        ("EARLY LATE LATE", [1, 2]),
        ("EARLY OOM EARLY", [3]),
        ("S S", []),
    ],
)
def test_the_table(rows: str, lengths: list[int]) -> None:
    assert [len(one.rows) for one in Series(rows_of(rows)).segments] == lengths


def test_what_a_segment_says() -> None:
    rows = [
        replace(row, host=f"host-{at % 2}", commit=f"c{at // 2}") for at, row in enumerate(rows_of("P P LOW LOW LOW"))
    ]
    before, after = Series(rows).segments
    assert (before.since, after.since) == ("nightly-0", "nightly-2")
    assert (before.pcc, after.pcc) == (0.9921, 0.936)
    assert after.hosts == {"host-0", "host-1"}
    assert after.commits == ("c1", "c2")
    assert before.behaviour == (Course.MEASURED, BringupStatus.PASSED, "", (0.9921, 0.9921))
    assert after.behaviour.course is Course.MEASURED and after.behaviour.level == (0.936, 0.936)
    assert after.behaviour.cause, "the signature of its failure"


nights = st.lists(st.sampled_from([P, HIGH, NEAR, LOW, NAN, OOM, OTHER_OOM, FATAL, EARLY, LATE, C, S, B]), max_size=16)


def placed(rows: list[Observation]) -> list[Observation]:
    return [replace(row, when=float(at), run=str(at)) for at, row in enumerate(rows)]


@given(nights)
def test_segments_have_every_result_that_says_something_once_and_in_order(rows: list[Observation]) -> None:
    found = Series(placed(rows)).segments
    assert [row for one in found for row in one.rows] == [
        row for row in placed(rows) if row.ending is not Ending.NOT_RUN
    ]
    assert all(one.rows for one in found)


@given(nights.filter(lambda rows: any(row is not S for row in rows)))
def test_a_result_more_that_agrees_changes_no_segment(rows: list[Observation]) -> None:
    known = placed(rows)
    last = Series(known).segments[-1].rows[-1]
    more = replace(last, when=99.0, run="more")
    before, after = Series(known).segments, Series([*known, more]).segments
    assert after[:-1] == before[:-1]
    assert after[-1].rows == (*before[-1].rows, more)


@given(nights.filter(lambda rows: all(row is not S for row in rows) and bool(rows)))
def test_the_newest_start_is_that_of_the_last_segment(rows: list[Observation]) -> None:
    known = placed(rows)
    one = Series(known)
    assert one.newest == one.segments[-1]
    assert len(known) - newest_start(known) == len(one.segments[-1].rows)


@given(nights, st.randoms(use_true_random=False))
def test_neither_the_order_of_adding_nor_what_comes_twice_matters(
    rows: list[Observation], chance: random.Random
) -> None:
    known = placed(rows)
    shuffled = [*known, *known]
    chance.shuffle(shuffled)
    one, other = Series(known), series_of(shuffled)
    assert one.segments == other.segments
    assert (one.turns, one.first_bad, one.flakiness) == (other.turns, other.first_bad, other.flakiness)


@given(nights.filter(lambda rows: any(row.ending in SAYS_WHERE for row in rows)))
def test_since_and_before_are_what_the_results_say(rows: list[Observation]) -> None:
    """Once more, result by result: every later one ends as the first of the spell, and the one before does not."""
    one, known = Series(placed(rows)), [row for row in placed(rows) if row.ending in SAYS_WHERE]
    passes = known[-1].ending is Ending.PASSED
    at = known.index(one.spell[0])
    assert one.spell == tuple(known[at:]) and all((row.ending is Ending.PASSED) is passes for row in one.spell)
    assert one.before == (known[at - 1] if at else None)
    assert one.before is None or (one.before.ending is Ending.PASSED) is not passes
    assert one.first_bad == (None if passes else one.spell[0])
    assert (one.turned is not None) == (len(one.spell) == 1 and one.before is not None)


@given(st.lists(st.booleans(), max_size=20))
def test_the_same_once_more_is_no_turn(passed: list[bool]) -> None:
    assert turns([*passed, *passed[-1:]]) == turns(passed)


@pytest.mark.slow("stores are made and read")
@given(st.lists(nights, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_what_sql_answers_for_all_cells_is_what_their_series_say(
    tmp_path_factory: pytest.TempPathFactory, cells: list[list[Observation]], chance: random.Random
) -> None:
    rows = [replace(row, test_id=f"t{number}") for number, some in enumerate(cells) for row in placed(some)]
    reports = [report(row, digest=f"{row.test_id} {row.run}", run=row.run) for row in rows]
    # In any order, and some of them twice.
    reports += chance.sample(reports, len(reports) // 2)
    chance.shuffle(reports)
    store = EvidenceStore(tmp_path_factory.mktemp("x") / "a.sqlite")
    for one in reports:
        store.add([one])
    series = {f"t{number}": Series(placed(some)) for number, some in enumerate(cells)}
    assert {one.test_id: one.first_bad for one in store.courses(MODEL_TESTS)} == {
        id: one.first_bad.when if one.first_bad else None for id, one in series.items() if one.rows
    }
    assert {one.test_id: flakiness_of(one.passed) for one in store.courses(MODEL_TESTS)} == {
        id: one.flakiness for id, one in series.items() if one.rows
    }
    turned = {
        (id, "n150", one.telling[at].ending is Ending.PASSED, one.telling[at].run)
        for id, one in series.items()
        for at in one.turns
    }
    assert {(*cell, run) for run in {row.run for row in rows} for cell in store.turned_in(run)} == turned


@pytest.mark.slow("stores are made and read")
@given(
    st.lists(
        st.tuples(st.sampled_from([seen(), OOM, FATAL, EARLY, LATE, C, B]), st.integers(1, 30)), min_size=1, max_size=6
    ),
    st.integers(1, 20),
)
def test_thinning_leaves_the_causes_and_where_they_began(
    tmp_path_factory: pytest.TempPathFactory, stretches: list[tuple[Observation, int]], newest: int
) -> None:
    """BackStack of numbers are those of what is left: a number between two levels may go with what repeats it."""
    rows = [row for one, nights in stretches for row in [one] * nights]
    known = [replace(row, when=at * 86_400.0, run=str(at)) for at, row in enumerate(rows, 1)]
    store = EvidenceStore(tmp_path_factory.mktemp("x") / "a.sqlite")
    store.add([report(row, digest=row.run, run=row.run) for row in known])
    store.thin(len(rows) * 86_400.0, newest, write=True)
    before, after = Series(known), Series(store.observations())
    assert [one.since for one in after.segments] == [one.since for one in before.segments]
    assert [one.behaviour for one in after.segments] == [one.behaviour for one in before.segments]
    assert (after.first_bad, after.before, len(after.turns)) == (before.first_bad, before.before, len(before.turns))
