# SPDX-License-Identifier: Apache-2.0
"""Which jobs of CI select a hand-written test: by path, markers and keywords, as pytest does (docs/rules.md 3.2)."""

import posixpath
from collections.abc import Iterable
from typing import NamedTuple

from core.ci import job_problem, keyword_matches, mark_matches
from core.sources.ci import Job
from core.sources.handwritten import HandwrittenTest


def jobs_by_id(jobs: Iterable[Job], tests: Iterable[HandwrittenTest]) -> dict[str, tuple[Job, ...]]:
    """The jobs among `jobs` that select each test. If its parameters are unknown, so are the markers that they add.

    Few sets of markers cover all tests, and few files have them, so that marks are matched once for each set, and paths
    once for each file.
    """
    known = {job: tuple(map(_place, job.dir.split())) for job in jobs if not job_problem(job)}
    marks = dict.fromkeys(job.test_mark for job in known)
    marked: dict[frozenset[str], list[Job]] = {}
    placed: dict[tuple[str, frozenset[str]], list[Job]] = {}
    found: dict[str, tuple[Job, ...]] = {}
    for test in tests:
        path, markers = test.path, test.markers
        if markers not in marked:
            matching = {mark for mark in marks if mark_matches(mark, markers)}
            marked[markers] = [job for job in known if job.test_mark in matching]
        if (path, markers) not in placed:
            placed[path, markers] = [job for job in marked[markers] if any(one.holds(path) for one in known[job])]
        found[test.node_id] = tuple(
            job for job in placed[path, markers] if any(one.covers(test) for one in known[job]) and _named(job, test)
        )
    return found


def jobs_of(jobs: Iterable[Job], test: HandwrittenTest) -> tuple[Job, ...]:
    """`jobs_by_id` for one test."""
    return jobs_by_id(jobs, (test,))[test.node_id]


def _named(job: Job, test: HandwrittenTest) -> bool:
    item = test.node_id.rpartition("::")[2]
    return not job.contains or keyword_matches(
        job.contains, test.markers | {*test.path.split("/"), *test.classes, item}
    )


class _Place(NamedTuple):
    """A path that is given to pytest."""

    path: str
    within: str
    """What follows `::`."""

    def holds(self, path: str) -> bool:
        """Whether it is a file, or has it below."""
        return self.path in (".", path) or path.startswith(f"{self.path}/")

    def covers(self, test: HandwrittenTest) -> bool:
        if not self.within:
            return self.holds(test.path)
        node = f"{self.path}::{self.within}"
        return test.node_id == node or test.node_id.startswith((f"{node}::", f"{node}["))


def _place(text: str) -> _Place:
    path, _, within = text.partition("::")
    return _Place(posixpath.normpath(path), within)
