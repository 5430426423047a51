# SPDX-License-Identifier: Apache-2.0
"""Runs as rows: in the order in which one asks for them, with their times and, while they run, their last line."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path

from core.base.processes import ProcessIdentity
from core.runs import Age, Outcome
from core.runs.planning import Progress
from core.runs.store import Finished, Queued, RunRecord, Started
from core.runs.store.events import Event
from core.runs.store.record import Presence, fold
from tests.core.runs.store.test_record import SPEC
from tui.view_models import Fitting, ended_words, exit_words, fit, going_words, progress_text, run_rows
from tui.view_models.runs import in_turn, kind_text, time_text

RUNNING = Started(100.0, ProcessIdentity(1, 1.0), ())


def record(name: str, *events: Event, root: Path = Path("/runs"), turn: int | None = None, **more: object) -> RunRecord:
    spec = replace(SPEC, run_id=name, test_id=name, **more)  # type: ignore[arg-type]
    return fold(spec, root, [Queued(1.0, "h", "b"), *events], Presence(watched=True, turn=turn))


def test_what_goes_on_comes_first_then_the_queue_in_its_order_then_the_newest() -> None:
    old, new = (record(name, Finished(9.0, Outcome.PASS, 1.0)) for name in ("old", "new"))
    first, second = record("first", turn=2), record("second", turn=5)
    later, sooner = record("later", replace(RUNNING, at=7.0)), record("sooner", RUNNING)
    ordered = in_turn([second, new, later, sooner, first, old])
    assert [one.spec.run_id for one in ordered] == ["later", "sooner", "first", "second", "new", "old"]


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


def test_the_runs_of_a_sweep_are_different_rows() -> None:
    names = ("default", "bfp8", "default+optimization_level=2")
    queued = [record(f"20260101-00000{n}-aaaaaa", turn=n) for n in range(9)]
    specs = (replace(one.spec, test_id="t", profile=names[n % 3], batch="x") for n, one in enumerate(queued))
    rows = run_rows([replace(one, spec=spec) for one, spec in zip(queued, specs, strict=True)])
    # Without the run id, which only wide terminals show.
    painted = {tuple(fit(cell[0].text, 16, elide=True) for cell in rows.cells(at)[:-1]) for at in range(9)}
    assert len(painted) == 9


def test_at_80_columns_the_reason_is_shown() -> None:
    rows = run_rows(
        [record(f"20260101-00000{at}-{'a' * 40}", RUNNING) for at in range(3)],
        last_lines={f"20260101-000001-{'a' * 40}": "x" * 90},
    )
    shown = [one.title for one, width in zip(rows.columns, Fitting(rows).widths(80), strict=True) if width]
    assert shown == ["outcome", "started", "time", "test id", "why, or the last line"]


def test_the_progress_has_a_bar_and_the_exit_a_word() -> None:
    runs = [record("a", RUNNING), record("b", turn=0), record("c", turn=1)]
    text = progress_text(Progress(6, 3, 80.0), runs)
    assert text == "█████░░░░░ 3 of 6 done, about 80.0s left · 1 running, 2 waiting"
    assert ", at least 80.0s left ·" in progress_text(Progress(6, 3, 80.0, unknown=1), runs)
    assert "left" not in progress_text(Progress(6, 3, None, unknown=3), runs)
    assert exit_words(0, []) == ""
    assert exit_words(1, runs) == (
        "1 pending change saved for the next start.\nRuns continue: 1 running, 2 waiting. List them: ttmatrix runs --active"
    )


def test_a_run_that_waits_for_a_slot_does_not_count_as_running() -> None:
    runs = [record("a", RUNNING), record("b", RUNNING), *(record(str(at), turn=at) for at in range(5))]
    assert going_words(runs) == "2 running, 5 waiting"
    assert going_words(runs[2:]) == "5 waiting"
    assert going_words([record("a", Finished(9.0, Outcome.PASS, 1.0))]) == ""


def test_the_end_of_a_batch_is_reported_by_outcomes() -> None:
    ends = [
        record(str(at), Finished(9.0, end, 1.0)) for at, end in enumerate((Outcome.CRASH, Outcome.PASS, Outcome.PASS))
    ]
    assert ended_words(ends) == "3 runs have ended: 2 pass, 1 CRASH"
    assert ended_words(ends[:1]) == "1 run has ended: 1 CRASH"
