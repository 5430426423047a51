# SPDX-License-Identifier: Apache-2.0
"""core.workflows.session: the files on disk are the state, however a session was left."""

import json
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.workflows import WorkflowSession, sessions_directory
from core.workflows.requests import RunDevice
from core.workflows.session import left_open, resume, start
from tests.support.triage import MISMATCH, NO_KERNEL, SIBLING, TARGET, case, member, repro

ABOUT = case(member(TARGET, MISMATCH), member(SIBLING, MISMATCH))
ANSWERS = [[repro(TARGET, NO_KERNEL)], [repro(SIBLING, NO_KERNEL)], None]


@pytest.fixture
def done(tmp_path: Path) -> WorkflowSession:
    session = start(tmp_path, "auto", ABOUT)
    for answer in ANSWERS:
        session.answer(answer)
    return session


def journal(session: WorkflowSession) -> Path:
    return session.directory / "journal.jsonl"


@pytest.mark.parametrize("count", range(len(ANSWERS) + 1))
def test_wherever_it_stops_it_goes_on_to_the_same_end(tmp_path: Path, done: WorkflowSession, count: int) -> None:
    lines = journal(done).read_text().splitlines()
    journal(done).write_text("\n".join(lines[: 1 + count]) + "\n")
    again = resume(tmp_path, TARGET)
    assert again is not None
    for answer in ANSWERS[count:]:
        again.answer(answer)
    assert again.state.end == done.state.end
    assert again.state.report == done.state.report
    assert journal(again).read_text().splitlines() == lines


def test_a_line_that_was_cut_off_never_happened(tmp_path: Path, done: WorkflowSession) -> None:
    text = journal(done).read_text()
    lines = text.splitlines(keepends=True)
    for cut in (1, len(lines[-1]) // 2, len(lines[-1]) - 1):
        journal(done).write_text(text[: -len(lines[-1])] + lines[-1][:cut])
        again = resume(tmp_path, TARGET)
        assert again is not None
        assert len(again.state.answers) == len(ANSWERS) - 1
        again.answer(ANSWERS[-1])
        assert journal(again).read_text() == text


def test_runs_that_began_are_known_until_they_are_answered(tmp_path: Path) -> None:
    session = start(tmp_path, "auto", ABOUT)
    session.begin_runs(["run-1"])
    again = resume(tmp_path, TARGET)
    assert again is not None
    assert again.began == ("run-1",)
    again.answer(ANSWERS[0])
    later = resume(tmp_path, TARGET)
    assert later is not None
    assert later.began == ()


def test_beginning_anew_puts_the_one_before_aside(tmp_path: Path, done: WorkflowSession) -> None:
    start(tmp_path, "auto", ABOUT)
    again = resume(tmp_path, TARGET)
    assert again is not None
    assert again.state.answers == ()


def test_a_closed_one_is_left_open_no_more(tmp_path: Path, done: WorkflowSession) -> None:
    assert [one.state.case.id for one in left_open(tmp_path)] == [TARGET]
    done.close()
    assert left_open(tmp_path) == []
    again = resume(tmp_path, TARGET)
    assert again is not None
    assert again.closed


@pytest.mark.parametrize("damage", ["", "{}", '{"version": 99}', '{"version": 1, "workflow": "gone", "case": {}}'])
def test_what_nobody_understands_is_said(tmp_path: Path, done: WorkflowSession, damage: str) -> None:
    journal(done).write_text(damage + "\n")
    with pytest.raises(TTMatrixError, match="Cannot resume"):
        resume(tmp_path, TARGET)
    assert left_open(tmp_path) == []


def test_a_journal_that_holds_titles_is_read(tmp_path: Path, done: WorkflowSession) -> None:
    lines = [json.loads(line) for line in journal(done).read_text().splitlines()]
    for line, effect in zip(lines[1:], done.state.asked, strict=False):
        del line["asked"]
        line["to"] = effect.title
    journal(done).write_text("".join(json.dumps(line) + "\n" for line in lines))
    again = resume(tmp_path, TARGET)
    assert again is not None
    assert again.state.end == done.state.end
    lines[1]["to"] = "something else"
    journal(done).write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(TTMatrixError, match="Cannot resume"):
        resume(tmp_path, TARGET)


def test_another_workflow_by_now_is_noticed(tmp_path: Path, done: WorkflowSession) -> None:
    journal(done).write_text(journal(done).read_text().replace('"effect": "RunCpu"', '"effect": "FindUsers"'))
    with pytest.raises(TTMatrixError, match="Cannot resume") as caught:
        resume(tmp_path, TARGET)
    assert "changed since" in caught.value.detail


def test_what_the_device_showed_can_be_said_again(tmp_path: Path, done: WorkflowSession) -> None:
    end = done.state.end
    assert done.forget_device()
    assert isinstance(done.waiting, RunDevice)
    again = resume(tmp_path, TARGET)
    assert again is not None
    assert again.waiting == done.waiting
    again.answer(ANSWERS[-1])
    later = resume(tmp_path, TARGET)
    assert later is not None
    assert later.state.end == end


def test_where_no_device_was_asked_for_there_is_nothing_to_forget(tmp_path: Path) -> None:
    session = start(tmp_path, "auto", ABOUT)
    assert not session.forget_device()
    session.close(applied=True)
    again = resume(tmp_path, TARGET)
    assert again is not None
    assert (again.closed, again.applied) == (True, True)


def test_checkouts_do_not_share_sessions(tmp_path: Path) -> None:
    assert sessions_directory(tmp_path, tmp_path / "a") != sessions_directory(tmp_path, tmp_path / "b")
    assert resume(tmp_path / "nowhere", TARGET) is None
