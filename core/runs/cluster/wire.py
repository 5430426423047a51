# SPDX-License-Identifier: Apache-2.0
"""Messages between the processes of a remote run, over pipes and a Unix socket: a length, then MessagePack."""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from core.base.files import Malformed, packed, unpacked
from core.runs.cluster.code import CodeState

if TYPE_CHECKING:
    # The scheduler uses no event loop, and the import would be a seventh of its start.
    import asyncio

T = TypeVar("T")

_LENGTH = struct.Struct(">I")
MOST_BYTES = 256 * 2**20
"""The largest message: it has to hold the edits of a checkout and the inputs of a run."""


@dataclass(frozen=True, slots=True)
class Job:
    """A run for a host. Words and values may hold the placeholders of `core.runs.cluster.places`."""

    id: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    """Set on top of the worker's environment: no other variables are sent to another machine."""
    graces: tuple[float, ...]
    """Seconds it is given to end after an interrupt, after a termination and after a kill."""
    devices: tuple[str, ...] = ()
    """Devices that the run needs for itself."""
    state: CodeState | None = None
    """The code that it runs; None: whatever is there."""
    inputs: Mapping[str, bytes] = field(default_factory=dict)
    """Files in the directory of the run that it reads."""
    paths: Mapping[str, str] = field(default_factory=dict)
    """By the name of a variable that is a list of directories: those to put before the others."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request to the cluster, or to a run on it."""

    kind: str
    """`launch`, `up`, `down`; for a run in progress, `stop`."""
    host: str = ""
    hosts: tuple[str, ...] = ()
    job: Job | None = None


@dataclass(frozen=True, slots=True)
class News:
    """A message about a run on another machine."""

    kind: str
    """`started`, `log`, `artefact`, `pulse` (it works without output); the last one is `ended`, `refused`, `lost` or
    `away` (it cannot start there now). The answer to other requests is `done`.
    """
    job: str = ""
    number: int = 0
    """Counts the messages of one run, from 0, so that a missing one is noticed."""
    data: bytes = b""
    name: str = ""
    """The name of an artefact, relative to the directory of the run."""
    offset: int = 0
    code: int | None = None
    """The exit code; minus the signal's number if a signal ended the process. None: it could not be started."""
    text: str = ""
    """The reason, for people."""


class Readable(Protocol):
    """A stream of bytes; it may return fewer than requested."""

    def read(self, size: int, /) -> bytes | None: ...


def message(value: object) -> bytes:
    """`value` packed, after its length."""
    data = packed(value)
    return _LENGTH.pack(len(data)) + data


def read_message(stream: Readable, kind: type[T]) -> T | None:
    """The next message; None at the end of the stream, even within a message. Raises Malformed."""
    head = _exactly(stream, _LENGTH.size)
    data = None if head is None else _exactly(stream, _length(head))
    return None if data is None else unpacked(data, kind)


def _exactly(stream: Readable, size: int) -> bytes | None:
    parts = bytearray()
    while len(parts) < size:
        more = stream.read(size - len(parts))
        if not more:
            return None
        parts += more
    return bytes(parts)


async def receive(stream: "asyncio.StreamReader", kind: type[T]) -> T | None:
    """As `read_message`."""
    try:
        return unpacked(await stream.readexactly(_length(await stream.readexactly(_LENGTH.size))), kind)
    except (EOFError, ConnectionError):  # The first is what asyncio.IncompleteReadError is, too.
        return None


def _length(head: bytes) -> int:
    size: int = _LENGTH.unpack(head)[0]
    if size > MOST_BYTES:
        raise Malformed(f"a message of {size:,} bytes")
    return size
