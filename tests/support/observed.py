# SPDX-License-Identifier: Apache-2.0
"""Observations and judgements for tests, with only what matters spelled out."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from core.evidence.judgement import Judgement, Verdict
from core.evidence.observation import Ending, Observation
from core.model import BringupStatus, Status
from tests.support.evidence import seen


def observed(ending: Ending = Ending.PASSED, reason: str = "", **fields: Any) -> Observation:
    """One observation; what is not given is as in a nightly on a test that is expected to fail, its stage unknown."""
    plain = {"expected": Status.KNOWN_FAILURE_XFAIL, "stage": BringupStatus.UNKNOWN, "when": 1_700_000_000.0}
    return seen(ending, reason=reason, **(plain | {"run": "nightly-1", "host": "host-a"} | fields))


def judged(verdict: Verdict, rows: Sequence[Observation] = (), **fields: object) -> Judgement:
    """A judgement on the cell of `rows`, by default one of three passes."""
    rows = tuple(rows) or tuple(observed(run=f"nightly-{number}") for number in (1, 2, 3))
    plain = Judgement(rows[0].test_id, rows[0].arch, verdict, f"{verdict} it is", rows)
    return replace(plain, **fields)  # type: ignore[arg-type]
