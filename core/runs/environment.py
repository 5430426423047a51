# SPDX-License-Identifier: Apache-2.0
"""The environments of a run: our supervisor must find `core`, and the model must not notice us."""

import os
from collections.abc import Mapping
from pathlib import Path

_HOME = str(Path(__file__).parents[2])
_VARIABLE = "PYTHONPATH"


def supervisor_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` with the directory that holds `core` put before everything else on PYTHONPATH."""
    rest = environ.get(_VARIABLE)
    return {**environ, _VARIABLE: _HOME if rest is None else f"{_HOME}{os.pathsep}{rest}"}


def child_environment(environ: Mapping[str, str], additions: Mapping[str, str]) -> dict[str, str]:
    """What the child of a supervisor gets: PYTHONPATH as the user has it, plus `additions`.

    An addition to PYTHONPATH goes behind what the user has.
    """
    child = dict(environ)
    head, separator, rest = child.pop(_VARIABLE, "").partition(os.pathsep)
    ours = head == _HOME
    own = rest if ours else f"{head}{separator}{rest}"
    if own or (ours and separator):
        child[_VARIABLE] = own
    merged = {**child, **additions}
    if _VARIABLE in additions and child.get(_VARIABLE):
        merged[_VARIABLE] = f"{child[_VARIABLE]}{os.pathsep}{additions[_VARIABLE]}"
    return merged
