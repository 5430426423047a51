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


_OF_THIS_MACHINE = frozenset({"PATH", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "TTMLIR_VENV_DIR"})
"""Variables that activating a checkout sets to what is installed on a machine."""


def portable(spec: RunSpec, directory: Path) -> tuple[tuple[str, ...], dict[str, str], dict[str, str]]:
    """Command, variables and directories of a run with placeholders for local paths.

    `directory` has the files of the run here. Directories of programs and libraries of this machine are left out.
    """
    places = {str(directory): RUN, str(PAYLOAD): BUILT_IN, str(spec.cwd): CHECKOUT}
    # The longest first: one may be inside another.
    ordered = sorted(places.items(), key=lambda pair: len(pair[0]), reverse=True)

    def replaced(text: str) -> str:
        for path, word in ordered:
            text = re.sub(re.escape(path) + _WITHIN_A_NAME, word, text)
        return text

    argv = (*map(replaced, spec.prefix), PYTHON, *(replaced(word) for word in spec.argv[1:]))
    activated = _OF_THIS_MACHINE if spec.paths else frozenset()
    env = {name: replaced(value) for name, value in spec.env.items() if name not in activated}
    return argv, env, {name: replaced(value) for name, value in spec.paths.items() if name not in activated}


def settled(job: Job, places: Mapping[str, str]) -> tuple[list[str], dict[str, str], dict[str, str]]:
    """Command, variables and directories of a job with the placeholders replaced by `places`."""

    def replaced(text: str) -> str:
        for word, path in places.items():
            text = text.replace(word, path)
        return text

    env, paths = ({name: replaced(value) for name, value in one.items()} for one in (job.env, job.paths))
    return [replaced(word) for word in job.argv], env, paths


def interpreter(python: str, checkout: str) -> str:
    """The interpreter that runs models on a machine: from the hosts file, else the checkout's own, else any."""
    if python:
        return str(Path(python).expanduser())
    own = (Path(checkout).expanduser() / name / "bin" / "python" for name in ("venv", ".venv"))
    return next((str(one) for one in own if checkout and one.is_file()), "python3")
