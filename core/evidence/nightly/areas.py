# SPDX-License-Identifier: Apache-2.0
"""Whose test or job it is: the areas in which upstream reads a nightly."""

import re

from core.domain.model import Function
from core.evidence.ci_runs import JobName
from core.evidence.observation import Observation

MODELS = "model tests"
BENCHMARKS = "benchmarks"
_PLACES = (
    ("vLLM", re.compile(r"vllm")),
    ("multi-host", re.compile(r"multi.?host")),
    ("PJRT unit tests", re.compile(r"pjrt")),
    (BENCHMARKS, re.compile(r"benchmark|(?:^|[_/ ])perf(?:$|[_/ ])")),
    ("examples", re.compile(r"examples?(?:$|[_/ ])")),
    (MODELS, re.compile(r"forge.models?|full_model|tests/runner|model.test")),
    ("jax", re.compile(r"(?:^|[_/ ])jax(?:$|[_/ ])")),
    ("torch", re.compile(r"(?:^|[_/ ])torch(?:$|[_/ ])")),
)
OTHER = "other"
AREAS = (*(name for name, _ in _PLACES), OTHER)


def area_of_test(row: Observation) -> str:
    """The area of a test, by its path."""
    return _area(row.test_id) if row.function == Function.HANDWRITTEN else MODELS


def area_of_job(job: JobName) -> str:
    """The area of a job, by the names of its row and of what called it."""
    if job.benchmark:
        return BENCHMARKS
    found = _area(job.row)
    return found if found != OTHER else _area(job.caller)


def _area(text: str) -> str:
    return next((name for name, pattern in _PLACES if pattern.search(text.lower())), OTHER)
