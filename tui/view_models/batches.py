# SPDX-License-Identifier: Apache-2.0
"""Batches of runs, and the repetitions of a test in them: each below a heading that says how far it is."""

import os
import time
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

from rich.cells import cell_len

from core.base.text import counted, one_line
from core.runs import FAILURES, Age, Outcome
from core.runs.planning import Progress, batch_of, batch_progress, time_taken
from core.runs.store import RunRecord, RunState
from tui.view_models.fitting import fit
from tui.view_models.headings import HeadingTitles, Part, bar_room, heading_line, rate_text, scaled_bar, title_line
from tui.view_models.rows import Row, Rows
from tui.view_models.runs import run_rows
from tui.view_models.style import Cell, seconds_text
from tui.view_models.times import ago_text, left_text

FOLDED_FROM = 11
"""A batch of so many runs is folded until somebody unfolds it."""
_HEADING = "\0"
"""The beginning of the keys of headings: no run has such an id."""
_FAILED, _TAKEN, _LEFT = 10, 6, 11
_TIME_FROM = 100
"""Width from which headings say the time taken."""
_NUMBERS = 17
"""Cells of a heading without its name, its bar and what follows the numbers."""
_LEAST_NAME = 8
_TITLES = HeadingTitles("batch", "runs", "done", "outcomes", said=False)


class RunGroup:
    """The runs of a batch, or those of a batch that repeat one test; `records` are in the order of the table."""

    def __init__(self, key: str, records: Sequence[RunRecord], within: "RunGroup | None" = None) -> None:
        """`within` is the batch that it is a part of."""
        self.key = key
        self.records = records
        self._within = within

    @property
    def depth(self) -> int:
        """In how many groups it is."""
        return int(self._within is not None)

    @property
    def batch(self) -> str:
        """The name of the batch."""
        return batch_of(self.records[0])

    @cached_property
    def tests(self) -> int:
        """The number of different tests."""
        return len({record.spec.test_id for record in self.records})

    @cached_property
    def _about(self) -> tuple[str, Sequence[str]]:
        """The tests that its runs have in common, and how they are run; of a part, what sets it apart."""
        specs = [record.spec for record in self.records]
        ids = [spec.test_id for spec in specs]
        # Of the ids, whole directories.
        shared = ids[0] if self.tests == 1 else os.path.commonprefix(ids).rpartition("/")[0]  # noqa: RUF071 - of texts
        kinds = _only(f"{spec.kind} {spec.arch or ''}".strip() for spec in specs)
        profile = _only(spec.profile for spec in specs)
        if self._within is None:
            return shared or counted(self.tests, "test"), [one for one in (kinds, profile) if one]
        _, known = self._within._about
        ways = [one for one in (kinds, profile) if one not in known]
        if self._within.tests == 1:
            return " · ".join(filter(None, ways)) or "default", ()
        return shared, [one for one in ways if one]

    @cached_property
    def name(self) -> str:
        """The words for what its runs have in common: `llama · device n150 · fast`."""
        what, ways = self._about
        return one_line(" · ".join((what, *ways)))

    def name_in(self, width: int) -> str:
        """Its name in at most `width` cells; how it is run stays whole."""
        margin, (what, ways) = "  " * self.depth, self._about
        tail = one_line("".join(f" · {way}" for way in ways))
        room = width - len(margin) - cell_len(tail)
        if room < _LEAST_NAME:
            return fit(margin + self.name, max(0, width)).rstrip()
        return margin + fit(one_line(what), room, elide=True).rstrip() + tail

    @property
    def begun(self) -> float | None:
        """The time of its first start, in seconds since the epoch; None: nothing has started."""
        return min((record.started for record in self.records if record.started is not None), default=None)

    @cached_property
    def counts(self) -> Counter[str]:
        """The numbers of runs that look alike in the bar."""
        return Counter(map(_looks, self.records))

    @property
    def parts(self) -> Sequence[Part]:
        """The pieces of the bar: passed, failed, ended otherwise, running, waiting."""
        return [Part(self.counts[name], *look) for name, look in _PARTS.items()]

    @cached_property
    def numbers(self) -> Mapping[str, str]:
        """By run: `#2 ` for the second of several that were requested alike."""
        alike: dict[object, list[str]] = {}
        for record in self.records:
            alike.setdefault(_request(record), []).append(record.spec.run_id)
        several = (sorted(names) for names in alike.values() if len(names) > 1)
        return {name: f"#{number} " for names in several for number, name in enumerate(names, 1)}


_PARTS: Mapping[str, tuple[str, str]] = {
    "passed": ("pass", "█"),
    "failed": ("fail", "▓"),
    "ended": ("dim", "▁"),
    "running": ("running", "▌"),
    "waiting": ("dim", "░"),
}
"""The pieces of a bar: each with a colour, and a fill that tells it without."""


def _only(values: Iterable[str]) -> str:
    """The value that all are; empty: they differ."""
    found = {*values}
    return found.pop() if len(found) == 1 else ""


def _looks(record: RunRecord) -> str:
    if record.outcome is None:
        return "running" if record.state is RunState.RUNNING else "waiting"
    return "passed" if record.outcome is Outcome.PASS else "failed" if record.outcome in FAILURES else "ended"


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
    def _active(self) -> Sequence[RunRecord]:
        return [record for record in self._records if record.outcome is None]

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
        return _HEADING + part.key if isinstance(part, RunGroup) else part.spec.run_id

    def position_of(self, key: str) -> int | None:
        """The position of a heading or of a run; of one that is hidden, that of the heading that hides it."""
        at = self._positions.get(key)
        # The key of a part begins with that of its batch.
        return self._positions.get(key.rpartition("/")[0]) if at is None and key.startswith(_HEADING) else at

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

    def progress(self, group: RunGroup) -> Progress:
        """The present progress of a group."""
        return batch_progress(group.records, self._active, self._clock())

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
        come, room = self.progress(group), bar_room(width, self._largest)
        more = self._more(group, come) if width >= _TIME_FROM else [*self._more(group, come)[::2]]
        beside = _NUMBERS + room + sum(len(cell.text) for cell in more)
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

    def _more(self, group: RunGroup, come: Progress) -> Sequence[Cell]:
        """Failures, time taken, and what is left or when it began."""
        failed, now = f"{come.failed:,} failed" if come.failed else "", self._clock()
        left = _left(come) if come.left else ago_text(group.begun, now)
        return (
            Cell(f" {failed:>{_FAILED}}", "fail"),
            Cell(f" {seconds_text(time_taken(group.records, now)):>{_TAKEN}}", "dim"),
            Cell(f" {left:>{_LEFT}} ", "running" if come.running else "dim"),
        )

    def heading_titles(self, width: int) -> str:
        """The titles above the pieces of a heading."""
        taken = f" {'time':>{_TAKEN}}" if width >= _TIME_FROM else ""
        more = f" {'':>{_FAILED}}{taken} {'left, begun':>{_LEFT}} "
        return title_line(_TITLES, width, bar_room(width, self._largest), more)


def _left(come: Progress) -> str:
    """`~3 min`, `>3 min` where some have no estimate; what a batch waits for where it does not go on."""
    if come.held == come.left:
        return "on hold"
    if come.seconds:
        return f"{'>' if come.unknown else '~'}{left_text(come.seconds)}"
    return "running" if come.running else "waiting"


def batch_rows(
    records: Sequence[RunRecord],
    is_folded: Callable[[RunGroup], bool] = lambda group: len(group.records) >= FOLDED_FROM,
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


# Groups


def batches(records: Iterable[RunRecord]) -> list[RunGroup | RunRecord]:
    """Batches of runs, which are given newest first, and runs that are alone: those that have begun, the queue in its
    order, then ended ones."""
    return _gathered(records, batch_of, None)


def parts_of(group: RunGroup) -> Sequence[RunGroup | RunRecord]:
    """The runs of a batch; those that repeat one test, where there are others too, as groups of their own."""
    if group.depth or len({_request(record) for record in group.records}) in (1, len(group.records)):
        return group.records
    return _gathered(group.records, _request, group)


def _request(record: RunRecord) -> tuple[str, str, str, str]:
    """Runs of a batch with the same one repeat each other."""
    spec = record.spec
    return spec.test_id, spec.kind, spec.arch or "", spec.profile


def _gathered(
    records: Iterable[RunRecord], name_of: Callable[[RunRecord], Hashable], within: RunGroup | None
) -> list[RunGroup | RunRecord]:
    """Groups of runs with the same name, in an order that changes only when one begins or ends, or when the queue does.

    Most runs have ended, and are not sorted.
    """
    members: dict[Hashable, list[RunRecord]] = {}
    going: dict[Hashable, None] = {}
    for record in records:
        name = name_of(record)
        if name in members:
            members[name].append(record)
        else:
            members[name] = [record]
        if record.outcome is None:
            going[name] = None

    def rank(name: Hashable) -> tuple[int, float]:
        began = [record.started for record in members[name] if record.started is not None]
        return (0, min(began)) if began else (1, min(record.turn or 0 for record in members[name]))

    first = [(in_turn(members.pop(name))) for name in sorted(going, key=rank)]
    return [some[0] if len(some) == 1 else _group(some, within) for some in (*first, *members.values())]


def _group(records: Sequence[RunRecord], within: RunGroup | None) -> RunGroup:
    first = min(record.spec.run_id for record in records)
    return RunGroup(f"{within.key}/{first}" if within else batch_of(records[0]), records, within)


def in_turn(records: Sequence[RunRecord]) -> Sequence[RunRecord]:
    """Runs (given newest first) in the order of the table: running, queued, then ended, newest first."""

    def rank(record: RunRecord) -> tuple[int, float]:
        if record.state is RunState.RUNNING:
            return 0, record.started or 0.0
        return (1, record.turn or 0) if record.state is RunState.QUEUED else (2, 0)

    return sorted(records, key=rank)
