# SPDX-License-Identifier: Apache-2.0
"""The packages that an interpreter lacks, and the files that pip would download for them; nothing is downloaded."""

import importlib.metadata
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.files import Malformed, decoded
from core.base.processes import CommandRunner, run_command
from core.runs.planning.downloads import Download, Kind, named_packages
from core.runs.planning.kinds import PAYLOAD

_LACKING_SCRIPT = PAYLOAD / "requirements_lacking.py"
_LACKING = "TTMATRIX-LAYERS "
_LACKING_SECONDS = 60.0
_RESOLVE_SCRIPT = PAYLOAD / "requirements_resolve.py"
_MARK = "TTMATRIX-PACKAGES "
_SECONDS = 25.0
_MORE_SECONDS = 10.0
"""Time for the interpreter to start and list its packages."""
_FIRST_PIP = 26
"""The first usable version of pip: older ones download whole packages to inspect them."""

_MOST_ASKED = 8
"""Loaders that pip can resolve in that time; with more, it would be waited for in vain."""

_known: dict[tuple[Path, Path, tuple[str, ...]], Sequence[Download]] = {}
"""Answers in this process by interpreter, directory and lines."""


def lacking(
    python: Path, places: Sequence[Path], cwd: Path, runner: CommandRunner = run_command
) -> Mapping[Path, Sequence[str]] | None:
    """By directory of a loader: the requirement lines that a run would install first; None: unknown.

    Starts `python`, which executes code of its checkout.
    """
    if not places:
        return {}
    try:
        done = runner([str(python), str(_LACKING_SCRIPT), *map(str, places)], cwd=cwd, timeout=_LACKING_SECONDS)
        said = decoded(done.said(_LACKING), dict[str, list[str]])
    except (TTMatrixError, Malformed):
        return None
    return {Path(place): lines for place, lines in said.items()}


def downloads_of_packages(
    python: Path, lacking: Mapping[Path, Sequence[str]], cwd: Path, runner: CommandRunner = run_command
) -> list[Download]:
    """What pip would download for the requirement lines, by directory of a loader, that `python` lacks.

    If pip does not answer within seconds, or is missing or too old, the lines themselves; so also for more loaders than
    pip can resolve in that time. Contacts the package index.
    """
    asked = {place: (python, place, tuple(lines)) for place, lines in lacking.items() if lines}
    unknown = [place for place, key in asked.items() if key not in _known]
    said = _said(python, unknown, cwd, runner) if 0 < len(unknown) <= _MOST_ASKED else {}
    for place in unknown:
        lines = [Download(Kind.PACKAGE, one) for one in named_packages(lacking[place])]
        # Not requested again: a plan is made again for each option that a person tries.
        _known[asked[place]] = said.get(place) or lines
    return list(dict.fromkeys(one for key in asked.values() for one in _known[key]))


def _said(
    python: Path, places: Sequence[Path], cwd: Path, runner: CommandRunner
) -> Mapping[Path, list[Download] | None]:
    command = [str(python), str(_RESOLVE_SCRIPT), str(_SECONDS), _own_pip(), *map(str, places)]
    try:
        done = runner(command, cwd=cwd, timeout=_SECONDS + _MORE_SECONDS)
        said = decoded(done.said(_MARK), dict[str, list[tuple[str, str]] | None])
    except (TTMatrixError, Malformed):
        return {}
    return {Path(place): None if found is None else _downloads(found) for place, found in said.items()}


def _downloads(found: Sequence[tuple[str, str]]) -> list[Download]:
    return [Download(Kind.PACKAGE, name, address=address) for name, address in found]


def _own_pip() -> str:
    """The directory of the pip installed with ttmatrix, which other interpreters can run; empty if it is too old."""
    try:
        pip = importlib.metadata.distribution("pip")
    except importlib.metadata.PackageNotFoundError:
        return ""
    return str(pip.locate_file("pip")) if int(pip.version.partition(".")[0]) >= _FIRST_PIP else ""
