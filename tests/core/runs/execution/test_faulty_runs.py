# SPDX-License-Identifier: Apache-2.0
"""core.runs.execution.scheduler: a run with something that nobody expected is an error by itself; the queue goes on."""

import os
from dataclasses import replace

import pytest

from core.base.processes import own_identity
from core.runs import Outcome, RunSpec, TreeReader
from core.runs.execution import launch_all, scheduler
from core.runs.execution.conclude import Remains, conclude
from core.runs.execution.scheduler import Scheduler
from core.runs.store import SERVICE, Finished, RunStore, Ticket, TreeState
from tests.core.runs.conftest import MakeSpec

pytestmark = pytest.mark.slow("runs are real processes")

PASSES = """report('"phases": [{"dtype": "bfloat16", "ok": true}]')"""


@pytest.fixture(autouse=True)
def _scheduler_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process would not know what these tests replace."""
    monkeypatch.setattr("core.runs.execution.launch.tend", lambda _: None)


def _serve(store: RunStore) -> None:
    """Serve the queue until it is empty. Without the lease, a scheduler ends after a second."""
    leases = store.queue.leases
    assert leases.take([SERVICE], own_identity()) is None
    Scheduler(store).serve()
    leases.release(own_identity())


def test_a_run_whose_end_cannot_be_judged_is_in_nobodys_way(
    store: RunStore, make_spec: MakeSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd, fine = make_spec("print(1)"), make_spec(PASSES)

    def judge(remains: Remains) -> Finished:
        if remains.spec.run_id == odd.run_id:
            raise ValueError("no such number")
        return conclude(remains)

    monkeypatch.setattr("core.runs.execution.scheduler.conclude", judge)
    launch_all(store, [odd, fine])
    _serve(store)
    ends = {spec.run_id: store.record(spec.run_id) for spec in (odd, fine)}
    assert ends[fine.run_id].outcome is Outcome.PASS
    assert ends[odd.run_id].outcome is Outcome.ERROR
    assert "its end cannot be judged: ValueError('no such number')" in ends[odd.run_id].summary


def test_a_checkout_that_cannot_be_read_is_an_error_of_its_run_alone(
    store: RunStore, make_spec: MakeSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd, fine = make_spec(PASSES), make_spec(PASSES)
    read = TreeReader.state_of

    def state_of(reader: TreeReader, spec: RunSpec) -> TreeState:
        if spec.run_id == odd.run_id:
            raise RecursionError("too deep")
        return read(reader, spec)

    monkeypatch.setattr(TreeReader, "state_of", state_of)
    launch_all(store, [odd, fine])
    _serve(store)
    assert store.record(fine.run_id).outcome is Outcome.PASS
    assert store.record(odd.run_id).outcome is Outcome.ERROR
    assert "The state of the checkout cannot be read: RecursionError('too deep')" in store.record(odd.run_id).summary


def test_who_sees_a_cancel_sees_what_was_changed_before_it(
    store: RunStore, make_spec: MakeSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, last = make_spec(PASSES), make_spec(PASSES)
    launch_all(store, [first, last])
    scheduler = Scheduler(store)
    queue, read = store.queue, store.queue.tickets

    def overtaken() -> list[Ticket]:
        found = read()
        queue.change(replace(next(one for one in found if one.run_id == last.run_id), priority=5))
        queue.cancel(first.run_id)
        return found

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(queue, "tickets", overtaken)
        scheduler.look_at_queue()
    assert not scheduler._ends
    scheduler._queue_looked = -60.0
    scheduler.look_at_queue()
    assert [*scheduler._ends] == [first.run_id]
    assert scheduler._tickets[last.run_id].priority == 5


def test_of_a_long_queue_a_part_at_a_time_is_read_and_nothing_is_left_out(
    store: RunStore, make_spec: MakeSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "_MOST_AT_ONCE", 2)
    monkeypatch.setattr(scheduler, "_IDLE_SECONDS", 0.1)
    specs = [make_spec(PASSES, moment=moment) for moment in range(7)]
    with store.queue.filling():
        for spec in specs:
            store.create(spec)
        store.queue.put([Ticket(spec.run_id, number) for number, spec in enumerate(specs)], dict(os.environ))
    store.queue.cancel(specs[-1].run_id)
    read: list[list[str]] = []
    take = Scheduler._take_in_more

    def taken(self: Scheduler, first: frozenset[str]) -> None:
        known = {*self._waiting}
        take(self, first)
        if new := [one for one in self._waiting if one not in known]:
            read.append(new)

    monkeypatch.setattr(Scheduler, "_take_in_more", taken)
    _serve(store)
    assert read[0] == [specs[-1].run_id, specs[0].run_id], "what is cancelled comes first"
    assert max(map(len, read)) == 2
    outcomes = [record.outcome for record in store.some(spec.run_id for spec in specs)]
    assert outcomes == [Outcome.PASS] * 6 + [Outcome.CANCELLED]
