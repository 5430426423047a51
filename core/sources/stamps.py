# SPDX-License-Identifier: Apache-2.0
"""Stamps show whether files and directories have changed, without reading them."""

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

Stamp = tuple[int, int, int, int]
"""Modification time, change time (both in nanoseconds), size, inode."""

Stamps = Mapping[str, Stamp | None]
"""By path; None: the file did not exist."""

NEVER: Stamp = (0, 0, 0, 0)
"""A stamp that no file has: a file recorded with it is read again."""

_RACY_NS = 2_000_000_000
"""A file can change again within the clock's resolution without a new stamp; git distrusts such files too."""


def stamp_of(path: str | Path) -> Stamp | None:
    """The present stamp of a file or directory; None if it does not exist."""
    try:
        # Callers have strings for a thousand directories; making paths of them would cost more than the check.
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


_undisturbed: tuple[str, ...] = ()


@contextmanager
def undisturbed(root: Path) -> Iterator[None]:
    """While the block runs, nobody writes below `root`: the stamp of a file there counts, however new the file is.

    A state of a checkout is laid out and read at once; without this, each of its parts would parse the same files.
    """
    global _undisturbed
    own = f"{root}{os.sep}"
    _undisturbed = (*_undisturbed, own)
    try:
        yield
    finally:
        _undisturbed = tuple(one for one in _undisturbed if one != own)


def stamps_of(paths: Iterable[str], now_ns: int | None = None) -> dict[str, Stamp | None]:
    """Stamps by path. A file that was changed within the last two seconds gets NEVER, unless it is `undisturbed`."""
    border = (now_ns if now_ns is not None else time.time_ns()) - _RACY_NS
    found: dict[str, Stamp | None] = {}
    for path in paths:
        stamp = stamp_of(path)
        racy = stamp is not None and max(stamp[:2]) > border and not f"{path}{os.sep}".startswith(_undisturbed)
        found[path] = NEVER if racy else stamp
    return found


def all_unchanged(stamps: Stamps) -> bool:
    """Whether every file has the same stamp; missing ones must still be missing."""
    return all(stamp_of(path) == stamp for path, stamp in stamps.items())


def walk(root: str) -> Iterator[tuple[str, list[str]]]:
    """`root` and every directory below it, in the order of their paths, each with the names of its files.

    Links to directories are not followed. Unreadable directories are skipped, as in `os.walk`, at half its cost.
    """
    waiting = [root]
    while waiting:
        where = waiting.pop()
        below: list[str] = []
        names: list[str] = []
        try:
            with os.scandir(where) as found:
                for one in found:
                    (below if one.is_dir(follow_symlinks=False) else names).append(one.name)
        except OSError:
            continue
        yield where, names
        waiting += (f"{where}{os.sep}{name}" for name in sorted(below, reverse=True))


def directories_below(root: Path) -> Iterator[str]:
    """`root` and every directory below it: adding or removing a file changes the stamp of its directory."""
    for where, _ in walk(os.fspath(root)):
        yield where


def files_below(root: Path, ending: str = "") -> Iterator[str]:
    """Every directory below `root`, itself included, and every file in them whose name ends with `ending`."""
    for where, names in walk(os.fspath(root)):
        yield where
        yield from (f"{where}{os.sep}{name}" for name in names if name.endswith(ending))
