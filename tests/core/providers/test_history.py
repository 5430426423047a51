# SPDX-License-Identifier: Apache-2.0
"""Rows say how long the statuses of their entry have been there, and queries ask for it."""

from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.history import read_history
from core.matrix import Matrix, index
from core.matrix.cache import Cache
from core.matrix.query import Query, select
from core.providers import compute_columns, history_columns
from core.sources import find_checkout
from tests.support.commits import DAY, FILE, State, commit_states, entries, entry_id
from tests.support.tree import sample


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    root = sample(tmp_path / "tt-xla").root
    commit_states(
        root,
        [
            State({FILE: entries(alpha_tiny="EXPECTED_PASSING", alpha_old="EXPECTED_PASSING")}),
            State({FILE: entries(alpha_tiny="KNOWN_FAILURE_XFAIL", alpha_old="EXPECTED_PASSING")}),
            State({FILE: entries(alpha_tiny="EXPECTED_PASSING", alpha_old="EXPECTED_PASSING")}),
        ],
    )
    return Cache(find_checkout(root), tmp_path / "cache")


def _asked(cache: Cache, matrix: Matrix, text: str, now: float) -> set[str]:
    learned = {"history": history_columns(read_history(cache, matrix), now)}
    return {matrix.ids[row] for row in select(matrix, Query.parse(text), learned=learned)}


def test_age_and_flips_are_asked_for_as_numbers(cache: Cache) -> None:
    matrix = index(cache.checkout)
    newest = read_history(cache, matrix).committed.commits[0].time
    now = newest + 30 * DAY
    tiny, old = entry_id("alpha_tiny"), entry_id("alpha_old")
    assert _asked(cache, matrix, "age:>30d", now) == {old}
    assert _asked(cache, matrix, "age:30..33", now) == {tiny, old}
    assert _asked(cache, matrix, "age:1..5w", now) == {tiny, old}
    assert _asked(cache, matrix, "age:<1d", now) == {entry.id for entry in matrix.entries.values()} - {tiny, old}
    assert _asked(cache, matrix, "flips:>=2", now) == {tiny}
    assert _asked(cache, matrix, "has:entry age:none", now) == set()
    assert len(_asked(cache, matrix, "age:none", now)) == len(matrix.ids) - len(matrix.entries)


def test_without_git_it_is_said(tmp_path: Path) -> None:
    checkout = sample(tmp_path / "tt-xla")
    with pytest.raises(TTMatrixError):
        compute_columns(Cache(checkout, tmp_path / "cache"), index(checkout), ["history"])
