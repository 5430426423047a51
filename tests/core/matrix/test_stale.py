# SPDX-License-Identifier: Apache-2.0
"""An entry is stale where its test passed on an arch on which the entry expects it not to."""

import pytest

from core.matrix.fields import needs, select
from core.matrix.index import Matrix, index
from core.matrix.learn import RUNS
from core.matrix.query import Query, QueryError
from core.matrix.stale import stale_facts
from tests.support.tree import sample

TINY, NET, ORG = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug", "org/name"))


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return index(sample(tmp_path_factory.mktemp("checkout")))


def _ids(matrix: Matrix, text: str, passed: set[tuple[str, str]]) -> set[str]:
    rows = select(matrix, Query.parse(text), learned={RUNS: stale_facts(matrix, passed)})
    return {matrix.ids[row] for row in rows}


def test_what_passed_where_it_should_not_is_stale(matrix: Matrix) -> None:
    assert matrix.status["n150"][matrix.rows[NET]] == "KNOWN_FAILURE_XFAIL"
    assert matrix.status["n300-llmbox"][matrix.rows[NET]] == "EXPECTED_PASSING"
    assert _ids(matrix, "is:stale", {(NET, "n150"), (TINY, "n150"), ("gone", "n150"), (ORG, "z9")}) == {NET}
    assert _ids(matrix, "is:stale", {(NET, "n300-llmbox")}) == set()
    assert _ids(matrix, "has:entry is:stale,stray !is:known", {(NET, "n150")}) == _ids(matrix, "is:stray", set())
    assert _ids(matrix, "is:mixed,stale", {(ORG, "n150")}) == {NET, ORG}


def test_only_stale_needs_the_runs(matrix: Matrix) -> None:
    assert needs(Query.parse("is:stray or is:mixed")) == ()
    assert needs(Query.parse("!is:stale")) == (RUNS,)
    with pytest.raises(QueryError, match="'stael'"):
        select(matrix, Query.parse("is:stael"))
