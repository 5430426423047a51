# SPDX-License-Identifier: Apache-2.0
"""What a run is to do, complete and as data: nothing else is needed to run it or to show it."""

import hashlib
import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from operator import itemgetter
from pathlib import Path

from core.files import Malformed, parsed, plain, typed
from core.model import Entry, Function

VERSION = 2
RUN_VARIABLE = "TTMATRIX_RUN"
"""Names the run in the environment of its processes."""

_RUN_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}")

_OF_CASES = ("cases", "manifests")
"""Fields that only runs of op cases have in their file."""

GRACES = (10.0, 5.0, 5.0)


class ResultFormat(StrEnum):
    """How a run's process reports the result of the test."""

    LINE = "line"
    """The last line of its output that carries the nonce; see `core.payload.cpu_repro`."""
    JUNIT = "junit"
    """`junit.xml` in the directory of the run, as pytest writes it."""
    CASES = "cases"
    """`results.jsonl` in the directory of the run, where each op case has a line as soon as its result is known."""


@dataclass(frozen=True, slots=True)
class RunSpec:
    """One execution of one test id, or of a batch of op cases, planned."""

    run_id: str
    """Sorts by time: `20261121-073215-ab12cd`, in UTC."""
    test_id: str
    """Of a batch of op cases what it is called."""
    function: Function
    kind: str
    """What executes the test: a name of `core.runs.planning.kinds`."""
    arch: str | None
    """Arch whose cell the run is meant for; None: any. Of op cases the backend."""
    argv: tuple[str, ...]
    env: Mapping[str, str]
    """Variables set on top of the environment that the run is asked for from."""
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
    """How many runs may hold one of these slots at a time; 0: as many as their devices allow."""
    report: ResultFormat = ResultFormat.LINE
    devices: tuple[str, ...] = ()
    """Devices that the run wants to itself; `*`: all of the machine's."""
    memory: int = 0
    """Bytes that must be free before the run starts beside others."""
    hang_timeout: float = 0.0
    """Seconds without output and without work after which it is stopped; 0: never."""
    graces: tuple[float, ...] = GRACES
    """Seconds it is given to end after an interrupt, after a termination and after a kill."""
    batch: str = ""
    """What the runs of one request have in common; sorts by time as run ids do."""
    parent: str = ""
    """The batch that this one reruns a part of."""
    stop_on_failure: bool = False
    """Once a run of the batch has failed, those that wait are not started any more."""
    estimate: float | None = None
    """Seconds it will take, by earlier runs."""
    profile: str = ""
    """The profile of the settings that it was asked for with."""
    log_limit: int = 0
    """Bytes that its log may have; 0: any number."""
    entry: str = ""
    """Digest of the test's entry when it was planned (`entry_digest`); empty: that was not written down."""
    prefix: tuple[str, ...] = ()
    """Words before `argv`: a debugger or a profiler with its options."""
    cases: str = ""
    """The ids of op cases, one a line; empty: it runs none.

    One text: the index has the specs of all runs, and reads them as the app starts.
    """
    manifests: tuple[str, ...] = ()
    """The files that the op cases are in, relative to `cwd`, or absolute where they are elsewhere."""
    needs: str = ""
    """A label that its host must have: an arch, the name of a host; empty: it runs on this machine."""

    @property
    def command(self) -> tuple[str, ...]:
        """All words that are executed."""
        return (*self.prefix, *self.argv)

    @property
    def case_ids(self) -> list[str]:
        """The op cases that it runs."""
        return self.cases.splitlines()


def run_id(now: datetime, token: str) -> str:
    """Readable, unique and in the order of time: the second of `now` in UTC and six hex digits of `token`."""
    return f"{now.astimezone(UTC):%Y%m%d-%H%M%S}-{token[:6]}"


def is_run_id(text: str) -> bool:
    """Whether `text` has the form that `run_id` gives."""
    return _RUN_ID.fullmatch(text) is not None


def run_ids_in(text: str) -> frozenset[str]:
    """Every run that a text names."""
    return frozenset(_RUN_ID.findall(text))


def shell_command(spec: RunSpec) -> str:
    """The line to paste into a POSIX shell to do by hand exactly what the run does."""
    assignments = [f"{name}={value}" for name, value in spec.env.items()]
    command = [*(["env", *assignments] if assignments else []), *spec.command]
    return f"cd {shlex.quote(str(spec.cwd))} && {shlex.join(command)}"


def spec_to_json(spec: RunSpec) -> str:
    """The content of a run's `spec.json`."""
    return json.dumps({"version": VERSION, **spec_fields(spec)}, indent=2, allow_nan=False) + "\n"


def spec_fields(spec: RunSpec) -> dict[str, object]:
    """The fields of a spec as JSON; those of op cases, a prefix and what it needs where it has some."""
    left_out = {*(() if spec.cases else _OF_CASES), *(name for name in ("prefix", "needs") if not getattr(spec, name))}
    return {name: value for name, value in plain(spec).items() if name not in left_out}


def spec_from_json(text: str) -> RunSpec:
    """The spec that `spec_to_json` wrote, of this or of an earlier version. Raises Malformed for anything else."""
    raw = parsed(text)
    if not isinstance(raw, dict) or raw.get("version") != VERSION:
        raise Malformed(f"it is not of version {VERSION}")
    return typed(raw, RunSpec)


def entry_digest(entry: Entry | None) -> str:
    """Tells the contents of two entries apart; comments and order do not count."""
    fields = None if entry is None else _sorted(entry.fields)
    return hashlib.sha1(json.dumps(fields, default=str).encode()).hexdigest()[:16]


def _sorted(value: object) -> object:
    """`value` in an order of its own; keys of YAML may be of any type, so they are compared as texts."""
    match value:
        case Mapping():
            named = sorted(((str(key), one) for key, one in value.items()), key=itemgetter(0))
            return [[key, _sorted(one)] for key, one in named]
        case list() | tuple():
            return [_sorted(one) for one in value]
    return value
