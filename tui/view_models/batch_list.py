# SPDX-License-Identifier: Apache-2.0
"""Batches of runs as rows, each below a heading that says how far it is."""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

from core.runs import Age
from core.runs.planning import Ahead, Course, Progress
from core.runs.store import RunRecord
from tui.view_models.batches import RunGroup, batches, parts_of
from tui.view_models.headings import (
    HEADING,
    HeadingTitles,
    Part,
    bar_room,
    heading_line,
    heading_need,
    rate_text,
    scaled_bar,
    title_line,
)
from tui.view_models.rows import Row, Rows
from tui.view_models.runs import run_rows
from tui.view_models.style import Cell, seconds_text
from tui.view_models.times import ago_text, left_text

_FAILED, _TAKEN, _LEFT = 10, 6, 11
_TIME_FROM = 100
"""Width from which headings say the time taken."""
_TITLES = HeadingTitles("batch", "runs", "done", "outcomes", said=False)


class RunRows:
    """A RowSource over batches. A run that is alone in its batch has no heading."""

    def __init__(
        self,
        records: Sequence[RunRecord],
        rows: Rows[RunRecord],
        numbers: dict[str, str],
        is_folded: Callable[[RunGroup], bool],
        clock: Callable[[], float],
    ) -> None:
        """`rows` draws each run, behind what `numbers` has for it; `is_folded` hides the runs of a group."""
        self.columns = rows.columns
        self._records = records
        self._rows = rows
        self._numbers = numbers
        self._is_folded = is_folded
        self._clock = clock
        self._lines: list[RunGroup | RunRecord] = []
        self._headings: list[int | None] = []
        """By line, the line of its heading."""
        self._courses: dict[str, Course] = {}
        """By the keys of the groups whose headings have been visible."""
        parts = batches(records)
        self.groups = [part for part in parts if isinstance(part, RunGroup)]
        self._largest = max((len(group.records) for group in self.groups), default=0)
        self._add(parts, None)

    def _add(self, parts: Iterable[RunGroup | RunRecord], heading: int | None) -> None:
        """Add the lines of runs and groups below a heading."""
        for part in parts:
            self._headings.append(len(self._lines) if isinstance(part, RunGroup) else heading)
            self._lines.append(part)
            if isinstance(part, RunGroup) and not self._is_folded(part):
                self._numbers |= part.numbers
                self._add(parts_of(part), len(self._lines) - 1)

    @cached_property
    def _ahead(self) -> Ahead:
        return Ahead(self._records)

    @cached_property
    def _positions(self) -> Mapping[str, int]:
        """The position of each row, and of each hidden run that of its heading."""
        found = {self.key(position): position for position in range(len(self._lines))}
        for position, part in enumerate(self._lines):
            if isinstance(part, RunGroup) and self._is_folded(part):
                found |= {record.spec.run_id: position for record in part.records}
        return found

    def __len__(self) -> int:
        return len(self._lines)

    def key(self, position: int) -> str:
        part = self._lines[position]
        return HEADING + part.key if isinstance(part, RunGroup) else part.spec.run_id

    def position_of(self, key: str) -> int | None:
        """The position of a heading or of a run; of one that is hidden, that of the heading that hides it."""
        at = self._positions.get(key)
        # The key of a part begins with that of its batch.
        return self._positions.get(key.rpartition("/")[0]) if at is None and key.startswith(HEADING) else at

    def _at(self, position: int) -> RunGroup | RunRecord | None:
        return self._lines[position] if 0 <= position < len(self._lines) else None

    def record(self, position: int) -> RunRecord | None:
        """The run at a position; None: a heading is there, or nothing."""
        part = self._at(position)
        return None if isinstance(part, RunGroup) else part

    def group(self, position: int) -> RunGroup | None:
        """The group whose heading is at a position; None: there is none."""
        part = self._at(position)
        return part if isinstance(part, RunGroup) else None

    @property
    def every_group(self) -> Iterable[RunGroup]:
        """The batches, and their parts."""
        within = (part for group in self.groups for part in parts_of(group))
        return (*self.groups, *(part for part in within if isinstance(part, RunGroup)))

    def course(self, group: RunGroup) -> Course:
        """The course of a group: its runs are gone through once, however often its heading is painted."""
        if group.key not in self._courses:
            self._courses[group.key] = Course(group.records, self._ahead)
        return self._courses[group.key]

    def first(self) -> str | None:
        """The key of the first run, or of the heading that hides it."""
        hiding = (at for at, part in enumerate(self._lines) if not isinstance(part, RunGroup) or self._is_folded(part))
        return next(map(self.key, hiding), None)

    def heading_of(self, position: int) -> int | None:
        """The position of the heading above a row, or of the heading that is there."""
        return self._headings[position]

    def ids(self) -> Iterable[str]:
        return self._rows.ids()

    def marked(self, position: int) -> bool:
        part = self._lines[position]
        return all(map(self._rows.is_marked, part.records if isinstance(part, RunGroup) else (part,)))

    def cells(self, position: int) -> Row:
        part = self._lines[position]
        return ([Cell(part.name)],) if isinstance(part, RunGroup) else self._rows.cells_of(part)

    def is_heading(self, position: int) -> bool:
        """Whether there is a heading at a position."""
        return isinstance(self._lines[position], RunGroup)

    def heading(self, position: int, width: int) -> Sequence[Cell]:
        """The pieces of a heading over the whole width."""
        group = self._lines[position]
        assert isinstance(group, RunGroup)
        course, now = self.course(group), self._clock()
        come, room = course.at(now), bar_room(width, self._largest)
        more = _more(course, come, now, timed=width >= _TIME_FROM)
        # A cell is between the name and the bar.
        beside = heading_need((), _TITLES) + 1 + room + sum(len(cell.text) for cell in more)
        return heading_line(
            [Cell(group.name_in(width - beside), "" if come.left else "dim")],
            come.total,
            rate_text((Part(come.done), Part(come.left))),
            scaled_bar(group.parts, room, self._largest),
            width,
            room,
            _TITLES,
            opened=not self._is_folded(group),
            more=more,
        )

    def heading_titles(self, width: int) -> str:
        """The titles above the pieces of a heading."""
        taken = f" {'time':>{_TAKEN}}" if width >= _TIME_FROM else ""
        more = f" {'':>{_FAILED}}{taken} {'left, begun':>{_LEFT}} "
        return title_line(_TITLES, width, bar_room(width, self._largest), more)


def _more(course: Course, come: Progress, now: float, *, timed: bool) -> Sequence[Cell]:
    """Failures, with `timed` the time taken, and what is left or when it began."""
    failed = f"{come.failed:,} failed" if come.failed else ""
    left = _left(come) if come.left else ago_text(course.begun, now)
    taken = [Cell(f" {seconds_text(course.taken(now)):>{_TAKEN}}", "dim")] if timed else []
    return (
        Cell(f" {failed:>{_FAILED}}", "fail"),
        *taken,
        Cell(f" {left:>{_LEFT}} ", "running" if come.running else "dim"),
    )


def _left(come: Progress) -> str:
    """`~3 min`, `>3 min` where some have no estimate; what a batch waits for where it does not go on."""
    if come.held == come.left:
        return "on hold"
    if come.seconds:
        return f"{'>' if come.unknown else '~'}{left_text(come.seconds)}"
    return "running" if come.running else "waiting"


def batch_rows(
    records: Sequence[RunRecord],
    is_folded: Callable[[RunGroup], bool] = lambda group: group.is_long,
    marks: Collection[str] = (),
    clock: Callable[[], float] = lambda: time.time(),
    ages: Mapping[str, Age] = MappingProxyType({}),
    *,
    last_lines: Mapping[str, str] = MappingProxyType({}),
    with_checkout: bool = False,
) -> RunRows:
    """Runs, given newest first, in batches; the others are as `run_rows` has them."""
    numbers: dict[str, str] = {}
    rows = run_rows(records, marks, clock, ages, last_lines=last_lines, with_checkout=with_checkout, numbers=numbers)
    return RunRows(records, rows, numbers, is_folded, clock)
