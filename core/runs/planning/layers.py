# SPDX-License-Identifier: Apache-2.0
"""Which packages that loaders ask for an interpreter does not have, and no layer beside it."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.errors import TTMatrixError
from core.proc import CommandRunner, run_command
from core.runs.planning.kinds import PAYLOAD

_SCRIPT = PAYLOAD / "ttmatrix_requirements.py"
_MARK = "TTMATRIX-LAYERS "
_SECONDS = 60.0


def lacking(
    python: Path, places: Sequence[Path], cwd: Path, runner: CommandRunner = run_command
) -> Mapping[Path, Sequence[str]] | None:
    """By directory of a loader, the lines of its requirements that a run would install first; None: it does not say.

    Starts `python`, which executes what its checkout brings.
    """
    if not places:
        return {}
    try:
        done = runner([str(python), str(_SCRIPT), *map(str, places)], cwd=cwd, timeout=_SECONDS)
        line = next(line for line in done.stdout.splitlines() if line.startswith(_MARK))
        said = json.loads(line.removeprefix(_MARK))
        return {Path(place): [str(one) for one in lines] for place, lines in said.items()}
    except (TTMatrixError, StopIteration, ValueError, AttributeError, TypeError, RecursionError):
        return None
