# SPDX-License-Identifier: Apache-2.0
"""Read a manifest from a file, with limits on what is read at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from .cases import Manifest
from .quick import QuickReader
from .reading import read_manifest
from .yaml_text import NotLoaded, compose, decode

MOST_BYTES = 16 * 2**20
"""Largest size of one manifest. The largest real one has 1.5 million bytes."""


def read_file(path: Path, name: str = "", quick: QuickReader | None = None) -> Manifest:
    """The manifest at `path`, called `name` in the result. Never raises: mistakes are in its problems.

    For several files, pass the same `quick` each time: it remembers what it has read.
    """
    name = name or str(path)
    try:
        return read_text(decode(read_bytes(path)), name, quick)
    except NotLoaded as error:
        return Manifest(name, Path(name).stem, problems=(error.problem,))


def read_text(text: str, name: str, quick: QuickReader | None = None) -> Manifest:
    """The manifest in `text`. Otherwise like `read_file`."""
    model = Path(name).stem
    manifest = (quick or QuickReader()).read(text, name, model)
    return manifest or read_in_full(text, name, model)


def read_in_full(text: str, name: str, model: str) -> Manifest:
    """Like `read_text`, with the YAML library reading everything."""
    try:
        root = compose(text)
    except NotLoaded as error:
        return Manifest(name, model, problems=(error.problem,))
    return read_manifest(root, name, model)


def read_bytes(path: Path) -> bytes:
    """The bytes of a regular file of at most MOST_BYTES. Raises NotLoaded."""
    try:
        # Opening a pipe without a writer would block.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_CLOEXEC", 0))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise NotLoaded(f"cannot be read: {reason}") from None
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise NotLoaded("is not a regular file")
        if status.st_size > MOST_BYTES:
            raise NotLoaded(f"has {status.st_size:,} bytes; at most {MOST_BYTES:,} are read")
        with os.fdopen(handle, "rb", closefd=False) as file:
            # The file may have grown meanwhile.
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise NotLoaded(f"cannot be read: {error.strerror}") from None
    finally:
        os.close(handle)
    if len(data) > MOST_BYTES:
        raise NotLoaded(f"has more than {MOST_BYTES:,} bytes")
    return data
