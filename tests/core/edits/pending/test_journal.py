# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.pending.journal."""

import errno
import json
import os
import stat
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import core.edits.pending.journal as module
from core.base.locks import locked
from core.edits import Operation, OpKind
from core.edits.pending import Change, proposed
from core.edits.pending.events import JournalEvent, Marked, Redone, Stepped, Undone
from core.edits.pending.journal import Journal
from core.edits.pending.state import PendingState, apply
from tests.support.pending_states import PRESENT, happenings

ROOT = Path("/some/checkout")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home" / "journal.jsonl"


def change(value: str) -> Change:
    return proposed([Operation(OpKind.SET, "a", None, ("status",), value)], "", PRESENT)


def propose(journal: Journal, *values: str) -> None:
    for value in values:
        journal.record(lambda state, value=value: Stepped(state.pending.proposal(change(value))))  # type: ignore[misc]


def values(journal: Journal) -> list[object]:
    return [one.ops[0].value for one in journal.state.pending.changes]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(happenings, st.booleans()), max_size=10))
def test_a_restart_at_any_point_finds_what_was_there(
    script: list[tuple[Callable[[PendingState], JournalEvent], bool]],
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        journal, live = Journal(Path(directory) / "j", ROOT), PendingState()
        for happening, restart in script:
            live = apply(live, happening(live))
            journal.record(happening)
            assert journal.state == live
            if restart:
                journal = Journal(Path(directory) / "j", ROOT)
                assert journal.state == live
                assert (journal.notices, journal.problem) == ([], None)


def test_an_event_is_on_the_disk_before_it_shows(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(file, ROOT)
    seen: list[tuple[int, list[object]]] = []

    def fsync(descriptor: int) -> None:
        seen.append((len(file.read_bytes().splitlines()), values(journal)))

    lines = len(file.read_bytes().splitlines())
    monkeypatch.setattr(os, "fsync", fsync)
    propose(journal, "X")
    assert seen == [(lines + 1, [])]
    assert values(journal) == ["X"]
    journal.record(lambda _: Marked(frozenset("a")), durable=False)
    assert len(seen) == 1


def test_nobody_else_may_read_it(file: Path) -> None:
    propose(Journal(file, ROOT), "X")
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert json.loads(file.read_text().splitlines()[0])["checkout"] == str(ROOT)


def test_two_instances_share_it(file: Path) -> None:
    one, other = Journal(file, ROOT), Journal(file, ROOT)
    propose(one, "X")
    propose(other, "Y")
    assert values(other) == ["X", "Y"]
    assert values(one) == ["X"]
    assert one.catch_up()
    assert not one.catch_up()
    assert one.state == other.state
    one.record(lambda _: Undone())
    other.record(lambda _: Redone())
    assert values(other) == ["X", "Y"]


def test_what_asks_for_nothing_adds_nothing(file: Path) -> None:
    journal = Journal(file, ROOT)
    before = file.read_bytes()
    assert journal.record(lambda _: None) is None
    assert file.read_bytes() == before
    propose(journal, "X")
    assert values(journal) == ["X"]


@pytest.mark.parametrize("kept", [1, 7, -2])
def test_a_torn_last_line_is_cut_off_and_nothing_else_is_lost(file: Path, kept: int) -> None:
    propose(Journal(file, ROOT), "X", "Y", "Z")
    *head, last = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(head) + last[:kept])
    journal = Journal(file, ROOT)
    assert values(journal) == ["X", "Y"]
    assert [notice for notice in journal.notices if "cut off" in notice] == journal.notices != []
    propose(journal, "W")
    again = Journal(file, ROOT)
    assert values(again) == ["X", "Y", "W"]
    assert again.notices == []


def test_a_line_torn_by_another_instance_is_cut_off_under_the_lock(file: Path) -> None:
    journal = Journal(file, ROOT)
    propose(journal, "X")
    with file.open("ab") as handle:
        handle.write(b'{"event":"st')
    propose(journal, "Y")
    assert values(Journal(file, ROOT)) == ["X", "Y"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"\x00" * 40, "its first line is cut off"),
        (b"", "its first line is cut off"),
        (b"garbage\n\xff\xfe\n", "it cannot be read"),
        (b'{"format":"ttmatrix-journal","version":2,"checkout":"/x"}\n{"event":"new"}\ntorn', "it is of version 2"),
    ],
)
def test_a_journal_that_is_none_of_ours_is_set_aside_as_it_is(file: Path, content: bytes, why: str) -> None:
    file.parent.mkdir()
    for number in (1, 2):
        file.write_bytes(content)
        journal = Journal(file, ROOT)
        aside = file.with_suffix(f".set-aside-{number}")
        assert aside.read_bytes() == content
        assert len(journal.notices) == 1
        assert why in journal.notices[0]
        assert str(aside) in journal.notices[0]
        propose(journal, "X")
        assert values(Journal(file, ROOT)) == ["X"]


def test_a_damaged_line_sets_it_aside_and_what_came_before_is_gone_on_with(file: Path) -> None:
    propose(Journal(file, ROOT), "X", "Y", "Z")
    lines = file.read_bytes().splitlines(keepends=True)
    lines[-2] = lines[-2].replace(b"step", b"s\x00ep")
    file.write_bytes(b"".join(lines))
    journal = Journal(file, ROOT)
    assert values(journal) == ["X"]
    assert "cannot be understood" in journal.notices[0]
    assert file.with_suffix(".set-aside-1").read_bytes() == b"".join(lines)
    assert values(Journal(file, ROOT)) == ["X"]


def test_a_home_that_cannot_be_written_is_reported_and_work_goes_on(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("in the way")
    journal = Journal(tmp_path / "home" / "journal.jsonl", ROOT)
    assert "cannot be saved" in str(journal.problem)
    propose(journal, "X", "Y")
    assert values(journal) == ["X", "Y"]
    assert not journal.catch_up()
    (tmp_path / "home").unlink()
    propose(journal, "Z")
    assert journal.problem is None
    assert values(Journal(tmp_path / "home" / "journal.jsonl", ROOT)) == ["X", "Y", "Z"]


def test_a_full_disk_tears_nothing_and_what_waited_is_saved_later(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal, other = Journal(file, ROOT), Journal(file, ROOT)
    propose(journal, "X")
    before = file.read_bytes()
    write = os.write

    def full(descriptor: int, data: bytes) -> int:
        if len(data) < 20:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data[:20])

    with monkeypatch.context() as patched:
        patched.setattr(
            os, "write", lambda descriptor, data: full(descriptor, data) if len(data) > 30 else full(descriptor, b"")
        )
        propose(journal, "Y")
    assert values(journal) == ["X", "Y"]
    assert "No space left" in str(journal.problem)
    assert file.read_bytes() == before
    propose(other, "Z")
    propose(journal, "W")
    assert journal.problem is None
    assert values(journal) == ["X", "Z", "Y", "W"]
    assert Journal(file, ROOT).state == journal.state


def test_a_lock_that_is_not_given_back_stops_nobody(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(file, ROOT)
    monkeypatch.setattr(module, "_LOCK_SECONDS", 0)
    with locked(file.with_suffix(".lock"), "sleeping", wait=0):
        propose(journal, "X")
        assert "sleeping" in str(journal.problem)
    propose(journal, "Y")
    assert values(Journal(file, ROOT)) == ["X", "Y"]


def test_who_does_not_want_to_wait_is_not_made_to_and_nothing_is_lost(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Longer than a test may take.
    monkeypatch.setattr(module, "_LOCK_SECONDS", 3600)
    monkeypatch.setattr(Journal.flush, "__defaults__", (3600,))
    journal = Journal(file, ROOT, wait=0)
    with locked(file.with_suffix(".lock"), "keeping a change", wait=0):
        propose(journal, "X", "Y")
        assert values(journal) == ["X", "Y"]
        assert not journal.catch_up()
        # A short wait need not be reported.
        assert journal.problem is None
    assert journal.catch_up()
    assert values(Journal(file, ROOT)) == ["X", "Y"]
    assert not journal.catch_up()


def test_what_waits_can_be_waited_for(file: Path) -> None:
    journal = Journal(file, ROOT, wait=0)
    with locked(file.with_suffix(".lock"), "keeping a change", wait=0):
        propose(journal, "X")
        journal.flush(0.05)
        flushing = threading.Thread(target=journal.flush, args=(30,))
        flushing.start()
    flushing.join()
    assert values(Journal(file, ROOT)) == ["X"]


def test_a_long_journal_is_written_anew_and_the_others_find_it(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_COMPACT_FROM", 1000)
    journal, other = Journal(file, ROOT), Journal(file, ROOT)
    propose(journal, "X")
    largest = 0
    for _ in range(40):
        journal.record(lambda _: Undone())
        journal.record(lambda _: Redone())
        largest = max(largest, file.stat().st_size)
    assert len(file.read_bytes().splitlines()) < 40
    assert other.catch_up()
    assert other.state == journal.state == Journal(file, ROOT).state
    assert largest < 4000


def test_a_journal_that_somebody_removes_is_begun_again_with_all_there_is(file: Path) -> None:
    journal = Journal(file, ROOT)
    propose(journal, "X")
    file.unlink()
    propose(journal, "Y")
    assert values(Journal(file, ROOT)) == ["X", "Y"]
