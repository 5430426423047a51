# SPDX-License-Identifier: Apache-2.0
"""Runs as rows: in the order in which one asks for them, with their times and, while they run, their last line."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from core.base.processes import ProcessIdentity
from core.runs import Age, Outcome
from core.runs.planning import Progress
from core.runs.store import Finished, Queued, RunRecord, Started
from core.runs.store.events import Event
from core.runs.store.record import Presence, fold
from tests.core.runs.store.test_record import SPEC
from tui.view_models import Fitting, ended_words, exit_words, far_words, progress_text
from tui.view_models.runs import kind_text, run_rows, time_text
from tui.view_models.times import left_text

RUNNING = Started(100.0, ProcessIdentity(1, 1.0), ())


def record(name: str, *events: Event, root: Path = Path("/runs"), turn: int | None = None, **more: object) -> RunRecord:
    spec = replace(SPEC, run_id=name, test_id=name, **more)  # type: ignore[arg-type]
    return fold(spec, root, [Queued(1.0, "h", "b"), *events], Presence(watched=True, turn=turn))


def test_times_tell_what_is_known() -> None:
    assert time_text(record("a", RUNNING), 112.5) == "12.5s"
    assert time_text(record("a", RUNNING, estimate=60.0), 112.5) == "12.5s/~60.0s"
    assert time_text(record("a", estimate=200.0), 0) == "~3m20"
    assert time_text(record("a"), 0) == ""
    assert time_text(record("a", RUNNING, Finished(9.0, Outcome.PASS, 3.0)), 0) == "3.0s"


def test_the_last_line_of_a_running_run_is_live_and_marks_show() -> None:
    running = record("20260101-000000-aaaaaa", RUNNING)
    lines: dict[str, str] = {}
    rows = run_rows([running], {"20260101-000000-aaaaaa"}, clock=lambda: 101.0, last_lines=lines)
    assert [cell.text for column in rows.cells(0) for cell in column][6] == ""
    lines["20260101-000000-aaaaaa"] = " 20%"
    texts = [cell.text for column in rows.cells(0) for cell in column]
    assert [texts[0], texts[2]] == ["running", "1.0s"]
    assert texts[6:] == [" 20%", "20260101-000000-aaaaaa"]
    assert rows.marked(0)
    assert not run_rows([running]).marked(0)


def test_an_old_result_is_dim_and_says_how_old() -> None:
    passed = record("20260101-000000-aaaaaa", RUNNING, Finished(9.0, Outcome.PASS, 1.0))
    age = Age("3 commits ago, loader edited since", "~3")
    (outcome,), *_, (old,), _ = run_rows([passed], ages={passed.spec.run_id: age}).cells(0)
    assert (outcome.text, outcome.style, old.text) == ("pass~3", "dim", age.text)
    young = run_rows([passed])
    (outcome,), *_ = young.cells(0)
    assert (outcome.text, outcome.style) == ("pass", "pass")
    assert "age" not in [one.title for one in young.columns], "no column for what no run has"
    assert len(young.columns) == len(young.cells(0))
    everywhere = run_rows([passed], with_checkout=True)
    assert [one.title for one in everywhere.columns][-2:] == ["checkout", "run"]
    assert everywhere.cells(0)[-2][0].text == str(SPEC.cwd)


def test_a_row_says_when_what_and_where() -> None:
    assert kind_text(SPEC) == "cpu"
    assert kind_text(replace(SPEC, kind="device", devices=("*",))) == "device"
    assert kind_text(replace(SPEC, kind="device", devices=("0", "1"))) == "device 0,1"
    at = datetime(2026, 11, 27, 22, 41).timestamp()
    run = record("a", replace(RUNNING, at=at), arch="n150", profile="bfp8")
    rows = run_rows([run], clock=lambda: at + 2 * 86_400)
    shown = dict(zip([one.title for one in rows.columns], (cell[0].text for cell in rows.cells(0)), strict=True))
    assert (shown["started"], shown["kind"], shown["arch"], shown["profile"]) == ("2 d ago", "cpu", "n150", "bfp8")
    assert "profile" not in [one.title for one in run_rows([record("c", RUNNING)]).columns]


def test_at_80_columns_the_reason_is_shown() -> None:
    rows = run_rows(
        [record(f"20260101-00000{at}-{'a' * 40}", RUNNING) for at in range(3)],
        last_lines={f"20260101-000001-{'a' * 40}": "x" * 90},
    )
    shown = [one.title for one, width in zip(rows.columns, Fitting(rows).widths(80), strict=True) if width]
    assert shown == ["outcome", "started", "time", "test id", "why, or the last line"]


def test_the_progress_has_a_bar_and_the_exit_a_word() -> None:
    come = Progress(6, 3, 80.0, running=1)
    assert progress_text(come) == "█████░░░░░ 3 of 6 done, about 2 min left · 1 running, 2 waiting"
    assert ", at least 2 min left ·" in progress_text(replace(come, unknown=1))
    assert "left" not in progress_text(replace(come, seconds=None, unknown=3))
    assert progress_text(replace(come, failed=2, held=1)).endswith(
        "3 of 6 done, 2 failed, about 2 min left · 1 running, 1 waiting, 1 on hold"
    )
    runs = [record("a", RUNNING), record("b", turn=0), record("c", turn=1)]
    assert exit_words(0, []) == ""
    assert exit_words(1, runs) == (
        "1 pending change saved for the next start.\nRuns continue: 1 running, 2 waiting. List them: ttmatrix runs --active"
    )


@pytest.mark.parametrize(
    ("come", "words"),
    [
        (Progress(9, 6, 38.0, running=2), "3 of 9 runs, 40 s left"),
        (Progress(9, 6, 38.0, unknown=1, running=2), "3 of 9 runs, over 40 s left"),
        (Progress(9, 6, None, unknown=6, running=2), "3 of 9 runs"),
        (Progress(9, 6, 0.0, running=2), "3 of 9 runs"),
        (Progress(1, 1, 4_700.0, running=1), "1 running, 1 h 20 min left"),
        (Progress(9, 6, None, held=6), "6 on hold"),
        (Progress(0, 0, 0.0), ""),
    ],
)
def test_the_bar_says_how_far_runs_are_and_what_is_not_known_is_left_out(come: Progress, words: str) -> None:
    assert far_words(come) == words


def test_what_is_left_is_said_in_steps_and_rounded_up() -> None:
    said = {
        0.1: "10 s",
        31.0: "40 s",
        50.0: "50 s",
        51.0: "1 min",
        61.0: "2 min",
        3_541.0: "1 h",
        3_601.0: "1 h 10 min",
    }
    assert {seconds: left_text(seconds) for seconds in said} == said


def test_the_end_of_a_batch_is_reported_by_outcomes() -> None:
    ends = [
        record(str(at), Finished(9.0, end, 1.0)) for at, end in enumerate((Outcome.CRASH, Outcome.PASS, Outcome.PASS))
    ]
    assert ended_words(ends) == "3 runs have ended: 2 pass, 1 CRASH"
    assert ended_words(ends[:1]) == "1 run has ended: 1 CRASH"
