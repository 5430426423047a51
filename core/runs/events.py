# SPDX-License-Identifier: Apache-2.0
"""What happens to a run, as values and as lines of its `events.jsonl`."""

import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import TTMatrixError
from core.proc import ProcessIdentity
from core.runs.outcome import Outcome

VERSION = 1


@dataclass(frozen=True, slots=True)
class Queued:
    """The run waits for a slot, in the care of `owner`: first of its launcher, then of its supervisor."""

    at: float
    """Seconds since the epoch, here and below."""
    owner: ProcessIdentity
    host: str
    """The machine that the run is on."""


@dataclass(frozen=True, slots=True)
class Started:
    """The child runs. It leads a process group of its own."""

    at: float
    child: ProcessIdentity
    argv: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CancelRequested:
    """Someone wants the run to end."""

    at: float


@dataclass(frozen=True, slots=True)
class Finished:
    """The run has ended and nothing of it is left running."""

    at: float
    outcome: Outcome
    seconds: float = 0.0
    """From the start of the child to its end."""
    exit_code: int | None = None
    signal: int | None = None
    """Number of the signal that ended the child; then there is no exit code."""
    result: Mapping[str, object] | None = None
    """What the child reported in its result line."""
    detail: str = ""
    """Why the run could not do what it was meant to, where it could not."""


Event = Queued | Started | CancelRequested | Finished


def to_line(event: Event) -> str:
    """`event` as one line of JSON, without the line end."""
    name, fields = _encode(event)
    return json.dumps({"version": VERSION, "event": name, "at": event.at, **fields}, allow_nan=False)


def parse_line(line: str) -> Event | None:
    """The event of one line; None for anything else: a torn line, another version, an unknown event."""
    try:
        raw = json.loads(line)
        if not isinstance(raw, dict) or raw.get("version") != VERSION:
            return None
        at = float(raw["at"])
        decode = _DECODERS.get(raw.get("event"))
        return decode(at, raw) if decode and math.isfinite(at) else None
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError):
        return None


def append_event(file: Path, event: Event) -> None:
    """Add `event` to `file` and bring it to the disk. Raises TTMatrixError where that fails.

    Several processes may append: each line is one write, and a line torn by a crash is closed first.
    """
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
    try:
        descriptor = os.open(file, flags, 0o644)
        try:
            size = os.fstat(descriptor).st_size
            torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
            os.write(descriptor, (("\n" if torn else "") + to_line(event) + "\n").encode())
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise TTMatrixError(f"Cannot record in {file}", error.strerror or str(error)) from error


def read_events(file: Path) -> list[Event]:
    """Every event of `file` that can be understood, in order; a missing file has none."""
    try:
        lines = file.read_bytes().decode("utf-8", "replace").split("\n")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise TTMatrixError(f"Cannot read {file}", error.strerror or str(error)) from error
    return [event for event in map(parse_line, lines) if event is not None]


def _encode(event: Event) -> tuple[str, dict[str, object]]:
    match event:
        case Queued():
            return "queued", {**_process_fields(event.owner), "host": event.host}
        case Started():
            return "started", {**_process_fields(event.child), "argv": list(event.argv)}
        case CancelRequested():
            return "cancel_requested", {}
        case Finished():
            return "finished", {
                "outcome": event.outcome,
                "seconds": event.seconds,
                "exit_code": event.exit_code,
                "signal": event.signal,
                "result": event.result,
                "detail": event.detail,
            }


def _process_fields(process: ProcessIdentity) -> dict[str, object]:
    return {"pid": process.pid, "start_time": process.start_time}


def _process(raw: Mapping[str, Any]) -> ProcessIdentity:
    return ProcessIdentity(int(raw["pid"]), float(raw["start_time"]))


def _started(at: float, raw: Mapping[str, Any]) -> Started:
    return Started(at, _process(raw), tuple(map(str, raw["argv"])))


def _finished(at: float, raw: Mapping[str, Any]) -> Finished:
    exit_code, signal, result = raw["exit_code"], raw["signal"], raw["result"]
    return Finished(
        at,
        Outcome(raw["outcome"]),
        float(raw["seconds"]),
        None if exit_code is None else int(exit_code),
        None if signal is None else int(signal),
        result if isinstance(result, dict) else None,
        str(raw["detail"]),
    )


_DECODERS: Mapping[object, Callable[[float, Mapping[str, Any]], Event]] = {
    "queued": lambda at, raw: Queued(at, _process(raw), str(raw["host"])),
    "started": _started,
    "cancel_requested": lambda at, _: CancelRequested(at),
    "finished": _finished,
}
