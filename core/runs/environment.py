# SPDX-License-Identifier: Apache-2.0
"""The environments around a run: the model must not notice us."""

import hashlib
import os
import re
from collections.abc import Mapping

_VARIABLE = "PYTHONPATH"

_OF_A_TERMINAL = frozenset({"_", "COLUMNS", "LINES", "OLDPWD", "PWD", "SHLVL", "TERM", "WINDOWID"})
_OF_A_SESSION = ("DBUS_", "SSH_", "TMUX", "XDG_SESSION")
_SECRET = re.compile(
    r"TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|_PAT$|_AUTH$|^GPG_", re.IGNORECASE
)
_OF_MODELS = ("HF_", "HUGGING", "KAGGLE_", "MSA_", "BOLTZ_")
"""Whose tokens loaders need for what they download; `TOKENIZERS_PARALLELISM` is no secret at all."""
PASS_VARIABLE = "TTMATRIX_PASS"
"""Names, with commas between, of more variables that runs need though they look like secrets."""


def child_environment(environ: Mapping[str, str], additions: Mapping[str, str]) -> dict[str, str]:
    """What the process of a run gets: `environ` plus `additions`; one to PYTHONPATH goes behind what is there."""
    merged = {**environ, **additions}
    if _VARIABLE in additions and environ.get(_VARIABLE):
        merged[_VARIABLE] = f"{environ[_VARIABLE]}{os.pathsep}{additions[_VARIABLE]}"
    return merged


def run_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """What of `environ` a run needs, which waits on the disk until the run starts.

    All but what belongs to a terminal or a session, and what looks like a secret that is not for models.
    """
    passed = {name.strip() for name in environ.get(PASS_VARIABLE, "").split(",")}
    return {name: value for name, value in environ.items() if name in passed or not _needless(name)}


def _needless(name: str) -> bool:
    if name in _OF_A_TERMINAL or name.startswith(_OF_A_SESSION):
        return True
    return not name.startswith(("TOKENIZERS_", *_OF_MODELS)) and _SECRET.search(name) is not None


def digest(environ: Mapping[str, str]) -> str:
    """Tells environments apart without giving anything of them away; what names a terminal does not count."""
    relevant = {
        name: value
        for name, value in environ.items()
        if name not in _OF_A_TERMINAL and not name.startswith(_OF_A_SESSION)
    }
    return hashlib.sha256(repr(sorted(relevant.items())).encode("utf-8", "surrogateescape")).hexdigest()
