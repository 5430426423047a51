# SPDX-License-Identifier: Apache-2.0
"""How long an entry has had its status, and how often that changed."""

from pathlib import Path

from core.history import History, ages, flips, read_history
from core.matrix import index
from core.matrix.cache import Cache
from tests.support.commits import DAY, FILE, OTHER, State, commit_states, entry_id, yaml
from tests.support.tree import LOADERS, write_checkout

ID = entry_id("alpha_tiny")


def history_of(root: Path, *bodies: str, disk: str | None = None) -> History:
    """One entry with these states, one per day, the first on day 0."""
    commit_states(root, [State({FILE: yaml({ID: body})}) for body in bodies])
    checkout = write_checkout(root, LOADERS, {} if disk is None else {FILE: yaml({ID: disk})})
    return read_history(Cache(checkout, root / "cache"), index(checkout))


def test_days_since_the_status_was_set(tmp_path: Path) -> None:
    history = history_of(tmp_path, "status: A", "status: B", "status: B\nreason: x", "status: B\nreason: y")
    assert ages(history, 11.5 * DAY) == {ID: 10}
    assert flips(history) == {ID: 1}


def test_an_override_has_a_status_too(tmp_path: Path) -> None:
    override = "status: A\narch_overrides:\n  n150:\n    {}"
    bodies = (override.format(field) for field in ("reason: x", "status: B", "status: C"))
    history = history_of(tmp_path, "status: A", *bodies)
    assert (ages(history, 10 * DAY), flips(history)) == ({ID: 7}, {ID: 2})


def test_a_move_makes_nothing_young(tmp_path: Path) -> None:
    commit_states(tmp_path, [State({file: yaml({ID: "status: A"})}) for file in (FILE, OTHER)])
    checkout = write_checkout(tmp_path, LOADERS, {})
    history = read_history(Cache(checkout, tmp_path / "cache"), index(checkout))
    assert (ages(history, 3 * DAY), flips(history)) == ({ID: 3}, {ID: 0})


def test_a_status_that_is_not_committed_is_new(tmp_path: Path) -> None:
    history = history_of(tmp_path, "status: A", disk="status: B")
    assert (ages(history, 9 * DAY), flips(history)) == ({ID: 0}, {ID: 1})


def test_another_field_that_is_not_committed_changes_nothing(tmp_path: Path) -> None:
    history = history_of(tmp_path, "status: A", disk="status: A\nreason: x")
    assert (ages(history, 9 * DAY), flips(history)) == ({ID: 9}, {ID: 0})


def test_a_clock_that_is_behind_gives_no_negative_age(tmp_path: Path) -> None:
    assert ages(history_of(tmp_path, "status: A"), -DAY) == {ID: 0}
