# SPDX-License-Identifier: Apache-2.0
"""Runs of a checkout's own tests beside those of models: pytest with a node id, by the checkout's interpreter."""

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from core.base.settings import Settings
from core.domain.model import Function
from core.runs.planning.activate import activation
from core.runs.planning.interpreter import find_interpreter
from core.runs.planning.kinds import KINDS
from core.runs.planning.pytest_command import pytest_environment, pytest_words
from core.runs.spec import RUN_VARIABLE, ResultFormat, RunSpec, new_token, run_id
from core.sources import Checkout

DEVICE = "device"
_GIB = 2**30


def plan_own_test(
    checkout: Checkout,
    id: str,
    settings: Settings,
    arguments: Callable[[Path], Sequence[str]],
    *,
    runs: Path,
    kind: str = DEVICE,
    on_device: bool = True,
    forked: bool = False,
    boards: Sequence[str] = (),
    arch: str = "",
    timeout: float | None = None,
    environ: Mapping[str, str] = os.environ,
) -> RunSpec:
    """The run of one test, with its files under `runs`; `arguments` are those of pytest, by directory of artefacts.

    Raises TTMatrixError if the interpreter is missing.
    """
    how = KINDS[DEVICE]
    now, token = datetime.now(UTC), new_token()
    name = run_id(now, token)
    python = find_interpreter(checkout.root, settings)
    artefacts = runs.absolute() / name
    words = pytest_words(artefacts, forked=forked)
    active = activation(checkout.root, python, environ)
    own = pytest_environment(words, artefacts, environ)
    return RunSpec(
        run_id=name,
        test_id=id,
        function=Function.HANDWRITTEN,
        kind=kind,
        arch=arch or None,
        argv=(str(python), *words, *arguments(artefacts)),
        env={"PYTHONUNBUFFERED": "1", RUN_VARIABLE: name, **active.env, **own},
        paths=active.paths,
        boards=tuple(boards),
        cwd=checkout.root,
        timeout=how.timeout(settings) if timeout is None else timeout,
        created=now.isoformat(),
        nonce=token,
        slots=kind,
        slot_count=KINDS[kind].slot_count(settings),
        report=ResultFormat.JUNIT,
        devices=how.devices(environ) if on_device else (),
        hang_timeout=settings.hang_timeout,
        log_limit=int(max(0.0, settings.log_gib) * _GIB),
    )
