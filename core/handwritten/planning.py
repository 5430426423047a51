# SPDX-License-Identifier: Apache-2.0
"""Runs of hand-written tests: pytest with the node id, by the checkout's own interpreter."""

import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from core.base.errors import TTMatrixError, UsageError
from core.base.settings import Settings
from core.domain.model import Function
from core.handwritten.selection import jobs_of
from core.runs import RUN_VARIABLE, ResultFormat, RunSpec, new_token, run_id
from core.runs.planning import (
    KINDS,
    LaunchPlan,
    activation,
    as_batch,
    boards_of_test,
    find_interpreter,
    look_ahead,
    pytest_environment,
    pytest_words,
    upstream_words,
    with_estimates,
)
from core.runs.store import RunRecord
from core.sources import Checkout
from core.sources.ci import Jobs, read_jobs
from core.sources.handwritten import HandwrittenTest

CPU, DEVICE = "cpu", "device"
_CPU_MARKER = "cpu"
"""The marker of upstream's tests that need no device."""
_GIB = 2**30


def plan_handwritten_runs(
    checkout: Checkout,
    tests: Iterable[HandwrittenTest],
    settings: Settings,
    *,
    runs: Path,
    arch: str = "",
    records: Iterable[RunRecord] = (),
) -> LaunchPlan:
    """Runs of tests as one batch, with warnings, and why other tests cannot run. Not for the UI thread.

    `records` are earlier runs, newest first: they give the expected durations.
    """
    specs: list[RunSpec] = []
    refused: list[TTMatrixError] = []
    jobs, _ = read_jobs(checkout)
    for test in tests:
        try:
            specs.append(plan_handwritten(checkout, test, settings, runs=runs, arch=arch, jobs=jobs))
        except TTMatrixError as error:
            refused.append(error)
    return look_ahead(as_batch(with_estimates(specs, records, {})), settings, refused, runs=runs)


def plan_handwritten(
    checkout: Checkout,
    test: HandwrittenTest,
    settings: Settings,
    *,
    runs: Path,
    kind: str = "",
    arch: str = "",
    timeout: float | None = None,
    environ: Mapping[str, str] = os.environ,
    jobs: Jobs | None = None,
) -> RunSpec:
    """The run of `test`, with its files under `runs`; in a process of its own if one of the `jobs` of CI does that.

    An empty kind means `cpu` if the test is marked as needing no device, else `device`. Raises UsageError if the test
    cannot run as `kind`, TTMatrixError if the interpreter is missing.
    """
    on_cpu = _CPU_MARKER in test.markers and kind != DEVICE
    kind = kind or (CPU if on_cpu else DEVICE)
    if kind != DEVICE and not on_cpu:
        raise UsageError(f"{test.node_id} needs a device", "It is not marked cpu.", f"Give --kind {DEVICE}.")
    how = KINDS[DEVICE]
    forked = any(job.forked for job in jobs_of(read_jobs(checkout)[0] if jobs is None else jobs, test))
    limit = how.timeout(settings) if timeout is None else timeout
    now, token = datetime.now(UTC), new_token()
    name = run_id(now, token)
    python = find_interpreter(checkout.root, settings)
    artefacts = runs.absolute() / name
    words = pytest_words(artefacts, forked=forked)
    active = activation(checkout.root, python, environ)
    own = pytest_environment(words, artefacts, environ)
    return RunSpec(
        run_id=name,
        test_id=test.node_id,
        function=Function.HANDWRITTEN,
        kind=kind,
        arch=arch or None,
        argv=(str(python), *words, *upstream_words(checkout, artefacts), test.node_id),
        env={"PYTHONUNBUFFERED": "1", RUN_VARIABLE: name, **active.env, **own},
        paths=active.paths,
        boards=() if on_cpu else boards_of_test(test.path, test.markers),
        cwd=checkout.root,
        timeout=limit,
        created=now.isoformat(),
        nonce=token,
        slots=kind,
        slot_count=KINDS[kind].slot_count(settings),
        report=ResultFormat.JUNIT,
        devices=() if on_cpu else how.devices(environ),
        hang_timeout=settings.hang_timeout,
        log_limit=int(max(0.0, settings.log_gib) * _GIB),
    )
