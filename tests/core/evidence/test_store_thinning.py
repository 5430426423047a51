# SPDX-License-Identifier: Apache-2.0
"""core.evidence.store_thinning: what a history says stays, with fewer rows."""

from itertools import groupby, pairwise

import pytest
from hypothesis import given, settings, strategies as st

from core.evidence.analysis.since import flakiness
from core.evidence.observation import Ending, Observation
from core.evidence.store import EvidenceStore
from core.evidence.store_thinning import NEWEST
from tests.support.evidence import report, seen

_DAY = 86_400.0


def changes(rows: list[Observation]) -> list[tuple[Ending, str, str]]:
    """Each stretch of one ending, with its first and its last run."""
    stretches = ([*some] for _, some in groupby(rows, key=lambda one: one.ending))
    return [(some[0].ending, some[0].run, some[-1].run) for some in stretches]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from((Ending.PASSED, Ending.FAILED)), st.integers(1, 40)), max_size=8))
def test_every_change_of_outcome_stays(tmp_path_factory: pytest.TempPathFactory, stretches: list) -> None:  # type: ignore[type-arg]
    endings = [ending for ending, length in stretches for _ in range(length)]
    rows = [seen(ending, when=at * _DAY, run=f"n{at}") for at, ending in enumerate(endings)]
    store = EvidenceStore(tmp_path_factory.mktemp("x") / "a.sqlite")
    store.add([report(row, digest=row.run, run=row.run) for row in rows])
    runs, turned = store.runs(), {row.run: store.turned_in(row.run) for row in rows}
    gone = store.thin(len(rows) * _DAY, write=True)
    left = store.observations()
    assert len(left) == len(rows) - gone
    assert changes(left) == changes(rows)
    assert left[-NEWEST:] == rows[-NEWEST:]
    assert flakiness(left) == flakiness(rows)
    assert {row.run: store.turned_in(row.run) for row in left} == {row.run: turned[row.run] for row in left}
    assert store.runs().items() <= runs.items()
    # Nothing is further from its neighbour than a week and a day, unless it was before.
    assert all(after.when - before.when <= 8 * _DAY for before, after in pairwise(left))
    assert store.thin(len(rows) * _DAY, write=True) == 0
