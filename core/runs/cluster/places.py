# SPDX-License-Identifier: Apache-2.0
"""Commands that run on another machine: local paths are replaced by those of that machine."""

import re
from collections.abc import Mapping
from pathlib import Path

from core.runs.cluster.wire import Job
from core.runs.spec import RunSpec

PAYLOAD = Path(__file__).parents[2] / "payload"
PYTHON, CHECKOUT, RUN, BUILT_IN = "@TTMATRIX_PYTHON@", "@TTMATRIX_CHECKOUT@", "@TTMATRIX_RUN@", "@TTMATRIX_PAYLOAD@"
"""Placeholders: the interpreter, the checkout, the directory of the run, and the payload for the interpreter."""
_WITHIN_A_NAME = r"(?![\w.-])"


def portable(spec: RunSpec, directory: Path) -> tuple[tuple[str, ...], dict[str, str]]:
    """Command and variables of a run with placeholders for local paths; `directory` has the files of the run here."""
    places = {str(directory): RUN, str(PAYLOAD): BUILT_IN, str(spec.cwd): CHECKOUT}
    # The longest first: one may be inside another.
    ordered = sorted(places.items(), key=lambda pair: len(pair[0]), reverse=True)

    def replaced(text: str) -> str:
        for path, word in ordered:
            text = re.sub(re.escape(path) + _WITHIN_A_NAME, word, text)
        return text

    argv = (*map(replaced, spec.prefix), PYTHON, *(replaced(word) for word in spec.argv[1:]))
    return argv, {name: replaced(value) for name, value in spec.env.items()}


def settled(job: Job, places: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """Command and variables of a job with the placeholders replaced by `places`."""

    def replaced(text: str) -> str:
        for word, path in places.items():
            text = text.replace(word, path)
        return text

    return [replaced(word) for word in job.argv], {name: replaced(value) for name, value in job.env.items()}


def interpreter(python: str, checkout: str) -> str:
    """The interpreter that runs models on a machine: from the hosts file, else the checkout's own, else any."""
    if python:
        return str(Path(python).expanduser())
    own = (Path(checkout).expanduser() / name / "bin" / "python" for name in ("venv", ".venv"))
    return next((str(one) for one in own if checkout and one.is_file()), "python3")
