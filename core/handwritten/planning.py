# SPDX-License-Identifier: Apache-2.0
"""Runs of hand-written tests: whether one needs a device, and a process of its own as in CI."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from core.base.errors import UsageError
from core.base.settings import Settings
from core.handwritten.selection import jobs_of
from core.runs import RunSpec
from core.runs.planning import boards_of_test, plan_own_test, upstream_words
from core.sources import Checkout
from core.sources.ci import Job
from core.sources.handwritten import HandwrittenTest

CPU, DEVICE = "cpu", "device"
_CPU_MARKER = "cpu"
"""The marker of upstream's tests that need no device."""


def plan_handwritten(
    checkout: Checkout,
    test: HandwrittenTest,
    settings: Settings,
    jobs: Iterable[Job],
    *,
    runs: Path,
    kind: str = "",
    arch: str = "",
    timeout: float | None = None,
) -> RunSpec:
    """The run of `test`, with its files under `runs`; in a process of its own if one of the `jobs` of CI does that.

    An empty kind means `cpu` if the test is marked as needing no device, else `device`. Raises UsageError if the test
    cannot run as `kind`, TTMatrixError if the interpreter is missing.
    """
    on_cpu = _CPU_MARKER in test.markers and kind != DEVICE
    kind = kind or (CPU if on_cpu else DEVICE)
    if kind != DEVICE and not on_cpu:
        raise UsageError(f"{test.node_id} needs a device", "It is not marked cpu.", f"Give --kind {DEVICE}.")

    def arguments(artefacts: Path) -> Sequence[str]:
        return *upstream_words(checkout, artefacts), test.node_id

    return plan_own_test(
        checkout,
        test.node_id,
        settings,
        arguments,
        runs=runs,
        kind=kind,
        on_device=not on_cpu,
        forked=any(job.forked for job in jobs_of(jobs, test)),
        boards=() if on_cpu else boards_of_test(test.path, test.markers),
        arch=arch,
        timeout=timeout,
    )
