# SPDX-License-Identifier: Apache-2.0
"""What may be where a file is expected, and is none."""

import os
import socket
from collections.abc import Mapping
from pathlib import Path

SPECIAL: Mapping[str, str] = {
    "endless device": "it is a device, not a file",
    "device without an end": "it is a device, not a file",
    "pipe": "it is a pipe, not a file",
    "link to a pipe": "it is a pipe, not a file",
    "socket": "it is a socket, not a file",
    "directory": "it is a directory, not a file",
    "huge": "it has 6,144 MiB; at most 16 are read",
    "loop": "Too many levels of symbolic links",
    "link to nothing": "No such file or directory",
}
"""The kinds, each with what a message says of it."""


def make_special(kind: str, file: Path) -> None:
    """Put something of this kind at `file`, where nothing is."""
    match kind:
        case "endless device":
            file.symlink_to("/dev/zero")
        case "device without an end":
            file.symlink_to("/dev/full")
        case "pipe":
            os.mkfifo(file)
        case "link to a pipe":
            os.mkfifo(file.with_name(f"{file.name}.pipe"))
            file.symlink_to(f"{file.name}.pipe")
        case "socket":
            _bind(file)
        case "directory":
            file.mkdir()
        case "huge":
            file.touch()
            os.truncate(file, 6 << 30)
        case "loop":
            file.symlink_to(file.name)
        case "link to nothing":
            file.symlink_to("nothing")
        case _:
            raise ValueError(kind)


def _bind(file: Path) -> None:
    """A socket at `file`; through a descriptor of its directory, because the name of a socket must be short."""
    directory = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(f"/proc/self/fd/{directory}/{file.name}")
    finally:
        os.close(directory)
