# SPDX-License-Identifier: Apache-2.0
"""Keep what ttmatrix writes down of a person to that person: directories 0700, files 0600.

Logs, reports and pending changes can hold what nobody else may read. What is written for others (the checkout, files
that a command is asked to write, what runs and git do) has the modes that the person's own mask gives.

A TTMATRIX_HOME that a team shares is left alone: a directory that its group may write and that hands on its group
(`chmod g+ws`), or that everybody may write.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from core.settings import HOME_VARIABLE, Paths

_OTHERS = 0o077
_CONFIG = ("settings.toml", "policy.toml", "hosts.toml")
_STATE = ("runs", "evidence", "journal", "triage", "views.json", "views.lock")
_CACHE = ("index", "issues.json", "clip.txt")
"""What was there before all of it was private."""

_masks: list[int] = []
"""The person's own mask, once it was changed."""


def keep_private(own: Paths, environ: Mapping[str, str] = os.environ) -> None:
    """From now on this process makes files for its person only; those of before are closed, once."""
    home = environ.get(HOME_VARIABLE)
    if home and _is_shared(Path(home).expanduser()):
        return
    mask = os.umask(_OTHERS)
    _masks[:] = _masks or [mask]
    # Settings are the person's own files, often links: their directory is closed and they stay as they are.
    for root, names, inner in ((own.config, _CONFIG, False), (own.state, _STATE, True), (own.cache, _CACHE, True)):
        with suppress(OSError):
            _close(root, [root / name for name in names], inner=inner)


def persons_mask() -> int | None:
    """The mask that the person has set, for what others may be meant to read; None: it is still the process's."""
    return _masks[0] if _masks else None


@contextmanager
def for_others() -> Iterator[None]:
    """What is made in the block has the modes that the person's own mask gives."""
    mask = persons_mask()
    if mask is None:
        yield
        return
    own = os.umask(mask)
    try:
        yield
    finally:
        os.umask(own)


def _is_shared(home: Path) -> bool:
    try:
        mode = home.stat().st_mode
    except OSError:
        return False
    team = stat.S_IWGRP | stat.S_ISGID
    return mode & team == team or mode & (stat.S_IWOTH | stat.S_ISVTX) == stat.S_IWOTH


def _close(root: Path, known: list[Path], *, inner: bool) -> None:
    """Close `root` where it holds what is ours, and that too: an older ttmatrix has made it."""
    if not root.stat().st_mode & _OTHERS or not any(map(os.path.lexists, known)):
        return
    _take_rights(root)
    for path in known if inner else ():
        _take_rights(path)
        for directory, names, files in os.walk(path):
            for name in (*names, *files):
                _take_rights(Path(directory, name))


def _take_rights(path: Path) -> None:
    """Others lose what rights they have; what is somebody else's, or a link, stays as it is."""
    with suppress(OSError):
        status = path.lstat()
        if status.st_uid == os.getuid() and not stat.S_ISLNK(status.st_mode):
            path.chmod(stat.S_IMODE(status.st_mode) & ~_OTHERS)
