# SPDX-License-Identifier: Apache-2.0
"""Whose test or job it is: the areas in which upstream reads a nightly."""

from core.domain.areas import BENCHMARKS, MODELS, OTHER, area_of
from core.domain.model import Function
from core.evidence.ci_runs import JobName
from core.evidence.observation import Observation


def area_of_test(row: Observation) -> str:
    """The area of a test, by its path."""
    return area_of(row.test_id) if Function(row.function).beside_models else MODELS


def area_of_job(job: JobName) -> str:
    """The area of a job, by the names of its row and of what called it."""
    if job.benchmark:
        return BENCHMARKS
    found = area_of(job.row)
    return found if found != OTHER else area_of(job.caller)
