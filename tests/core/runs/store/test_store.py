# SPDX-License-Identifier: Apache-2.0
"""core.runs.store.store: directories are the truth, and a broken one does not affect others."""

import fcntl
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError, UsageError
from core.base.processes import ProcessIdentity, own_identity, this_host
from core.runs import Outcome, RunSpec
from core.runs.store import Finished, Queued, RunState, RunStore, Started, Ticket, append_event, events_file, read_spec
from core.runs.store.events import Event
from tests.core.runs.conftest import MakeSpec


def test_a_new_run_is_complete_and_waits(store: RunStore, make_spec: MakeSpec) -> None:
    spec = make_spec()
    directory = store.create(spec, "{}")
    assert sorted(path.name for path in directory.iterdir()) == ["events.jsonl", "provenance.json", "spec.json"]
    assert read_spec(directory) == spec
    store.queue.put([Ticket(spec.run_id)], {})
    record = store.record(spec.run_id)
    assert (record.state, record.directory, record.spec) == (RunState.QUEUED, directory, spec)


def test_a_run_whose_ticket_is_yet_to_come_waits(store: RunStore, make_spec: MakeSpec) -> None:
    spec, dead = make_spec(), make_spec(moment=1)
    store.create(dead, events=[Started(2.0, own_identity(), ())])
    with store.queue.filling():
        store.create(spec)
        others = [RunStore(store.root).record(run.run_id).state for run in (spec, dead)]
        assert others == [RunState.QUEUED, RunState.LOST]
        store.queue.put([Ticket(spec.run_id)], {})
    assert store.record(spec.run_id).state is RunState.QUEUED
    store.queue.remove(spec.run_id)
    # As if the process that added it had died before.
    assert store.record(spec.run_id).state is RunState.LOST


def test_those_who_look_whether_runs_are_added_are_not_in_each_others_way(store: RunStore) -> None:
    queue = store.queue
    assert not queue.is_filling()
    with queue.filling():
        assert queue.is_filling()
        assert queue.is_filling()
    with (queue.directory / "filling.lock").open() as another:
        fcntl.flock(another, fcntl.LOCK_SH)
        assert not queue.is_filling()


def test_a_run_that_is_over_already_is_created_as_such(store: RunStore, make_spec: MakeSpec) -> None:
    spec = make_spec()
    ends: list[Event] = [Started(2.0, own_identity(), ()), Finished(9.0, Outcome.PASS, 1.0, 0)]
    store.create(spec, log="µ\n", events=ends)
    record = store.record(spec.run_id)
    assert (record.outcome, record.log.read_text(encoding="utf-8")) == (Outcome.PASS, "µ\n")


def test_a_run_is_created_once(store: RunStore, make_spec: MakeSpec) -> None:
    spec = make_spec()
    store.create(spec)
    with pytest.raises(TTMatrixError, match=f"Cannot create run {spec.run_id}"):
        store.create(spec)
    assert [path.name for path in store.root.iterdir()] == [spec.run_id]


def test_records_come_newest_first(store: RunStore, make_spec: MakeSpec) -> None:
    assert store.records() == []
    specs = [make_spec(moment=moment) for moment in (2, 0, 1)]
    for spec in specs:
        store.create(spec)
    assert [record.spec for record in store.records()] == [specs[0], specs[2], specs[1]]


def test_broken_directories_are_problems_and_other_things_are_nothing(store: RunStore, make_spec: MakeSpec) -> None:
    good, bad, empty = (make_spec(moment=moment) for moment in range(3))
    store.create(good)
    (store.create(bad) / "spec.json").write_text("{")
    (store.root / empty.run_id).mkdir()
    store.queue.put([Ticket(good.run_id)], {})
    (store.root / "notes.txt").write_text("")
    records, problems = RunStore(store.root).scan()
    assert [record.spec for record in records] == [good]
    assert [problem.directory.name for problem in problems] == [empty.run_id, bad.run_id]
    assert "Cannot read" in problems[0].message
    assert "spec.json" in problems[1].message


def test_a_damaged_journal_keeps_what_can_be_read(store: RunStore, make_spec: MakeSpec) -> None:
    spec = make_spec()
    journal = events_file(store.create(spec))
    with journal.open("ab") as handle:
        handle.write(b"\xff\xfe{half a li")
    append_event(journal, Finished(9.0, Outcome.PASS, 1.0, 0))
    assert store.record(spec.run_id).outcome is Outcome.PASS


def test_a_unique_beginning_is_enough(store: RunStore, make_spec: MakeSpec) -> None:
    one, other = make_spec(token="aa" * 16), make_spec(token="bb" * 16)
    for spec in (one, other):
        store.create(spec)
    assert store.record(one.run_id[:-5]).spec == one
    with pytest.raises(UsageError, match="2 runs begin with"):
        store.record(one.run_id[:-6])
    with pytest.raises(UsageError, match=f"Closest: {one.run_id}"):
        store.record(one.run_id[:-1] + "x")
    for nothing in ("", "zzz"):
        with pytest.raises(UsageError, match="No run"):
            store.record(nothing)


def test_an_empty_store_says_so(store: RunStore) -> None:
    with pytest.raises(UsageError, match="There are no runs yet"):
        store.record("2026")


def started(store: RunStore, spec: RunSpec, supervisor: ProcessIdentity) -> None:
    append_event(events_file(store.create(spec)), Started(2.0, supervisor, ()))
    store.queue.put([Ticket(spec.run_id)], {})


def test_a_run_goes_on_as_long_as_its_supervisor_lives(store: RunStore, make_spec: MakeSpec) -> None:
    going, dead = make_spec(), make_spec()
    own = own_identity()
    started(store, going, own)
    started(store, dead, ProcessIdentity(own.pid, own.start_time - 60))
    assert store.record(going.run_id).state is RunState.RUNNING
    assert store.record(dead.run_id).state is RunState.LOST


def test_what_has_just_ended_is_not_lost_while_somebody_is_there_to_report_it(
    store: RunStore, make_spec: MakeSpec
) -> None:
    spec, own = make_spec(), own_identity()
    started(store, spec, ProcessIdentity(own.pid, own.start_time - 60))
    assert store.queue.leases.take(["scheduler"], own) is None
    assert store.record(spec.run_id).state is RunState.RUNNING


def test_a_run_on_another_machine_is_not_called_lost_from_here(store: RunStore, make_spec: MakeSpec) -> None:
    spec = make_spec()
    events_file(store.create(spec)).unlink()
    append_event(events_file(store.directory(spec.run_id)), Queued(2.0, "another-" + this_host(), "boot"))
    record = store.record(spec.run_id)
    assert (record.state, record.host) == (RunState.QUEUED, "another-" + this_host())


def test_an_end_that_was_reported_between_two_looks_counts(
    store: RunStore, make_spec: MakeSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = make_spec()
    started(store, spec, own_identity())
    journal = events_file(store.directory(spec.run_id))

    def ends_meanwhile(_: ProcessIdentity) -> bool:
        append_event(journal, Finished(9.0, Outcome.PASS, 1.0, 0))
        return False

    monkeypatch.setattr("core.runs.store.store.is_alive", ends_meanwhile)
    assert store.record(spec.run_id).outcome is Outcome.PASS


def test_a_forgotten_run_is_gone_for_every_store(store: RunStore, make_spec: MakeSpec) -> None:
    specs = [make_spec(moment=moment) for moment in range(2)]
    for spec in specs:
        append_event(events_file(store.create(spec)), Finished(9.0, Outcome.PASS, 1.0, 0))
    assert len(store.records()) == 2
    store.forget(specs[0].run_id)
    assert [record.spec for record in store.records()] == [specs[1]]
    assert [record.spec for record in RunStore(store.root).records()] == [specs[1]]
    with pytest.raises(TTMatrixError, match="Cannot remove"):
        store.forget(specs[0].run_id)


def test_a_store_that_cannot_be_written_is_an_error(tmp_path: Path, make_spec: MakeSpec) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TTMatrixError, match="Cannot create run"):
        RunStore(tmp_path / "file").create(make_spec())
    with pytest.raises(TTMatrixError, match="Cannot read"):
        RunStore(tmp_path / "file").records()
