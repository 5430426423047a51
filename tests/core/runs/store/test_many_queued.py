# SPDX-License-Identifier: Apache-2.0
"""core.runs.store: thousands of queued runs are listed without reading their files, and do not delay other questions."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from core.runs import Outcome, RunSpec
from core.runs.execution import cancel_all, launch as launching, launch_all
from core.runs.execution.scheduler import Scheduler
from core.runs.store import (
    Finished,
    Queue,
    Returned,
    RunState,
    RunStore,
    Ticket,
    append_event,
    events_file,
    queue,
    store as runs_store,
)
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


def test_runs_of_any_program_are_known_to_the_next_one(
    store: RunStore,
    make_spec: MakeSpec,
    no_file_is_read: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runs_store, "_PORTION", MANY // 5)
    specs = [make_spec(moment=moment) for moment in range(MANY)]
    with store.queue.filling():
        for spec in specs:
            store.create(spec)
        store.queue.put([Ticket(spec.run_id, held=True) for spec in specs], {})
    RunStore(store.root).queue.tickets()
    no_file_is_read()
    assert {record.spec.run_id for record in RunStore(store.root).records()} == {spec.run_id for spec in specs}


def test_what_was_read_until_the_process_was_killed_is_not_read_again(
    held: list[str], store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = runs_store.read_spec
    names: list[str] = []

    def counted(directory: Path) -> RunSpec:
        names.append(directory.name)
        if len(names) == MANY // 2:
            raise KeyboardInterrupt
        return read(directory)

    monkeypatch.setattr(runs_store, "read_spec", counted)
    monkeypatch.setattr(runs_store, "_PORTION", 25)
    with pytest.raises(KeyboardInterrupt):
        RunStore(store.root).records()
    before = len(names)
    assert len(RunStore(store.root).records()) == MANY
    assert len(names) - before <= MANY - before + 25


def test_a_queue_that_has_not_changed_is_not_looked_through(
    held: list[str], store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.utime(store.queue.directory, ns=(1, 1))
    assert [ticket.run_id for ticket in RunStore(store.root).queue.tickets()] == held
    with monkeypatch.context() as patched:
        patched.setattr(Queue, "_looked_through", None)
        assert [ticket.run_id for ticket in RunStore(store.root).queue.tickets()] == held
    store.queue.remove(held[0])
    assert [ticket.run_id for ticket in RunStore(store.root).queue.tickets()] == held[1:]


def test_a_run_that_has_ended_needs_no_look_at_the_queue(
    held: list[str], store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    append_event(events_file(store.directory(held[0])), Finished(2.0, Outcome.CANCELLED))
    monkeypatch.setattr(Queue, "tickets", None)
    assert RunStore(store.root).record(held[0]).outcome is Outcome.CANCELLED


def test_a_waiting_run_is_ended_without_a_scheduler(
    held: list[str], store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> NoReturn:
        raise AssertionError("a scheduler was started")

    monkeypatch.setattr(launching, "spawn_detached", fail)
    (record,) = cancel_all(store, held[3:4])
    assert (record.outcome, record.summary) == (Outcome.CANCELLED, "cancelled")
    assert not store.queue.has(held[3])
    assert not store.queue.cancelled()
    assert not store.queue.served
    # Those that others queued meanwhile are served.
    store.queue.hold(held[5], False)
    with pytest.raises(AssertionError, match="a scheduler was started"):
        cancel_all(store, held[4:5])


def test_what_is_cancelled_ends_at_once_however_rarely_the_queue_is_read(held: list[str], store: RunStore) -> None:
    scheduler = Scheduler(store)
    scheduler.look_at_queue()
    scheduler._queue_pause = 3600.0
    store.queue.cancel(held[-1])
    scheduler.look_at_queue()
    scheduler.report()
    assert store.record(held[-1]).outcome is Outcome.CANCELLED


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
