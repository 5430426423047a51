# SPDX-License-Identifier: Apache-2.0
"""The events of a run, as values and as lines of its `events.jsonl`."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.base.checked_numbers import LONGEST, duration, finite, moment
from core.base.errors import TTMatrixError
from core.base.files import Malformed, parsed, plain, read_bytes, typed, write_whole
from core.base.processes import ProcessIdentity
from core.runs.outcome import Outcome

VERSION = 1
_GREATEST_CODE = 2**31


@dataclass(frozen=True, slots=True)
class TreeState:
    """The code that a result belongs to. Empty texts: unknown."""

    repository: str
    """The first commit of the checkout's history: distinguishes checkouts at the same path."""
    commit: str
    """The commit of the checkout."""
    models: str
    """The commit of the models submodule."""
    loader: str
    """Digest of the loader (see `core.sources.loader_files`)."""
    imports: str
    """Digest of the modules that the loader imports."""
    committed: bool
    """Whether the commit `models` contains exactly this loader and what it imports."""


@dataclass(frozen=True, slots=True)
class Queued:
    """The run waits for its turn."""

    at: float
    """Seconds since the epoch, here and below."""
    host: str
    """The machine with the queue of the run."""
    boot: str
    """The boot of that machine (see `core.base.processes.boot_id`): no process outlives it."""


@dataclass(frozen=True, slots=True)
class Started:
    """The process of the run was started by its supervisor (see `core.runs.execution.supervisor`)."""

    at: float
    supervisor: ProcessIdentity
    argv: tuple[str, ...]
    tree: TreeState | None = None
    """The state of the checkout at its start; None: not recorded."""
    place: str = ""
    """Its host in the hosts file; empty: the machine of the queue itself."""


@dataclass(frozen=True, slots=True)
class Returned:
    """The run waits again because of its host, not because of itself; its processes there are gone."""

    at: float
    place: str
    """The host that it was on."""
    why: str
    lost: bool = True
    """Whether it was lost there; else it could not start."""
    host_failed: bool = True
    """Whether the host is to blame; if the whole cluster ended, no host is."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The run has ended, and no process of it is left."""

    at: float
    outcome: Outcome
    seconds: float = 0.0
    """From the start of the child to its end."""
    exit_code: int | None = None
    signal: int | None = None
    """Number of the signal that ended the child; then there is no exit code."""
    result: Mapping[str, object] | None = None
    """The result that the child reported."""
    detail: str = ""
    """Why the run could not be executed, if it could not."""
    stage: str = ""
    """The last bring-up stage that upstream's runner began; empty: none."""
    edited: bool = False
    """Whether its loader, or a module that it imports, changed during the run: its result is of no known code."""
    idle: float | None = None
    """If the run exceeded its time limit: its last seconds without output and work; None: unknown."""
    peak_memory: int | None = None
    """Bytes: the largest resident memory of one of its processes; None: unknown."""
    packages: str = ""
    """Which packages of the interpreter's environment were put back afterwards, or are left; empty: none."""


Event = Queued | Started | Returned | Finished


def to_line(event: Event) -> str:
    """`event` as one line of JSON, without the line end."""
    name, fields = _encode(event)
    return json.dumps({"version": VERSION, "event": name, "at": event.at, **fields}, allow_nan=False)


def parse_line(line: str) -> Event | None:
    """The event in one line; None for anything else: a torn line, another version, an unknown event."""
    try:
        raw = parsed(line)
        if not isinstance(raw, dict) or raw.get("version") != VERSION or raw.get("event") not in _KINDS:
            return None
        kind, shaped = _KINDS[raw["event"]]
        return typed({**shaped(raw), "at": moment(raw["at"])}, kind)
    except (Malformed, KeyError, TypeError):
        return None


def append_event(file: Path, event: Event) -> None:
    """Append `event` to `file`. Raises TTMatrixError if that fails.

    Several processes may append: each line is one write, and a line torn by a crash is closed first. An end is synced
    to the disk before this returns; earlier events are useless after a crash of the machine anyway.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
    try:
        descriptor = os.open(file, flags, 0o644)
        try:
            size = os.fstat(descriptor).st_size
            torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
            write_whole(descriptor, (("\n" if torn else "") + to_line(event) + "\n").encode())
            if isinstance(event, Finished):
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise TTMatrixError(f"Cannot record in {file}", error.strerror or str(error)) from error


def read_events(file: Path) -> list[Event]:
    """Every event of `file` that can be understood, in order; a missing file has none.

    The start of an attempt that failed because of its host (`Returned`) is left out, because the run has not started.
    """
    try:
        lines = read_bytes(file, None).decode("utf-8", "replace").split("\n")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise TTMatrixError(f"Cannot read {file}", error.strerror or str(error)) from error
    events = [event for event in map(parse_line, lines) if event is not None]
    last = max((place for place, event in enumerate(events) if isinstance(event, Returned)), default=-1)
    return [event for place, event in enumerate(events) if place > last or not isinstance(event, Started)]


def _encode(event: Event) -> tuple[str, dict[str, object]]:
    fields = plain(event)
    del fields["at"]
    if fields.get("peak_memory", 0) is None:
        del fields["peak_memory"]
    if fields.get("packages") == "":
        del fields["packages"]
    if isinstance(event, Started):
        # The fields of the process are at the top level of its line, not nested.
        fields = {**fields.pop("supervisor"), **fields}
        if not event.place:
            del fields["place"]
    return _NAMES[type(event)], fields


def _bounded(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of an end, without impossible durations, exit codes and signals."""
    result = raw["result"]
    return {
        **raw,
        "seconds": duration(raw["seconds"]),
        "exit_code": _code(raw["exit_code"]),
        "signal": _code(raw["signal"]),
        "result": result if isinstance(result, dict) else None,
        "idle": _idle(raw.get("idle")),
    }


def _idle(value: object) -> float | None:
    """Seconds; None if unknown or impossible."""
    number = finite(value)
    return number if number is not None and 0 <= number <= LONGEST else None


def _code(value: object) -> int | None:
    """An exit code or a signal; None for an invalid one."""
    return value if isinstance(value, int) and abs(value) <= _GREATEST_CODE else None


_KINDS: Mapping[object, tuple[type[Event], Callable[[Mapping[str, Any]], Mapping[str, Any]]]] = {
    "queued": (Queued, lambda raw: raw),
    "started": (Started, lambda raw: {**raw, "supervisor": raw}),
    "returned": (Returned, lambda raw: raw),
    "finished": (Finished, _bounded),
}
_NAMES = {kind: str(name) for name, (kind, _) in _KINDS.items()}
