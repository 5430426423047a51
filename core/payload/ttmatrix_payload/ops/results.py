# SPDX-License-Identifier: Apache-2.0
"""The result of a case: its status, what was measured, and how long each part took."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

PASS = "pass"
FAIL = "fail"
"""The tested side deviates from the reference, or does not raise an expected error."""
REFERENCE_ERROR = "error(ref)"
"""The reference itself cannot run: this says nothing about the backend."""
BUILD_ERROR = "build-error"
"""The case cannot run: an unknown op, a mistake in the manifest, inputs that cannot be built."""
SKIP = "skip"
XFAIL = "xfail"
XPASS = "xpass"
DUP = "dup"
"""Equal to an earlier case of this run, whose verdict it takes."""
CRASH = "crash"
TIMEOUT = "timeout"
NOT_AN_OP = "not-an-op"

STATUSES = (PASS, FAIL, REFERENCE_ERROR, BUILD_ERROR, SKIP, XFAIL, XPASS, DUP, CRASH, TIMEOUT, NOT_AN_OP)

BUILD, REFERENCE, TEST, COMPARE = "build", "reference", "test", "compare"
"""The stages of a case, in their order."""


class Seconds(NamedTuple):
    """How long the parts of a case took; None: the case did not get there, or the backend has no such part."""

    build: float | None = None
    eager: float | None = None
    """The reference."""
    compile: float | None = None
    run: float | None = None
    compare: float | None = None
    """Comparing the two sides."""


class Result(NamedTuple):
    """The result of one case."""

    status: str
    message: str = ""
    stage: str = BUILD
    """The last stage that began."""
    seconds: Seconds = Seconds()
    peak_bytes: int | None = None
    """Peak growth of the process's memory; None: unknown."""
    max_abs: float | None = None
    max_rel: float | None = None
    mismatched: float | None = None
    """Percent of the elements."""
    pcc: float | None = None

    def document(self) -> dict[str, Any]:
        """The result as JSON; non-finite numbers are null."""
        numbers = {name: _finite(value) for name, value in self._asdict().items()}
        return {**numbers, "seconds": {name: _finite(value) for name, value in self.seconds._asdict().items()}}


def _finite(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return float(f"{value:.6g}") if math.isfinite(value) else None
