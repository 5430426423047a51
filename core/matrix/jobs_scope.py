# SPDX-License-Identifier: Apache-2.0
"""What one job asks pytest for: paths, `-m` and `-k` (spec 3.2, 3.4)."""

import posixpath
from collections.abc import Set
from functools import cache

from core.matrix.markers_expression import keyword_matches, problem
from core.model import TEST_MODULE, Function
from core.sources.presets import Job


@cache
def covers(paths: str, function: Function) -> bool:
    """Whether pytest, given `paths` with spaces between them, collects a function of the runner.

    A path is a directory, a file or `file::function`; one that names a single item with `[id]` covers nothing.
    """
    return any(_path_covers(path, function) for path in paths.split())


def covers_models(paths: str) -> bool:
    """Whether any test of the matrix is among `paths`."""
    return any(covers(paths, function) for function in Function)


def contains(job: Job, function: Function, id: str, markers: Set[str]) -> bool:
    """Whether the job's `-k` selects an item: pytest looks at its name, its module and packages, and its markers."""
    if not job.contains:
        return True
    return keyword_matches(job.contains, markers | {*TEST_MODULE.split("/"), f"{function}[{id}]"})


def job_problem(job: Job) -> str:
    """Why pytest would refuse the expressions of `job`; empty: it would not."""
    return problem(job.test_mark, job.contains)


def _path_covers(path: str, function: Function) -> bool:
    where, _, name = path.partition("::")
    where = posixpath.normpath(where)
    if name:
        return where == TEST_MODULE and name == function
    return where in (".", TEST_MODULE) or TEST_MODULE.startswith(f"{where}/")
