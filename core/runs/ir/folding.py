# SPDX-License-Identifier: Apache-2.0
"""Lines of programs without their large constants: each is replaced by its length and a digest."""

import os
import re
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

from core.base.errors import TTMatrixError
from core.base.files import opened

_LONG = 64 * 1024
"""Bytes of a line that are read in one piece; of a longer line, only both ends are read."""
_EDGE = 4 * 1024
_SHORT = 1024
"""Bytes that suffice for most lines."""
_LEAST = 96
"""Constants are large from this many characters on."""
_LARGE = re.compile(rf'"0x[0-9A-Fa-f]{{{_LEAST},}}"?|\[[-+.,\w\s\[\]]{{{_LEAST},}}\]')
FOLDED = re.compile(r"(?:0x)?…[\d,]+ bytes #[0-9a-f]+…")
"""The replacement of a large constant."""
_CONSTANT = re.compile(rb'"0x|<\[')


def fold(line: str) -> str:
    """`line` with large constants as `…2,048 bytes #1a2b3c…`. Equal constants have equal digests."""
    if len(line) > _LEAST and ("[" in line or '"0x' in line):
        return _LARGE.sub(_folded, line)
    return line


def folded_lines(file: Path) -> Iterator[str]:
    """The lines of a file, folded, with little memory even for very long lines.

    Raises TTMatrixError if the file cannot be read.
    """
    return (line for _, line in placed_lines(file))


def placed_lines(file: Path) -> Iterator[tuple[int, str]]:
    """As `folded_lines`, each with its byte offset."""
    try:
        with opened(file) as stream:
            offset = 0
            while piece := stream.readline(_LONG):
                if piece.endswith(b"\n") or len(piece) < _LONG:
                    yield offset, fold(_text(piece))
                    offset += len(piece)
                else:
                    yield offset, _long_line(piece, stream)
                    offset = stream.tell()
    except OSError as error:
        raise TTMatrixError(f"Cannot read {file}", error.strerror or str(error)) from error


def folded_line(descriptor: int, offset: int) -> str:
    """The line at a byte offset of an open file, folded; empty if the file has become shorter."""
    piece = os.pread(descriptor, _SHORT, offset)
    end = piece.find(b"\n")
    if end >= 0:
        return fold(_text(piece[:end]))
    with os.fdopen(descriptor, "rb", closefd=False) as stream:
        stream.seek(offset)
        piece = stream.readline(_LONG)
        if piece.endswith(b"\n") or len(piece) < _LONG:
            return fold(_text(piece))
        return _long_line(piece, stream)


def _long_line(piece: bytes, stream: BinaryIO) -> str:
    """A long line that begins with `piece`, folded as in `fold`."""
    head = _before_constant(piece[:_EDGE])
    first, tail = piece[len(head) : -_EDGE], piece[-_EDGE:]
    digest, size = blake2b(first, digest_size=3), len(first)
    while not tail.endswith(b"\n") and (more := stream.readline(_LONG)):
        tail += more
        digest.update(tail[:-_EDGE])
        size += max(0, len(tail) - _EDGE)
        tail = tail[-_EDGE:]
    end = max(tail.rfind(b'">'), tail.rfind(b"]>"), 0)
    digest.update(tail[:end])
    return f"{_text(head)}{_sign(size + end, digest.hexdigest())}{_text(tail[end:])}"


def _before_constant(data: bytes) -> bytes:
    match = _CONSTANT.search(data)
    return data[: match.end()] if match else data


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").rstrip("\r\n")


def _folded(match: re.Match[str]) -> str:
    text = match[0]
    if text[0] == "[" and not any(letter.isdigit() for letter in text):
        return text
    begin, end = (text[:3], '"' if text[-1] == '"' else "") if text[0] == '"' else ("[", "]")
    data = text[len(begin) : len(text) - len(end)].encode()
    return f"{begin}{_sign(len(data), blake2b(data, digest_size=3).hexdigest())}{end}"


def _sign(size: int, digest: str) -> str:
    return f"…{size:,} bytes #{digest}…"
