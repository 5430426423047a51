# SPDX-License-Identifier: Apache-2.0
"""Runs as rows of a table, and what is said about them elsewhere."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from core.base.text import counted, one_line
from core.matrix.view import RUN_KINDS
from core.runs import EVERYTHING, Age, Outcome, RunSpec, case_progress, newest_by_test
from core.runs.planning import Progress, course_of
from core.runs.store import RunRecord, RunState
from tui.view_models.rows import Row, Rows
from tui.view_models.style import Cell, TableColumn, seconds_text
from tui.view_models.times import ago_text, left_text

_BAR_CELLS = 10


@dataclass(frozen=True, slots=True)
class OutcomeLook:
    """The display of a run's state."""

    word: str
    style: str


_OUTCOMES = {
    Outcome.PASS: OutcomeLook("pass", "pass"),
    Outcome.FAIL: OutcomeLook("FAIL", "fail"),
    Outcome.XFAIL: OutcomeLook("xfail", "dim"),
    Outcome.SKIP: OutcomeLook("skip", "dim"),
    Outcome.HANG: OutcomeLook("HANG", "fail"),
    Outcome.CRASH: OutcomeLook("CRASH", "fail"),
    Outcome.TIMEOUT: OutcomeLook("TIMEOUT", "fail"),
    Outcome.ERROR: OutcomeLook("ERROR", "fail"),
    Outcome.CANCELLED: OutcomeLook("cancelled", "dim"),
    Outcome.LOST: OutcomeLook("lost", "dim"),
}


def run_look(record: RunRecord, age: Age | None = None) -> OutcomeLook:
    """The word for a run: its outcome, or its state before that; dim and marked if it has an `age`."""
    if record.outcome is not None:
        look = _OUTCOMES[record.outcome]
        return OutcomeLook(f"{look.word}{age.mark}", "dim") if age else look
    if record.state is RunState.RUNNING:
        return OutcomeLook("running", "running")
    return OutcomeLook("on hold" if record.held else "queued", "dim")


def last_runs(records: Sequence[RunRecord], ages: Mapping[str, Age]) -> dict[str, dict[str, OutcomeLook]]:
    """The looks of the newest runs, by run column, then by test id; `records` are newest first, `ages` by run id."""
    return {
        name: {
            id: run_look(record, ages.get(record.spec.run_id)) for id, record in newest_by_test(records, kind).items()
        }
        for name, kind in RUN_KINDS.items()
    }


def progress_text(come: Progress) -> str:
    """`█████░░░░░ 3 of 6 done, 1 failed, about 2 min left · 2 running, 1 waiting`."""
    return f"{done_text(come)} · {now_words(come)}"


def done_text(come: Progress) -> str:
    """`█████░░░░░ 3 of 6 done, 1 failed, about 2 min left`."""
    full = come.done * _BAR_CELLS // max(1, come.total)
    failed = f", {come.failed:,} failed" if come.failed else ""
    most = "at least" if come.unknown else "about"
    left = f", {most} {left_text(come.seconds)} left" if come.seconds else ""
    bar = f"{'█' * full}{'░' * (_BAR_CELLS - full)}"
    return f"{bar} {come.done:,} of {come.total:,} done{failed}{left}"


def now_words(come: Progress) -> str:
    """`2 running, 5 waiting, 1 on hold`; empty if all have ended."""
    waiting = come.left - come.running - come.held
    counts = ((come.running, "running"), (waiting, "waiting"), (come.held, "on hold"))
    return ", ".join(f"{count:,} {word}" for count, word in counts if count)


def far_words(come: Progress) -> str:
    """`3 of 9 runs, 40 s left`, for the bar at the top; empty if all have ended. What is not known is left out."""
    alone = come.total == 1 or come.held == come.left
    words = now_words(come) if alone else f"{come.done:,} of {come.total:,} runs"
    left = f", {'over ' if come.unknown else ''}{left_text(come.seconds)} left" if come.seconds else ""
    return words + left


_AGE = TableColumn("age", 12, yields=5)
"""Left out if no run has one."""
_CHECKOUT = TableColumn("checkout", 20, elide=True)
"""Replaces the age when runs of every checkout are shown: only those of this one have an age."""
_HOST = TableColumn("host", 10, yields=1, elide=True)
"""Left out if all runs are on this machine."""
_PROFILE = TableColumn("profile", 12, elide=True)
"""Left out if no run has one. Runs of a sweep differ in nothing else."""
_COLUMNS: Sequence[TableColumn] = (
    TableColumn("outcome", 9, least=7),
    TableColumn("started", 10, yields=2, right=True, stays=True),
    TableColumn("time", 13, right=True),
    TableColumn("test id", 24, share=3, elide=True, ids=True),
    _PROFILE,
    TableColumn("kind", 8, yields=3),
    TableColumn("arch", 8, yields=4),
    _HOST,
    TableColumn("why, or the last line", 20, share=3),
    _AGE,
    TableColumn("run", 22, yields=6, spare=True),
)


def run_rows(
    records: Sequence[RunRecord],
    marks: Collection[str] = (),
    clock: Callable[[], float] = lambda: time.time(),
    ages: Mapping[str, Age] = MappingProxyType({}),
    *,
    last_lines: Mapping[str, str] = MappingProxyType({}),
    with_checkout: bool = False,
    numbers: Mapping[str, str] = MappingProxyType({}),
) -> Rows[RunRecord]:
    """Runs. `clock` gives seconds since the epoch; by run id are `ages`, the `last_lines` of running runs, and the
    `numbers` of those that repeat a test."""
    with_host = any(record.place for record in records)
    with_profile = any(record.spec.profile for record in records)
    with_age = with_checkout or any(ages.get(record.spec.run_id) for record in records)
    left_out = ((_HOST, with_host), (_PROFILE, with_profile), (_AGE, with_age))
    columns = (_CHECKOUT if with_checkout and one is _AGE else one for one in _COLUMNS)

    def cells(record: RunRecord) -> Row:
        age = ages.get(record.spec.run_id)
        look = run_look(record, age)
        place = str(record.spec.cwd) if with_checkout else age.text if age else ""
        return (
            [Cell("stopping" if record.cancelling else look.word, look.style)],
            [Cell(ago_text(record.started, clock()), "dim")],
            [Cell(time_text(record, clock()), "dim")],
            [Cell(f"{numbers.get(record.spec.run_id, '')}{one_line(record.spec.test_id)}")],
            *([[Cell(one_line(record.spec.profile), "dim")]] if with_profile else []),
            [Cell(kind_text(record.spec), "dim")],
            [Cell(one_line(record.spec.arch or ""), "dim")],
            *([[Cell(one_line(record.place), "dim")]] if with_host else []),
            [Cell(doing(record)) if record.state is RunState.RUNNING else Cell(record.summary, "dim")],
            *([[Cell(one_line(place), "dim")]] if with_age else []),
            [Cell(record.spec.run_id, "dim")],
        )

    def doing(record: RunRecord) -> str:
        """The progress of a run of op cases, and the last line of a run's log."""
        progress = case_progress(record, clock())
        line = last_lines.get(record.spec.run_id, "")
        return f"{progress.text}  {line}" if progress else line

    return Rows(
        records,
        [one for one in columns if (one, False) not in left_out],
        cells,
        key=lambda record: record.spec.run_id,
        id=lambda record: record.spec.test_id,
        marked=lambda record: record.spec.run_id in marks,
    )


def time_text(record: RunRecord, now: float) -> str:
    """The duration of a run; for an unfinished one, the time so far and the estimate, if known."""
    estimate = f"~{seconds_text(record.spec.estimate)}" if record.spec.estimate is not None else ""
    if record.state is RunState.RUNNING and record.started is not None:
        gone = seconds_text(max(0.0, now - record.started))
        return f"{gone}/{estimate}" if estimate else gone
    if record.state is RunState.QUEUED:
        return estimate
    return seconds_text(record.seconds)


def kind_text(spec: RunSpec) -> str:
    """The kind of a run, with the devices that it asks for by number."""
    named = [] if EVERYTHING in spec.devices else spec.devices
    return one_line(f"{spec.kind} {','.join(named)}".rstrip())


def exit_words(pending: int, records: Sequence[RunRecord]) -> str:
    """Lines for the terminal when the app ends; empty if there is nothing to report."""
    lines = [f"{counted(pending, 'pending change')} saved for the next start."] if pending else []
    if going := now_words(course_of(records).at(time.time())):
        lines.append(f"Runs continue: {going}. List them: ttmatrix runs --active")
    return "\n".join(lines)


def ended_words(records: Sequence[RunRecord]) -> str:
    """The outcomes of runs that have all ended: `3 runs have ended: 2 pass, 1 CRASH`."""
    return f"{counted(len(records), 'run')} {'has' if len(records) == 1 else 'have'} ended: {outcomes_text(records)}"


def outcomes_text(records: Iterable[RunRecord]) -> str:
    """`2 pass, 1 CRASH`: how many runs ended how, the most frequent outcome first."""
    counts = Counter(run_look(record).word for record in records)
    return ", ".join(f"{count:,} {word}" for word, count in counts.most_common())
