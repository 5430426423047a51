# SPDX-License-Identifier: Apache-2.0
"""Artefacts that were read and are not stored yet: many are stored at once, because each time waits for the disk.

Until then their archives stay here, so that none is asked for again, whatever ends the process meanwhile.
"""

import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from core.evidence.ci_runs import CiRun, JobReport
from core.evidence.github.actions import Artefact
from core.evidence.github.ends import hangs
from core.evidence.perf_reports import PerfReport
from core.evidence.reports import Reading

DAMAGED = "not a readable archive"
_MOST_SECONDS = 1.0
"""So long a reader waits for results that are here."""
_MOST_TESTCASES, _MOST_BYTES = 5_000, 64 * 2**20


class Item(NamedTuple):
    """One artefact that was read."""

    artefact: Artefact
    reading: Reading
    performance: Sequence[PerfReport] = ()

    @property
    def readable(self) -> bool:
        """Whether it was an archive: what is none now may be one the next time."""
        return not any(problem.message.startswith(DAMAGED) for problem in self.reading.unreadable)

    @property
    def hung(self) -> bool:
        """Whether the device hung under one of its tests."""
        reports = self.reading.reports
        return any(hangs(one.reason) for report in reports for one in (*report.observations, *report.by_hand))

    @property
    def left(self) -> JobReport:
        """What its job has left in it. A report that is none ends before its first test."""
        reports = self.reading.reports
        none = 0 if self.artefact.holds_performance else len(self.reading.unreadable)
        tests = sum(report.counts.total() for report in reports)
        cut = bool(none) or any(report.cut for report in reports)
        return JobReport(len(reports) + none, tests, cut, len(self.performance))


class Unstored:
    """What was read since something was stored last, with its archives below `directory`."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.items: list[Item] = []
        self._begun = 0.0
        self._testcases = self._bytes = 0

    def archive(self, run: CiRun, artefact: Artefact) -> Path:
        """Where its archive is, as a person would lay it out: the directory is the run, and its name gives the job."""
        return self.root(artefact) / run.name / f"{artefact.name}.zip"

    def root(self, artefact: Artefact) -> Path:
        """The directory that has nothing else in it."""
        return self._directory / str(artefact.id)

    def add(self, item: Item) -> None:
        self._begun = self._begun if self.items else time.monotonic()
        self.items.append(item)
        self._testcases += item.left.tests
        self._bytes += item.artefact.bytes

    @property
    def is_due(self) -> bool:
        """Whether it is time to store them."""
        late = time.monotonic() - self._begun > _MOST_SECONDS
        return bool(self.items) and (late or self._testcases > _MOST_TESTCASES or self._bytes > _MOST_BYTES)

    @property
    def reading(self) -> Reading:
        """All of them as one."""
        reports = tuple(report for item in self.items for report in item.reading.reports)
        return Reading(reports, tuple(problem for item in self.items for problem in item.reading.unreadable))

    def clear(self) -> None:
        """They are stored."""
        for item in self.items:
            shutil.rmtree(self.root(item.artefact), ignore_errors=True)
        self.items = []
        self._testcases = self._bytes = 0
