# SPDX-License-Identifier: Apache-2.0
"""One pytest invocation on a device for all tests that an edit concerns."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from core.ids import TestId
from core.matrix.matrix import Matrix
from core.model import node_id
from core.runs.kinds import DEVICE_NODES, kind_for
from core.runs.plan import plan_test
from core.runs.preflight import Level, Surroundings, preflight
from core.runs.spec import RUN_VARIABLE, RunSpec, shell_command
from core.runs.survey import Survey
from core.settings import Settings

KIND = "device"
_JUNIT = "--junitxml="
_FORKED = "--forked"
"""One test that crashes takes the others along, unless each has a process of its own."""


def plan_device(matrix: Matrix, ids: Sequence[str], settings: Settings, *, runs: Path, arch: str) -> RunSpec:
    """One run of all of `ids`, in the name of the first. Raises as `plan_test` does."""
    spec = plan_test(matrix, ids[0], settings, runs=runs, kind=KIND, arch=arch)
    own = _node(ids[0])
    nodes = [_node(id) for id in ids]
    argv = [word for one in spec.argv for word in (nodes if one == own else [one])]
    return replace(spec, argv=tuple(argv))


def with_forks(spec: RunSpec, versions: Survey) -> RunSpec:
    """The same with a process for each test, where pytest can do that."""
    can = versions.versions is not None and versions.versions.get("pytest_forked") is not None
    if not can or _FORKED in spec.argv:
        return spec
    at = spec.argv.index("--force-run")
    return replace(spec, argv=(*spec.argv[:at], _FORKED, *spec.argv[at:]))


def missing_device(spec: RunSpec, around: Surroundings, settings: Settings) -> str:
    """Why the run cannot be made here; empty: it can. A run without a device is none: a CPU proves nothing of one."""
    kind = kind_for(KIND, around.checkout, settings)
    blockers = [one.what for one in preflight(kind, [spec], around) if one.level is Level.BLOCKER]
    if not (DEVICE_NODES.is_dir() and any(DEVICE_NODES.iterdir())):
        blockers.append(f"there is no device at {DEVICE_NODES}")
    elif not spec.devices:
        blockers.append(f"the backend {settings.backend!r} of ttmatrix's own runner uses no device")
    return "; ".join(blockers)


def by_hand(spec: RunSpec, report: Path) -> str:
    """The line to paste into a shell that makes the run and leaves its JUnit file at `report`; no run of ours."""
    argv = [f"{_JUNIT}{report}" if word.startswith(_JUNIT) else word for word in spec.argv]
    env = {name: value for name, value in spec.env.items() if name != RUN_VARIABLE}
    return shell_command(replace(spec, argv=tuple(argv), env=env))


def _node(id: str) -> str:
    parsed = TestId.parse(id)
    return node_id(parsed.function, id) if parsed else id
