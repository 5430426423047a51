# SPDX-License-Identifier: Apache-2.0
"""What a run is to do, complete and as data: whoever holds it needs nothing else to run it or to show it."""

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from core.errors import TTMatrixError
from core.model import Function

VERSION = 1

_RUN_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}")


class RunKind(StrEnum):
    """What executes the test; each kind has a `plan_<kind>` in `core.runs.plan`."""

    CPU = "cpu"
    """The loader's model in plain PyTorch, without a device."""


@dataclass(frozen=True, slots=True)
class RunSpec:
    """One execution of one test id, planned."""

    run_id: str
    """Sorts by time: `20261121-073215-ab12cd`, in UTC."""
    test_id: str
    function: Function
    kind: RunKind
    arch: str | None
    """Arch whose cell the run is meant for; None: any."""
    argv: tuple[str, ...]
    env: Mapping[str, str]
    """Variables set on top of the environment that the run is started from."""
    cwd: Path
    timeout: float
    """Seconds from the start of the process after which it is stopped; 0: never."""
    created: str
    """ISO 8601, UTC."""
    nonce: str
    """What the child repeats in its result line, so that nothing the model prints passes for it."""
    slots: str
    """Name of the slots the run competes for."""
    slot_count: int
    """How many runs may hold one of these slots at a time."""


def run_id(now: datetime, token: str) -> str:
    """Readable, unique and in the order of time: the second of `now` in UTC and six hex digits of `token`."""
    return f"{now.astimezone(UTC):%Y%m%d-%H%M%S}-{token[:6]}"


def is_run_id(text: str) -> bool:
    """Whether `text` has the form that `run_id` gives."""
    return _RUN_ID.fullmatch(text) is not None


def shell_command(spec: RunSpec) -> str:
    """The line to paste into a POSIX shell to do by hand exactly what the run does."""
    assignments = [f"{name}={value}" for name, value in spec.env.items()]
    command = [*(["env", *assignments] if assignments else []), *spec.argv]
    return f"cd {shlex.quote(str(spec.cwd))} && {shlex.join(command)}"


def spec_to_json(spec: RunSpec) -> str:
    """The content of a run's `spec.json`."""
    fields = {**asdict(spec), "cwd": str(spec.cwd)}
    return json.dumps({"version": VERSION, **fields}, indent=2, allow_nan=False) + "\n"


def spec_from_json(text: str) -> RunSpec:
    """The spec that `spec_to_json` wrote. Raises TTMatrixError for anything else."""
    try:
        raw = json.loads(text)
        if not isinstance(raw, dict) or raw.get("version") != VERSION:
            raise ValueError(f"it is not of version {VERSION}")
        return _decode(raw)
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise TTMatrixError("Not the spec of a run", f"{type(error).__name__}: {error}") from error


def _decode(raw: Mapping[str, Any]) -> RunSpec:
    return RunSpec(
        run_id=str(raw["run_id"]),
        test_id=str(raw["test_id"]),
        function=Function(raw["function"]),
        kind=RunKind(raw["kind"]),
        arch=None if raw["arch"] is None else str(raw["arch"]),
        argv=tuple(map(str, raw["argv"])),
        env={str(name): str(value) for name, value in raw["env"].items()},
        cwd=Path(raw["cwd"]),
        timeout=float(raw["timeout"]),
        created=str(raw["created"]),
        nonce=str(raw["nonce"]),
        slots=str(raw["slots"]),
        slot_count=int(raw["slot_count"]),
    )
