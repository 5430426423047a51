# SPDX-License-Identifier: Apache-2.0
"""Which jobs of CI select a hand-written test: by path, markers and keywords, as pytest does (docs/rules.md 3.2)."""

import posixpath
from collections.abc import Iterable

from core.ci import job_problem, keyword_matches, mark_matches
from core.sources.ci import Job
from core.sources.handwritten import HandwrittenTest


def jobs_by_id(jobs: Iterable[Job], tests: Iterable[HandwrittenTest]) -> dict[str, tuple[Job, ...]]:
    """The jobs among `jobs` that select each test. If its parameters are unknown, so are the markers that they add.

    Few sets of markers cover all tests, so that marks are matched once for each set.
    """
    known = [job for job in jobs if not job_problem(job)]
    marked: dict[frozenset[str], list[Job]] = {}
    found: dict[str, tuple[Job, ...]] = {}
    for test in tests:
        if test.markers not in marked:
            marked[test.markers] = [job for job in known if mark_matches(job.test_mark, test.markers)]
        mine = marked[test.markers]
        found[test.node_id] = tuple(job for job in mine if _covers(job.dir, test) and _named(job, test))
    return found


def jobs_of(jobs: Iterable[Job], test: HandwrittenTest) -> tuple[Job, ...]:
    """`jobs_by_id` for one test."""
    return jobs_by_id(jobs, (test,))[test.node_id]


def _named(job: Job, test: HandwrittenTest) -> bool:
    item = test.node_id.rpartition("::")[2]
    return not job.contains or keyword_matches(
        job.contains, test.markers | {*test.path.split("/"), *test.classes, item}
    )


def _covers(paths: str, test: HandwrittenTest) -> bool:
    return any(_path_covers(path, test) for path in paths.split())


def _path_covers(path: str, test: HandwrittenTest) -> bool:
    where, double, rest = path.partition("::")
    where = posixpath.normpath(where)
    if double:
        node = f"{where}::{rest}"
        return test.node_id == node or test.node_id.startswith((f"{node}::", f"{node}["))
    return where in (".", test.path) or test.path.startswith(f"{where}/")
