# SPDX-License-Identifier: Apache-2.0
"""core.runs.store: thousands of queued runs are listed without reading their files, and do not delay other questions."""

from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from core.runs.execution.launch import launch_all
from core.runs.outcome import Outcome
from core.runs.store import queue, store as runs_store
from core.runs.store.events import Finished, Returned, append_event
from core.runs.store.queue import Ticket
from core.runs.store.record import RunState
from core.runs.store.store import RunStore, events_file
from tests.core.runs.conftest import MakeSpec

MANY = 250


@pytest.fixture
def held(store: RunStore, make_spec: MakeSpec) -> list[str]:
    """The ids of many runs that are on hold, in the order of their turn."""
    specs = [make_spec(moment=moment) for moment in range(MANY)]
    with store.queue.filling():
        for spec in specs:
            store.create(spec)
        store.queue.put([Ticket(spec.run_id, number, held=True) for number, spec in enumerate(specs)], {})
    return [spec.run_id for spec in specs]


@pytest.fixture
def no_file_is_read(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes reading of the files of runs fail from then on."""

    def fail(*read: object) -> NoReturn:
        raise AssertionError(f"{read} was read")

    def forbid() -> None:
        monkeypatch.setattr(runs_store, "read_spec", fail)
        monkeypatch.setattr(runs_store, "read_events", fail)
        monkeypatch.setattr(queue, "_read_ticket", fail)

    return forbid


def test_what_one_process_read_no_other_reads_again(
    held: list[str], store: RunStore, no_file_is_read: Callable[[], None]
) -> None:
    known = store.records()
    no_file_is_read()
    other = RunStore(store.root)
    assert other.records() == known
    assert [record.spec.run_id for record in other.queued()] == held
    assert all(record.held and record.state is RunState.QUEUED for record in other.records())


def test_ended_runs_are_listed_without_the_queued_ones(
    held: list[str], store: RunStore, make_spec: MakeSpec, no_file_is_read: Callable[[], None]
) -> None:
    ended = make_spec(moment=MANY)
    store.create(ended, events=[Finished(2.0, Outcome.PASS)])
    store.ended()
    no_file_is_read()
    other = RunStore(store.root)
    assert [record.spec.run_id for record in other.ended()] == [ended.run_id]
    # It forgets nothing of the others.
    assert len(RunStore(store.root).ended()) == 1


def test_a_run_that_goes_on_is_read_again(held: list[str], store: RunStore) -> None:
    store.records()
    append_event(events_file(store.directory(held[0])), Finished(2.0, Outcome.CANCELLED))
    append_event(events_file(store.directory(held[1])), Returned(2.0, "box", "it is gone"))
    other = RunStore(store.root)
    found = {record.spec.run_id: record for record in other.records()}
    assert found[held[0]].outcome is Outcome.CANCELLED
    assert "it is gone" in found[held[1]].summary
    assert found[held[2]].state is RunState.QUEUED


def test_a_ticket_that_changes_is_read_again(held: list[str], store: RunStore) -> None:
    store.records()
    store.queue.hold(held[3], False)
    store.queue.put_first(held[-1])
    for one in (store, RunStore(store.root)):
        tickets = one.queue.tickets()
        assert tickets[0].run_id == held[-1]
        assert [ticket.run_id for ticket in tickets if not ticket.held] == [held[3]]


@pytest.mark.parametrize("damage", ["", "{", "\x81\xa1a"])
def test_a_damaged_cache_of_tickets_costs_only_time(held: list[str], store: RunStore, damage: str) -> None:
    store.records()
    cached = store.queue.directory / "cache" / "tickets"
    assert cached.is_file()
    cached.write_text(damage, encoding="latin-1")
    assert [ticket.run_id for ticket in RunStore(store.root).queue.tickets()] == held


def test_the_process_that_starts_many_saves_them_for_the_others(
    store: RunStore, make_spec: MakeSpec, no_file_is_read: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.runs.execution.launch.tend", lambda _: None)
    started = launch_all(store, [make_spec(moment=moment) for moment in range(MANY)])
    no_file_is_read()
    assert len(RunStore(store.root).records()) == len(started) == MANY


def test_a_changed_run_directory_is_gone_from_the_list(held: list[str], store: RunStore) -> None:
    store.records()
    store.forget(held[5])
    assert held[5] not in {record.spec.run_id for record in RunStore(store.root).records()}


def test_the_index_of_queued_runs_holds_none_that_has_ended(held: list[str], store: RunStore, tmp_path: Path) -> None:
    store.records()
    for run_id in held[:4]:
        append_event(events_file(store.directory(run_id)), Finished(2.0, Outcome.PASS))
        store.queue.remove(run_id)
    store.records()
    assert len(store._index.load_waiting()) == MANY - 4
