# SPDX-License-Identifier: Apache-2.0
"""The areas in which upstream reads a nightly, by the paths of tests and the names of jobs."""

import re

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
OPS = "ops"
OTHER = "other"
AREAS = (*(name for name, _ in _PLACES), OPS, OTHER)


def area_of(text: str) -> str:
    """The area of a path, or of the name of a job."""
    return next((name for name, pattern in _PLACES if pattern.search(text.lower())), OTHER)
