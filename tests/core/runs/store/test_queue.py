# SPDX-License-Identifier: Apache-2.0
"""core.runs.store.queue: tickets in the order of their turn, changed by anybody at any time."""

import os
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from core.base.errors import TTMatrixError
from core.runs.store import Queue, Ticket
from core.runs.store.queue import moved

A, B, C = (Ticket(name, order) for order, name in enumerate("abc"))


@pytest.fixture
def queue(tmp_path: Path) -> Queue:
    return Queue(tmp_path / "queue")


def ids(queue: Queue) -> str:
    return "".join(ticket.run_id for ticket in queue.tickets())


def test_turns_follow_priority_then_order(queue: Queue) -> None:
    assert queue.tickets() == []
    queue.put([C, A, B], {})
    assert ids(queue) == "abc"
    queue.change(replace(C, priority=1))
    assert ids(queue) == "cab"
    queue.remove("a")
    queue.remove("a")
    assert (ids(queue), queue.names()) == ("cb", frozenset("bc"))


def test_another_queue_over_the_same_directory_sees_every_change(queue: Queue) -> None:
    other = Queue(queue.directory)
    before = other.changed()
    queue.put([A], {})
    assert other.changed() != before
    assert other.tickets()[0].run_id == "a"
    queue.change(replace(A, held=True))
    assert other.tickets()[0].held
    assert not other.has_work()
    queue.change(A)
    assert other.has_work()


def test_a_change_brings_no_ended_run_back(queue: Queue) -> None:
    queue.put([A], {})
    queue.remove("a")
    queue.change(replace(A, held=True))
    assert queue.tickets() == []


def test_a_wish_to_cancel_survives_every_change_of_the_ticket(queue: Queue) -> None:
    queue.put([A, B], {})
    queue.cancel("a")
    queue.change(replace(A, held=True))
    assert queue.cancelled() == {"a"}
    queue.remove("a")
    assert queue.cancelled() == set()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"order": "x"}', "\x00"])
def test_a_ticket_that_cannot_be_read_keeps_its_run_in_the_queue(queue: Queue, text: str) -> None:
    queue.put([A, B], {})
    (queue.directory / "a.json").write_text(text)
    assert ids(queue) == "ab"


def test_the_environment_is_stored_privately_and_not_for_long(queue: Queue) -> None:
    environ = {"TOKEN": "secret", "ODD": "\udce4"}
    queue.put([A], environ)
    (ticket,) = queue.tickets()
    assert queue.environment(ticket) == environ
    (file,) = (queue.directory / "environments").iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    queue.forget_environments()
    assert file.exists()
    queue.remove("a")
    queue.forget_environments()
    assert not file.exists()
    with pytest.raises(TTMatrixError, match="environment of a is lost"):
        queue.environment(ticket)


def test_an_environment_goes_once_the_runs_that_wait_for_it_have_started(queue: Queue) -> None:
    queue.put([A, B], {"HF_TOKEN": "secret"})
    (file,) = (queue.directory / "environments").iterdir()
    for ticket in queue.tickets():
        assert file.exists()
        queue.forget_environment(ticket)
        queue.forget_environments()
    assert not file.exists()
    assert ids(queue) == "ab"


def test_an_environment_is_private_from_its_first_byte(queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    modes = []
    real = os.open

    def opened(path: Any, flags: int, mode: int = 0o777, **more: Any) -> int:
        modes.append((str(path), mode))
        return real(path, flags, mode, **more)

    monkeypatch.setattr("os.open", opened)
    mask = os.umask(0)
    try:
        queue.put([A], {})
    finally:
        os.umask(mask)
    assert [mode for path, mode in modes if "environments/" in path] == [0o600]


def test_what_is_being_queued_is_waited_for_by_nobody_and_saved(queue: Queue) -> None:
    queue.put([], {})
    with queue._guard():
        queue.forget_environments()
        assert len(list((queue.directory / "environments").iterdir())) == 1


def test_what_a_kill_left_of_an_environment_goes_too(queue: Queue) -> None:
    queue.put([A], {})
    (ticket,) = queue.tickets()
    torn = queue.directory / f"environments/{ticket.environment}.4711"
    torn.write_text('{"HF_TOKEN": ')
    queue.forget_environments()
    assert [one.suffix for one in torn.parent.iterdir()] == [".json"]


tickets = st.lists(
    st.builds(Ticket, st.text("abcdef", min_size=1), st.floats(-9, 9), st.integers(-2, 2)),
    min_size=1,
    max_size=6,
    unique_by=(lambda ticket: ticket.run_id, lambda ticket: ticket.order),
).map(lambda found: sorted(found, key=lambda ticket: ticket.rank))


@given(tickets, st.data())
def test_a_moved_run_goes_right_before_the_other_and_the_rest_keep_their_order(
    before: list[Ticket], data: st.DataObject
) -> None:
    mine = data.draw(st.sampled_from(before)).run_id
    others = [ticket.run_id for ticket in before if ticket.run_id != mine]
    target = data.draw(st.sampled_from([*others, None]))
    changed = moved(before, mine, target)
    after = sorted((changed if ticket.run_id == mine else ticket for ticket in before), key=lambda ticket: ticket.rank)
    place = others.index(target) if target is not None else len(others)
    assert [ticket.run_id for ticket in after] == [*others[:place], mine, *others[place:]]


def test_a_directory_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    queue = Queue(tmp_path / "file" / "queue")
    with pytest.raises(TTMatrixError, match="Cannot queue"):
        queue.put([A], {})
    with pytest.raises(TTMatrixError, match="Cannot read"):
        queue.tickets()


@pytest.mark.parametrize("waiting", [[], [A, B]])
def test_a_run_that_has_left_the_queue_is_not_moved(queue: Queue, waiting: list[Ticket]) -> None:
    queue.put(waiting, {})
    queue.put_first("gone")
    queue.put_last("gone")
    assert ids(queue) == "".join(ticket.run_id for ticket in waiting)
