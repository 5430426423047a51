# SPDX-License-Identifier: Apache-2.0
"""core.runs.store.record: deriving a run's state and outcome from its events."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.base.processes import ProcessIdentity
from core.domain.model import Function
from core.runs import Outcome, RunSpec
from core.runs.store import Finished, Queued, RunRecord, RunState, Started
from core.runs.store.events import Event
from core.runs.store.record import GONE, Presence, fold

SPEC = RunSpec(
    "20261121-073215-ab12cd",
    "x/pytorch-single_device-training",
    Function.TORCH,
    "cpu",
    None,
    (),
    {},
    Path("/"),
    30.0,
    "",
    "",
    "cpu",
    1,
    hang_timeout=7.0,
)
SUPERVISOR = ProcessIdentity(3, 1.0)
QUEUED = Queued(1.0, "here", "boot")
STARTED = Started(3.0, SUPERVISOR, ("python",))
THERE = Presence(watched=True)


def folded(*events: Event, presence: Presence = THERE) -> RunRecord:
    return fold(SPEC, Path("/runs/x"), events, presence)


def test_a_run_waits_runs_and_ends() -> None:
    waiting = folded(QUEUED)
    assert (waiting.state, waiting.outcome, waiting.summary) == (RunState.QUEUED, None, "waiting for a cpu slot")
    assert waiting.active
    assert waiting.host == "here"
    running = folded(QUEUED, STARTED)
    assert (running.state, running.started, running.supervisor) == (RunState.RUNNING, 3.0, SUPERVISOR)
    assert running.active
    ended = folded(QUEUED, STARTED, Finished(9.0, Outcome.PASS, 6.0, 0, result={"phases": []}), presence=GONE)
    assert (ended.state, ended.outcome, ended.seconds, ended.exit_code) == (RunState.FINISHED, Outcome.PASS, 6.0, 0)
    assert not ended.active


def test_a_run_that_nobody_watches_is_lost() -> None:
    for events in ([], [QUEUED], [QUEUED, STARTED]):
        lost = folded(*events, presence=GONE)
        assert (lost.state, lost.outcome, lost.active) == (RunState.LOST, Outcome.LOST, False)
        assert "its end was not recorded" in lost.summary


def test_a_request_to_stop_shows_until_the_end() -> None:
    asked = folded(QUEUED, STARTED, presence=Presence(watched=True, cancelling=True))
    assert (asked.cancelling, asked.summary) == (True, "stopping")
    end = Finished(5.0, Outcome.CANCELLED, 2.0)
    ended = folded(QUEUED, STARTED, end, presence=Presence(watched=True, cancelling=True))
    assert (ended.cancelling, ended.summary) == (False, "cancelled")


def test_only_what_waits_is_paused() -> None:
    held = Presence(watched=True, held=True)
    assert (folded(QUEUED, presence=held).held, folded(QUEUED, presence=held).summary) == (True, "on hold")
    assert not folded(QUEUED, STARTED, presence=held).held


def test_the_first_report_of_an_end_counts() -> None:
    assert folded(Finished(5.0, Outcome.PASS), Finished(6.0, Outcome.LOST)).outcome is Outcome.PASS


@given(st.permutations([QUEUED, STARTED]))
def test_a_run_never_goes_back_whatever_the_order_of_the_lines(events: list[Event]) -> None:
    assert folded(*events).state is RunState.RUNNING


BF16_FAILS = {
    "problem": None,
    "phases": [
        {
            "dtype": "bfloat16",
            "ok": False,
            "step": "forward",
            "error_type": "RuntimeError",
            "error": "mat1 and \x1b[31mmat2\nsecond line",
        },
        {"dtype": "float32", "ok": True},
    ],
}


@pytest.mark.parametrize(
    ("finished", "summary"),
    [
        (
            Finished(9, Outcome.FAIL, result=BF16_FAILS),
            "bfloat16 forward: RuntimeError: mat1 and mat2; float32 ok",
        ),
        (Finished(9, Outcome.PASS, result={"phases": [{"dtype": "bfloat16", "ok": True}]}), "bfloat16 ok"),
        (Finished(9, Outcome.CRASH, signal=11), "ended by SIGSEGV"),
        (Finished(9, Outcome.TIMEOUT, 31.2), "stopped after 31 s; the limit is 30 s"),
        (Finished(9, Outcome.TIMEOUT, 31.2, idle=2.0), "stopped after 31 s, still working; the limit is 30 s"),
        (
            Finished(9, Outcome.TIMEOUT, 31.2, idle=20.0),
            "stopped after 31 s, the last 20 s without output or work; the limit is 30 s",
        ),
        (
            Finished(9, Outcome.CANCELLED, detail="Process 7 cannot be stopped."),
            "cancelled; Process 7 cannot be stopped.",
        ),
        (
            Finished(9, Outcome.CRASH, signal=6, stage="RUNTIME_EXECUTION_START"),
            "ended by SIGABRT in RUNTIME_EXECUTION_START",
        ),
        (Finished(9, Outcome.HANG, 90.0), "stopped after 90 s, the last 7 s without output or work"),
        (Finished(9, Outcome.XFAIL, result={"message": "DRAM OOM\nmore"}), "DRAM OOM"),
        (Finished(9, Outcome.LOST), "its processes are gone, and its end was not recorded"),
        (Finished(9, Outcome.LOST, detail="the machine was restarted"), "the machine was restarted"),
        (Finished(9, Outcome.ERROR, exit_code=2, result={"problem": {"message": "no torch"}}), "no torch"),
        (Finished(9, Outcome.ERROR, exit_code=3), "ended with exit code 3 and left no result"),
        (Finished(9, Outcome.ERROR), "ended and left no result"),
        (Finished(9, Outcome.ERROR, detail="Cannot run x: no such file"), "Cannot run x: no such file"),
        (Finished(9, Outcome.FAIL, result={"phases": "what", "problem": 7}), ""),
    ],
)
def test_the_summary_says_why_in_one_plain_line(finished: Finished, summary: str) -> None:
    assert folded(QUEUED, STARTED, finished).summary == summary
