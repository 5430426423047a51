# SPDX-License-Identifier: Apache-2.0
"""The areas in which upstream reads a nightly: of a test by the directory it is rooted in, of a job by its name."""

import re

MODELS = "model tests"
BENCHMARKS = "benchmarks"
_VLLM, _MULTI_HOST, _UNIT_TESTS, _EXAMPLES, _JAX, _TORCH = (
    "vLLM",
    "multi-host",
    "PJRT unit tests",
    "examples",
    "jax",
    "torch",
)
OPS = "ops"
OTHER = "other"
AREAS = (_VLLM, _MULTI_HOST, _UNIT_TESTS, BENCHMARKS, _EXAMPLES, MODELS, _JAX, _TORCH, OPS, OTHER)

_ROOTS = (
    ("tests/integrations/vllm_plugin/", _VLLM),
    ("integrations/vllm_tt/", _VLLM),
    ("tests/torch/multi_host/", _MULTI_HOST),
    ("tests/jax/multi_host/", _MULTI_HOST),
    ("tests/pjrt/", _UNIT_TESTS),
    ("pjrt_implementation/", _UNIT_TESTS),
    ("tests/benchmark/", BENCHMARKS),
    ("tests/examples/", _EXAMPLES),
    ("examples/", _EXAMPLES),
    ("tests/runner/", MODELS),
    ("tests/jax/", _JAX),
    ("tests/torch/", _TORCH),
    ("tests/", OTHER),
)
"""Where the tests of an area are rooted: whatever a file is called, its directory decides."""
_WORDS = (
    (_VLLM, re.compile(r"vllm")),
    (_MULTI_HOST, re.compile(r"multi.?host")),
    (_UNIT_TESTS, re.compile(r"pjrt")),
    (BENCHMARKS, re.compile(r"benchmark|(?:^|[_/ ])perf(?:$|[_/ ])")),
    (_EXAMPLES, re.compile(r"(?:^|[_/ ])examples?(?:$|[_/ ])")),
    (MODELS, re.compile(r"forge.models?|full_model|model.test")),
    (_JAX, re.compile(r"(?:^|[_/ ])jax(?:$|[_/ ])")),
    (_TORCH, re.compile(r"(?:^|[_/ ])torch(?:$|[_/ ])")),
)
"""What the name of a job of an area has in it."""


def area_of(text: str) -> str:
    """The area of the path of a test, or of the name of a job."""
    rooted = next((area for root, area in _ROOTS if text.startswith(root)), "")
    return rooted or next((area for area, pattern in _WORDS if pattern.search(text.lower())), OTHER)
