# SPDX-License-Identifier: Apache-2.0
"""core.evidence.series: where the behaviour of a cell changed, and the laws of cutting."""

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from core.evidence.observation import Ending, Observation
from core.evidence.series import newest_start, segments
from tests.support.evidence import seen

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
        ("S S", []),
    ],
)
def test_the_table(rows: str, lengths: list[int]) -> None:
    assert [len(one.rows) for one in segments(rows_of(rows))] == lengths


def test_what_a_segment_says() -> None:
    rows = [
        replace(row, host=f"host-{at % 2}", commit=f"c{at // 2}") for at, row in enumerate(rows_of("P P LOW LOW LOW"))
    ]
    before, after = segments(rows)
    assert (before.since, after.since) == ("nightly-0", "nightly-2")
    assert (before.pcc, after.pcc) == (0.9921, 0.936)
    assert after.hosts == {"host-0", "host-1"}
    assert after.commits == ("c1", "c2")


nights = st.lists(st.sampled_from([P, HIGH, NEAR, LOW, NAN, OOM, OTHER_OOM, FATAL, C, S]), max_size=16)


def placed(rows: list[Observation]) -> list[Observation]:
    return [replace(row, when=float(at), run=str(at)) for at, row in enumerate(rows)]


@given(nights)
def test_segments_have_every_result_that_says_something_once_and_in_order(rows: list[Observation]) -> None:
    found = segments(placed(rows))
    assert [row for one in found for row in one.rows] == [
        row for row in placed(rows) if row.ending is not Ending.NOT_RUN
    ]
    assert all(one.rows for one in found)


@given(nights.filter(lambda rows: any(row is not S for row in rows)))
def test_a_result_more_that_agrees_changes_no_segment(rows: list[Observation]) -> None:
    known = placed(rows)
    last = segments(known)[-1].rows[-1]
    more = replace(last, when=99.0, run="more")
    before, after = segments(known), segments([*known, more])
    assert after[:-1] == before[:-1]
    assert after[-1].rows == (*before[-1].rows, more)


@given(nights.filter(lambda rows: all(row is not S for row in rows) and bool(rows)))
def test_the_newest_start_is_that_of_the_last_segment(rows: list[Observation]) -> None:
    known = placed(rows)
    assert len(known) - newest_start(known) == len(segments(known)[-1].rows)
