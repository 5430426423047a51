# SPDX-License-Identifier: Apache-2.0
"""The environments around a run: the model must not notice us."""

import hashlib
import os
from collections.abc import Mapping

_VARIABLE = "PYTHONPATH"

_OF_A_TERMINAL = frozenset({"_", "COLUMNS", "LINES", "OLDPWD", "PWD", "SHLVL", "TERM", "WINDOWID"})
_OF_A_SESSION = ("DBUS_", "SSH_", "TMUX", "XDG_SESSION")


def child_environment(environ: Mapping[str, str], additions: Mapping[str, str]) -> dict[str, str]:
    """What the process of a run gets: `environ` plus `additions`; one to PYTHONPATH goes behind what is there."""
    merged = {**environ, **additions}
    if _VARIABLE in additions and environ.get(_VARIABLE):
        merged[_VARIABLE] = f"{environ[_VARIABLE]}{os.pathsep}{additions[_VARIABLE]}"
    return merged


def digest(environ: Mapping[str, str]) -> str:
    """Tells environments apart without giving anything of them away; what names a terminal does not count."""
    relevant = {
        name: value
        for name, value in environ.items()
        if name not in _OF_A_TERMINAL and not name.startswith(_OF_A_SESSION)
    }
    return hashlib.sha256(repr(sorted(relevant.items())).encode("utf-8", "surrogateescape")).hexdigest()
