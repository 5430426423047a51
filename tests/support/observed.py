# SPDX-License-Identifier: Apache-2.0
"""Observations and judgements for tests, with only what matters spelled out."""

from collections.abc import Sequence
from dataclasses import replace

from core.evidence.judgement import Judgement, Verdict
from core.evidence.observation import Ending, Observation, Origin
from core.model import BringupStatus, Function, Status

_PLAIN = Observation(
    test_id="alpha/pytorch-tiny-single_device-inference",
    function=Function.TORCH,
    arch="n150",
    origin=Origin.CI,
    run="nightly-1",
    when=1_700_000_000.0,
    host="host-a",
    ending=Ending.PASSED,
    expected=Status.KNOWN_FAILURE_XFAIL,
    forced=False,
    stage=BringupStatus.UNKNOWN,
    reason="",
    seconds=1.0,
)


def observed(ending: Ending = Ending.PASSED, reason: str = "", **fields: object) -> Observation:
    """One observation; what is not given is as in a plain nightly."""
    return replace(_PLAIN, ending=ending, reason=reason, **fields)  # type: ignore[arg-type]


def judged(verdict: Verdict, rows: Sequence[Observation] = (), **fields: object) -> Judgement:
    """A judgement on the cell of `rows`, by default one of three passes."""
    rows = tuple(rows) or tuple(observed(run=f"nightly-{number}") for number in (1, 2, 3))
    plain = Judgement(rows[0].test_id, rows[0].arch, verdict, f"{verdict} it is", rows)
    return replace(plain, **fields)  # type: ignore[arg-type]
