# SPDX-License-Identifier: Apache-2.0
"""Batches of runs, and the repetitions of a test in them: each below a heading that says how far it is."""

import os
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import count
from types import MappingProxyType
from typing import NamedTuple

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
_BESIDE_NAME = 16 + _FAILED + _TAKEN + _LEFT + 4
"""Cells of a heading without its name and its bar."""
_LEAST_NAME = 8
_TITLES = HeadingTitles("batch", "runs", "done", "outcomes")
_MORE = f" {'':>{_FAILED}} {'time':>{_TAKEN}} {'left, begun':>{_LEFT}} "

_Alike = tuple[str, str, str, str]


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
        return margin + (fit(one_line(what), room, elide=True).rstrip() + tail if room >= _LEAST_NAME else self.name)

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
        several = (sorted(one.spec.run_id for one in alike) for alike in _alike(self.records) if len(alike) > 1)
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


class _Line(NamedTuple):
    group: RunGroup
    record: RunRecord | None
    """None: this is the heading."""
    heading: int | None
    """The position of the heading above it; None: there is none."""


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
        self.groups = batches(records)
        self._rows = rows
        self._numbers = numbers
        self._is_folded = is_folded
        self._clock = clock
        self._largest = max((len(group.records) for group in self.groups), default=0)
        self._lines: list[_Line] = []
        for group in self.groups:
            self._add(group)

    def _add(self, group: RunGroup, above: int | None = None) -> None:
        """Add the lines of a group."""
        if len(group.records) == 1:
            self._lines.append(_Line(group, group.records[0], above))
            return
        heading = len(self._lines)
        self._lines.append(_Line(group, None, heading))
        if not self._is_folded(group):
            self._numbers |= group.numbers
            for part in parts_of(group):
                if isinstance(part, RunGroup):
                    self._add(part)
                else:
                    self._lines.append(_Line(group, part, heading))

    @cached_property
    def _active(self) -> Sequence[RunRecord]:
        return [record for group in self.groups for record in group.records if record.active]

    @cached_property
    def _positions(self) -> Mapping[str, int]:
        """The position of each run; of one that is hidden, that of its heading."""
        found: dict[str, int] = {}
        for position, line in enumerate(self._lines):
            if line.record is not None:
                found[line.record.spec.run_id] = position
                continue
            found[_HEADING + line.group.key] = position
            if self._is_folded(line.group):
                found |= {record.spec.run_id: position for record in line.group.records}
        return found

    def __len__(self) -> int:
        return len(self._lines)

    def key(self, position: int) -> str:
        group, record, _ = self._lines[position]
        return _HEADING + group.key if record is None else record.spec.run_id

    def position_of(self, key: str) -> int | None:
        """The position of a heading or of a run, which is at its heading while that is folded."""
        return self._positions.get(key)

    def record(self, position: int) -> RunRecord | None:
        """The run at a position; None: a heading is there, or nothing."""
        return self._lines[position].record if 0 <= position < len(self._lines) else None

    def group(self, position: int) -> RunGroup | None:
        """The group at a position."""
        return self._lines[position].group if 0 <= position < len(self._lines) else None

    def progress(self, group: RunGroup) -> Progress:
        """The present progress of a group."""
        return batch_progress(group.records, self._active, self._clock())

    def first(self) -> str | None:
        """The key of the first run, or of the heading that hides it."""
        shown = (at for at, line in enumerate(self._lines) if line.record or self._is_folded(line.group))
        return next(map(self.key, shown), None)

    def heading_of(self, position: int) -> int | None:
        """The position of the heading above a row, or of the heading that is there."""
        return self._lines[position].heading

    def ids(self) -> Iterable[str]:
        return self._rows.ids()

    def marked(self, position: int) -> bool:
        group, record, _ = self._lines[position]
        return all(map(self._rows.is_marked, group.records if record is None else (record,)))

    def cells(self, position: int) -> Row:
        group, record, _ = self._lines[position]
        return ([Cell(group.name)],) if record is None else self._rows.cells_of(record)

    def is_heading(self, position: int) -> bool:
        """Whether there is a heading at a position."""
        return self._lines[position].record is None

    def heading(self, position: int, width: int) -> Sequence[Cell]:
        """The pieces of a heading over the whole width."""
        group = self._lines[position].group
        come, taken = self.progress(group), time_taken(group.records, self._clock())
        return heading_line(
            [Cell(group.name_in(width - _BESIDE_NAME - bar_room(width)), "" if come.left else "dim")],
            come.total,
            rate_text((Part(come.done), Part(come.left))),
            scaled_bar(group.parts, bar_room(width), self._largest),
            width,
            opened=not self._is_folded(group),
            more=_more(come, taken, _left(come) if come.left else ago_text(group.begun, self._clock())),
        )

    def heading_titles(self, width: int) -> str:
        """The titles above the pieces of a heading."""
        return title_line(_TITLES, width, _MORE)


def _more(come: Progress, taken: float | None, left: str) -> Sequence[Cell]:
    failed = f"{come.failed:,} failed" if come.failed else ""
    return (
        Cell(f" {failed:>{_FAILED}}", "fail"),
        Cell(f" {seconds_text(taken):>{_TAKEN}}", "dim"),
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


def batches(records: Iterable[RunRecord]) -> list[RunGroup]:
    """Batches of runs, which are given newest first: those that have begun, the queue in its order, then ended ones."""
    members: dict[str, list[RunRecord]] = {}
    for record in records:
        members.setdefault(batch_of(record), []).append(record)
    return [RunGroup(name, in_turn(some)) for name, some in _ordered(members)]


def parts_of(group: RunGroup) -> Iterator[RunGroup | RunRecord]:
    """The runs of a batch; those that repeat one test, where there are others too, as groups of their own."""
    alike = _alike(group.records)
    if group.depth or len(alike) in (1, len(group.records)):
        yield from group.records
        return
    for name, some in _ordered({min(record.spec.run_id for record in some): some for some in alike}):
        yield RunGroup(f"{group.key}/{name}", in_turn(some), group) if len(some) > 1 else some[0]


def _alike(records: Iterable[RunRecord]) -> list[list[RunRecord]]:
    """Runs of a batch, those that were requested alike together."""
    found: dict[_Alike, list[RunRecord]] = {}
    for record in records:
        spec = record.spec
        found.setdefault((spec.test_id, spec.kind, spec.arch or "", spec.profile), []).append(record)
    return list(found.values())


def _ordered(members: Mapping[str, list[RunRecord]]) -> list[tuple[str, list[RunRecord]]]:
    """Groups in an order that changes only when one begins or ends, or when the queue does."""
    turns = count()

    def rank(named: tuple[str, list[RunRecord]]) -> tuple[int, float]:
        some, turn = named[1], next(turns)
        if not any(record.active for record in some):
            return 2, turn
        began = [record.started for record in some if record.started is not None]
        return (0, min(began)) if began else (1, min(record.turn or 0 for record in some))

    return sorted(members.items(), key=rank)


def in_turn(records: Sequence[RunRecord]) -> Sequence[RunRecord]:
    """Runs (given newest first) in the order of the table: running, queued, then ended, newest first."""

    def rank(record: RunRecord) -> tuple[int, float]:
        if record.state is RunState.RUNNING:
            return 0, record.started or 0.0
        return (1, record.turn or 0) if record.state is RunState.QUEUED else (2, 0)

    return sorted(records, key=rank) if any(record.active for record in records) else records
