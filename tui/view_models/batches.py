# SPDX-License-Identifier: Apache-2.0
"""Runs in their batches, and in each the repetitions of a test: what such a group is called, and the order of all."""

import os
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import cached_property

from rich.cells import cell_len

from core.base.text import counted, one_line
from core.runs import FAILURES, Outcome
from core.runs.planning import batch_of
from core.runs.store import RunRecord, RunState
from tui.view_models.fitting import fit
from tui.view_models.headings import Part

FOLDED_FROM = 11
"""A batch of so many runs is folded until somebody unfolds it."""
_LEAST_NAME = 8


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

    @property
    def is_long(self) -> bool:
        """Whether its runs are hidden until somebody asks for them."""
        return len(self.records) >= FOLDED_FROM

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

    @cached_property
    def counts(self) -> Counter[str]:
        """The numbers of runs that look alike in the bar."""
        return Counter(map(_looks, self.records))

    @property
    def parts(self) -> Sequence[Part]:
        """The pieces of the bar: passed, failed, ended otherwise, running, waiting."""
        return [Part(self.counts[name], *look) for name, look in _PARTS.items()]

    @cached_property
    def alike(self) -> Collection[Sequence[str]]:
        """The ids of its runs; those that were requested alike are together."""
        found: dict[object, list[str]] = {}
        for record in self.records:
            found.setdefault(_request(record), []).append(record.spec.run_id)
        return found.values()

    @property
    def numbers(self) -> Mapping[str, str]:
        """By run: `#2 ` for the second of several that were requested alike."""
        several = (sorted(ids) for ids in self.alike if len(ids) > 1)
        return {id: f"#{number} " for ids in several for number, id in enumerate(ids, 1)}


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


def batches(records: Iterable[RunRecord]) -> list[RunGroup | RunRecord]:
    """Batches of runs, which are given newest first, and runs that are alone: those that have begun, the queue in its
    order, then ended ones."""
    return _gathered(records, batch_of, None)


def parts_of(group: RunGroup) -> Sequence[RunGroup | RunRecord]:
    """The runs of a batch; those that repeat one test, where there are others too, as groups of their own."""
    if group.depth or len(group.alike) in (1, len(group.records)):
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

    first = [in_turn(members.pop(name)) for name in sorted(going, key=rank)]
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
