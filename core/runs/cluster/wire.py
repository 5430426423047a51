# SPDX-License-Identifier: Apache-2.0
"""Messages between the processes of a run elsewhere, over pipes and a Unix socket: a length, then MessagePack."""

import asyncio
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from core.files import Malformed, packed, unpacked
from core.runs.cluster.code import CodeState

T = TypeVar("T")

_LENGTH = struct.Struct(">I")
MOST_BYTES = 256 * 2**20
"""Of one message: the edits of a checkout and the inputs of a run are in one."""


@dataclass(frozen=True, slots=True)
class Job:
    """What a host is to run. Words and values may hold the placeholders of `core.runs.cluster.places`."""

    id: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    """Set on top of the environment of the worker: nothing else of ours goes to another machine."""
    graces: tuple[float, ...]
    """Seconds it is given to end after an interrupt, after a termination and after a kill."""
    devices: tuple[str, ...] = ()
    """Devices that the run wants to itself there."""
    state: CodeState | None = None
    """The code that it runs; None: whatever is there."""
    inputs: Mapping[str, bytes] = field(default_factory=dict)
    """Files of the directory of the run that it reads."""


@dataclass(frozen=True, slots=True)
class Request:
    """What somebody on this machine asks of the cluster, or of a run there."""

    kind: str
    """`launch`, `up`, `down`; to a run that goes on, `stop`."""
    host: str = ""
    hosts: tuple[str, ...] = ()
    job: Job | None = None


@dataclass(frozen=True, slots=True)
class News:
    """What a run elsewhere has to say."""

    kind: str
    """`started`, `log`, `artefact`, `pulse` (it works in silence); the last one is `ended`, `refused`, `lost` or `away`
    (it cannot start there now). To what is no run, `done`."""
    job: str = ""
    number: int = 0
    """Counts the messages of one run, from 0: none may be missing between."""
    data: bytes = b""
    name: str = ""
    """Of an artefact, relative to the directory of the run."""
    offset: int = 0
    code: int | None = None
    """How the process ended; minus the signal's number where one ended it. None: it could not be started."""
    text: str = ""
    """Why, for people."""


class Readable(Protocol):
    """A stream of bytes; it may give fewer than it was asked for."""

    def read(self, size: int, /) -> bytes | None: ...


def message(value: object) -> bytes:
    """`value` with its length before it."""
    data = packed(value)
    return _LENGTH.pack(len(data)) + data


def read_message(stream: Readable, kind: type[T]) -> T | None:
    """The next message; None at the end of the stream, also where it ends within one. Raises Malformed."""
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


async def receive(stream: asyncio.StreamReader, kind: type[T]) -> T | None:
    """As `read_message`."""
    try:
        return unpacked(await stream.readexactly(_length(await stream.readexactly(_LENGTH.size))), kind)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def _length(head: bytes) -> int:
    size: int = _LENGTH.unpack(head)[0]
    if size > MOST_BYTES:
        raise Malformed(f"a message of {size:,} bytes")
    return size
