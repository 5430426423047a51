# SPDX-License-Identifier: Apache-2.0
"""The environments of runs: a model must not be influenced by ttmatrix."""

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from core.base.processes import inherited

_VARIABLE = "PYTHONPATH"

_OF_A_TERMINAL = frozenset({"_", "COLUMNS", "LINES", "OLDPWD", "PWD", "SHLVL", "TERM", "WINDOWID"})
_OF_A_SESSION = ("DBUS_", "SSH_", "TMUX", "XDG_SESSION")
_SECRET = re.compile(
    r"TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|_PAT$|_AUTH$|^GPG_", re.IGNORECASE
)
_OF_MODELS = ("HF_", "HUGGING", "KAGGLE_", "MSA_", "BOLTZ_")
"""Prefixes of variables whose tokens loaders need for downloads; `TOKENIZERS_PARALLELISM` is not a secret."""
PASS_VARIABLE = "TTMATRIX_PASS"
"""A comma-separated list of further variables that runs need although they look like secrets."""


def environment_of(python: Path) -> Path:
    """The environment that an interpreter installs packages into."""
    return Path(os.path.realpath(python.absolute().parent.parent))


def child_environment(
    environ: Mapping[str, str], additions: Mapping[str, str], paths: Mapping[str, str] = MappingProxyType({})
) -> dict[str, str]:
    """The environment of a run's process: `environ` with `additions`; PYTHONPATH is appended to the existing one.

    `paths` has, by the name of a variable, the directories to put before its others.
    """
    merged = {**environ, **additions}
    if _VARIABLE in additions and environ.get(_VARIABLE):
        merged[_VARIABLE] = f"{environ[_VARIABLE]}{os.pathsep}{additions[_VARIABLE]}"
    for name, directories in paths.items():
        first = directories.split(os.pathsep)
        others = [one for one in merged.get(name, "").split(os.pathsep) if one and one not in first]
        merged[name] = os.pathsep.join([*first, *others])
    return merged


def run_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The part of `environ` that a run needs; it is stored on disk until the run starts.

    Leaves out variables of terminals, of sessions and of a git that has called us, and those that look like secrets,
    unless models need them.
    """
    passed = {name.strip() for name in environ.get(PASS_VARIABLE, "").split(",")}
    return {name: value for name, value in inherited(environ).items() if name in passed or not _needless(name)}


def _needless(name: str) -> bool:
    if name in _OF_A_TERMINAL or name.startswith(_OF_A_SESSION):
        return True
    return not name.startswith(("TOKENIZERS_", *_OF_MODELS)) and _SECRET.search(name) is not None


def digest(environ: Mapping[str, str]) -> str:
    """Distinguishes environments without revealing them; variables of terminals and of a calling git are ignored."""
    relevant = {
        name: value
        for name, value in inherited(environ).items()
        if name not in _OF_A_TERMINAL and not name.startswith(_OF_A_SESSION)
    }
    return hashlib.sha256(repr(sorted(relevant.items())).encode("utf-8", "surrogateescape")).hexdigest()
