# SPDX-License-Identifier: Apache-2.0
"""The history of a matrix's entries, cached between starts."""

from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.history import History, commits as entry_changes, read_history
from core.matrix import index
from core.matrix.cache import Cache
from core.sources import Checkout
from tests.support.commits import FILE, OTHER, State, commit_states, entries, entry_id
from tests.support.tree import LOADERS, write_checkout

TINY = entry_id("alpha_tiny")
STATES = [
    State({"constants.py": ""}),
    State({FILE: entries(alpha_Tiny="EXPECTED_PASSING", beta_gone="EXPECTED_PASSING")}),
    State({FILE: entries(alpha_Tiny="EXPECTED_PASSING")}),
    State({FILE: entries(alpha_tiny="NOT_SUPPORTED_SKIP"), OTHER: entries(alpha_tiny="EXPECTED_PASSING")}),
]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    commit_states(tmp_path, STATES)
    return write_checkout(tmp_path, LOADERS, {})


def history_of(checkout: Checkout, cache: Path) -> History:
    return read_history(Cache(checkout, cache), index(checkout))


def test_entries_that_have_an_id_or_had_it(checkout: Checkout, tmp_path: Path) -> None:
    history = history_of(checkout, tmp_path / "cache")
    first, second = history.of(TINY)
    assert {one.location and one.location.file for one in (first, second)} == {FILE, OTHER}
    assert [one.location and one.location.file for one in history.of(entry_id("alpha_Tiny"))] == [FILE]
    [gone] = history.of(entry_id("beta_gone"))
    assert gone.location is None
    assert history.of("nobody") == ()


def test_an_earlier_life_under_a_former_id_belongs_to_it(tmp_path: Path) -> None:
    name = {"alpha_Tiny": "EXPECTED_PASSING"}
    commit_states(
        tmp_path,
        [
            State({FILE: entries(**name)}),
            State({FILE: entries()}),
            State({FILE: entries(**name)}),
            State({FILE: entries(alpha_tiny="EXPECTED_PASSING")}),
        ],
    )
    now, before = history_of(write_checkout(tmp_path, LOADERS, {}), tmp_path / "cache").of(TINY)
    assert (now.location and now.location.id, before.location, before.ids) == (TINY, None, (entry_id("alpha_Tiny"),))


def test_of_an_id_in_two_files_the_entry_that_counts_is_the_last(checkout: Checkout, tmp_path: Path) -> None:
    [counting] = history_of(checkout, tmp_path / "cache").counting.values()
    assert counting.location is not None and counting.location.file == OTHER


def test_it_begins_with_the_first_entry(checkout: Checkout, tmp_path: Path) -> None:
    begins = history_of(checkout, tmp_path / "cache").begins
    assert begins is not None and begins.time == 86_400


def test_what_was_read_is_cached(checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = history_of(checkout, tmp_path / "cache")
    monkeypatch.setattr(entry_changes, "cut", None)
    second = history_of(checkout, tmp_path / "cache")
    assert second.committed == first.committed
    assert second.timelines == first.timelines
    with pytest.raises(TypeError):
        history_of(checkout, tmp_path / "elsewhere")


def test_what_is_not_committed_belongs_to_it(checkout: Checkout, tmp_path: Path) -> None:
    (checkout.test_config / FILE).write_text(entries(alpha_tiny="EXPECTED_PASSING"))
    (checkout.test_config / OTHER).write_text("test_config: [")
    history = history_of(checkout, tmp_path / "cache")
    [timeline] = (one for one in history.timelines if one.location and one.location.file == FILE)
    assert [step.commit is None for step in timeline.steps] == [True, False, False]
    assert [(one.commit, one.file) for one in history.skipped] == [("", OTHER)]


def test_without_git_there_is_none(tmp_path: Path) -> None:
    checkout = write_checkout(tmp_path, LOADERS, {FILE: entries(alpha_tiny="EXPECTED_PASSING")})
    with pytest.raises(TTMatrixError, match="git cannot read"):
        history_of(checkout, tmp_path / "cache")
