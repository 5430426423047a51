# SPDX-License-Identifier: Apache-2.0
"""Make the files that ttmatrix writes readable for their owner alone: directories 0700, files 0600.

Logs, reports and pending changes can hold secrets. Files that are meant for others (the checkout, files that a command
is asked to write, what runs and git write) get the modes of the person's own umask.

A TTMATRIX_HOME that a team shares is left alone: a directory that its group may write and whose group is inherited
(`chmod g+ws`), or that everybody may write.
"""

import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from core.base.settings import HOME_VARIABLE, Paths
from core.base.umask import restrict

_OTHERS = 0o077
_CONFIG = ("settings.toml", "policy.toml", "hosts.toml")
_STATE = ("runs", "evidence", "journal", "triage", "views.json", "views.lock")
_CACHE = ("index", "issues.json", "clip.txt")
"""Names below each directory that older versions left readable for others."""


def keep_private(own: Paths, environ: Mapping[str, str] = os.environ) -> None:
    """Make new files private from now on, and close those that older versions left open, once."""
    home = environ.get(HOME_VARIABLE)
    if home and _is_shared(Path(home).expanduser()):
        return
    restrict(_OTHERS)
    # Settings are the person's own files, often links: only their directory is closed.
    for root, names, inner in ((own.config, _CONFIG, False), (own.state, _STATE, True), (own.cache, _CACHE, True)):
        with suppress(OSError):
            _close(root, [root / name for name in names], inner=inner)


def _is_shared(home: Path) -> bool:
    try:
        mode = home.stat().st_mode
    except OSError:
        return False
    team = stat.S_IWGRP | stat.S_ISGID
    return mode & team == team or mode & (stat.S_IWOTH | stat.S_ISVTX) == stat.S_IWOTH


def _close(root: Path, known: list[Path], *, inner: bool) -> None:
    """Make `root` private if it holds files of ours, and with `inner` those files too: an older ttmatrix made it."""
    if not root.stat().st_mode & _OTHERS or not any(map(os.path.lexists, known)):
        return
    _take_rights(root)
    for path in known if inner else ():
        _take_rights(path)
        for directory, names, files in os.walk(path):
            for name in (*names, *files):
                _take_rights(Path(directory, name))


def _take_rights(path: Path) -> None:
    """Remove the rights of group and others; a link, or a file of another user, is left as it is."""
    with suppress(OSError):
        status = path.lstat()
        if status.st_uid == os.getuid() and not stat.S_ISLNK(status.st_mode):
            path.chmod(stat.S_IMODE(status.st_mode) & ~_OTHERS)
