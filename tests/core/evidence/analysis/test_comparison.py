# SPDX-License-Identifier: Apache-2.0
"""core.evidence.analysis.comparison: two runs compared."""

import pytest
from hypothesis import given, strategies as st

from core.base.errors import UsageError
from core.evidence import FAILURES, RAN, Ending, Observation, Results
from core.evidence.analysis import DifferenceKind, chosen_run, compare
from tests.support.evidence import observed

DRAM = "Out of Memory: Not enough space to allocate 12 B DRAM buffer"


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (observed(), observed(Ending.FAILED, "x"), DifferenceKind.NEW),
        (None, observed(Ending.CRASHED), DifferenceKind.NEW),
        (observed(Ending.NOT_RUN), observed(Ending.FAILED, "x"), DifferenceKind.NEW),
        (observed(Ending.FAILED, DRAM), observed(Ending.FAILED, DRAM.replace("12", "99")), DifferenceKind.PERSISTING),
        (observed(Ending.FAILED, DRAM), observed(Ending.FAILED, ""), DifferenceKind.PERSISTING),
        (observed(Ending.FAILED, DRAM), observed(Ending.FAILED, "TypeError: x"), DifferenceKind.REASON),
        (observed(Ending.FAILED, DRAM), observed(Ending.CRASHED, DRAM), DifferenceKind.REASON),
        (
            observed(Ending.FAILED, "TypeError: x"),
            observed(Ending.FAILED, DRAM, raised="TypeError: x"),
            DifferenceKind.PERSISTING,
        ),
        (observed(Ending.HUNG), observed(Ending.SLOW), DifferenceKind.REASON),
        (observed(Ending.INACCURATE), observed(), DifferenceKind.FIXED),
        (observed(), None, DifferenceKind.NOT_RUN),
        (observed(Ending.FAILED), observed(Ending.BROKEN), DifferenceKind.NOT_RUN),
        (observed(), observed(), None),
        (None, observed(), None),
        (observed(Ending.NOT_RUN), None, None),
    ],
)
def test_what_happened_to_a_cell(
    before: Observation | None, after: Observation | None, kind: DifferenceKind | None
) -> None:
    found = compare([before] if before else [], [after] if after else [])
    assert [one.kind for one in found.differences] == ([kind] if kind else [])


_RUN = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from(Ending)).map(
    lambda run: [observed(ending, "x", test_id=id) for id, ending in run.items()]
)


@given(_RUN, _RUN)
def test_every_cell_with_a_result_is_counted_once(before: list[Observation], after: list[Observation]) -> None:
    found = compare(before, after)
    old, new = ({row.test_id: row.ending for row in rows if row.ending in RAN} for rows in (before, after))
    passes_anew = sum(id not in old and ending not in FAILURES for id, ending in new.items())
    assert len(found.differences) + found.passing + passes_anew == len(old.keys() | new.keys())
    assert sum(found.counts.values()) == len(found.differences)


@given(_RUN)
def test_a_run_differs_from_itself_in_nothing(run: list[Observation]) -> None:
    assert {one.kind for one in compare(run, run).differences} <= {DifferenceKind.PERSISTING}


def test_what_is_new_comes_first() -> None:
    before = [observed(Ending.FAILED, "x", test_id="a"), observed(test_id="b")]
    after = [observed(Ending.FAILED, "x", test_id="a"), observed(Ending.FAILED, "x", test_id="b")]
    assert [one.id for one in compare(before, after).differences] == ["b", "a"]


def test_runs_by_name() -> None:
    rows = [observed(run="nightly-1", when=1.0), observed(run="nightly-2", when=2.0), observed(run="weekly", when=1.5)]
    runs = Results(rows).runs()
    assert runs == ("nightly-2", "weekly", "nightly-1")
    assert chosen_run("nightly-1", runs) == "nightly-1"
    assert chosen_run("week", runs) == "weekly"
    for name, words in (("night", "2 runs"), ("x", "no run")):
        with pytest.raises(UsageError, match=words):
            chosen_run(name, runs)
