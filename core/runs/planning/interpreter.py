# SPDX-License-Identifier: Apache-2.0
"""The interpreter that runs models, and its installed packages: queried once, cached until they change.

An interpreter within a checkout executes code of the checkout (`venv/bin/python`, its site-packages, a `json.py` on
PYTHONPATH). So it is only queried when runs are about to start, never for a plan.
"""

import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.files import Malformed, atomic_write, decoded, parsed, plain, read_bytes, typed
from core.base.processes import CommandRunner, run_command
from core.base.settings import Settings, paths

_CHECKOUT_INTERPRETERS = ("venv/bin/python", ".venv/bin/python")

PACKAGES = ("torch", "torch_xla", "pjrt_plugin_tt", "jax", "pytest", "pytest_forked", "ruamel", "yaml")

Versions = Mapping[str, str | None]
"""Versions by package, and that of Python; None: not installed; empty: installed, with unknown version."""

_FIRST_WITH_IDS, _LAST_WITHOUT = (9, 2), (1, 7, 5)
"""Since this pytest a report holds an object that pytest-forked, up to this one, cannot send from its child."""

_SECONDS = 60.0
_VERSION = 1
_PYTHONPATH = "PYTHONPATH"
_INSTALLED = ("site-packages", "dist-packages")
# Modules are not imported from the working directory: it is no checkout, and since Python 3.11 it is not searched.
_NOWHERE = Path("/")
_SAFE = {"PYTHONSAFEPATH": "1"}

# Nothing is imported: torch alone would take seconds.
_PROBE = """
import importlib.metadata as metadata, importlib.util, json, sys
names = metadata.packages_distributions() if hasattr(metadata, "packages_distributions") else {}
def version(package):
    try:
        if importlib.util.find_spec(package) is None:
            return None
        return metadata.version(next(iter(names.get(package, [package]))))
    except Exception:
        return ""
python = sys.version.split()[0]
versions = {"python": python, **{name: version(name) for name in sys.argv[1:]}}
print("TTMATRIX-PROBE", json.dumps({**versions, "sys.path": sys.path}))
"""
_MARK = "TTMATRIX-PROBE "
_PATH = "sys.path"


def find_interpreter(root: Path, settings: Settings) -> Path:
    """The Python that runs models: the settings' own, else the checkout's venv, else the one that runs ttmatrix.

    The setting is a path (relative to the checkout at `root`) or a command on PATH. Raises TTMatrixError if the
    settings name one that does not exist.
    """
    if settings.python:
        return _set_interpreter(root, settings.python)
    for relative in _CHECKOUT_INTERPRETERS:
        if _executable(root / relative):
            return root / relative
    return Path(sys.executable)


def _set_interpreter(root: Path, name: str) -> Path:
    given = Path(name).expanduser()
    if given.name == name and (on_path := shutil.which(name)):
        return Path(on_path)
    if _executable(root / given):
        return root / given
    raise TTMatrixError(
        f"No Python interpreter at {root / given}",
        "The setting `python` names it.",
        "Correct the setting, or remove it to use the checkout's venv.",
    )


def _executable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


class Source(StrEnum):
    """The origin of the versions."""

    ASKED = "asked"
    REMEMBERED = "remembered"
    NOT_ASKED = "not asked"
    """Nothing is executed for a plan."""


@dataclass(frozen=True, slots=True)
class Installed:
    """The known facts about an interpreter."""

    versions: Versions | None
    """None: the query failed, or was not made."""
    source: Source


@dataclass(frozen=True, slots=True)
class _Memory:
    """The cached facts about an interpreter, with the PYTHONPATH of the query."""

    version: int
    versions: Versions
    stamps: Mapping[str, int]
    """The last change of each place, in nanoseconds."""


def installed(
    python: Path,
    root: Path,
    environ: Mapping[str, str],
    *,
    starting: bool,
    afresh: bool = False,
    runner: CommandRunner = run_command,
) -> Installed:
    """The packages of `python`, for runs in the checkout at `root`.

    `starting`: runs are about to start; otherwise no code of the checkout is executed to find out. `afresh` ignores the
    cache.
    """
    memory = _memory(python)
    known = None if afresh else _remembered(memory, environ)
    if known is not None:
        return Installed(known, Source.REMEMBERED)
    if not starting and is_of(root, python, environ):
        return Installed(None, Source.NOT_ASKED)
    versions, searched = _asked(python, runner)
    if versions is not None:
        _remember(memory, versions, _stamps(python, searched), environ)
    return Installed(versions, Source.ASKED)


def forking_fault(versions: Versions | None) -> str:
    """Why pytest-forked reports every test as CRASHED with signal 0; empty if it works, is missing or is not known."""
    given = versions or {}
    pytest, forked = given.get("pytest") or "", given.get("pytest_forked") or ""
    if not pytest or not forked or _numbers(pytest) < _FIRST_WITH_IDS or _numbers(forked) > _LAST_WITHOUT:
        return ""
    return f"pytest {pytest} and pytest-forked {forked} do not work together: every test ends as CRASHED with signal 0"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def is_cached(python: Path) -> bool:
    """Whether there is a cached answer of `python`: none can be written to a full disk."""
    return _memory(python).is_file()


def is_of(root: Path, python: Path, environ: Mapping[str, str]) -> bool:
    """Whether starting `python` may execute code of a checkout."""
    places = [python, *map(Path, filter(None, environ.get(_PYTHONPATH, "").split(os.pathsep)))]
    return any(place.absolute().is_relative_to(root.absolute()) for place in places)


def _asked(python: Path, runner: CommandRunner) -> tuple[Versions | None, Sequence[str]]:
    try:
        done = runner([str(python), "-c", _PROBE, *PACKAGES], cwd=_NOWHERE, env=_SAFE, timeout=_SECONDS)
        said = decoded(done.said(_MARK), dict[str, str | list[str] | None])
    except (TTMatrixError, Malformed):
        return None, ()
    searched = said.pop(_PATH, None)
    versions = {name: value for name, value in said.items() if not isinstance(value, list)}
    return versions, searched if isinstance(searched, list) else ()


def _memory(python: Path) -> Path:
    """The cache file for `python`."""
    name = hashlib.sha256(os.fsencode(python.absolute())).hexdigest()[:16]
    return paths().cache / "interpreters" / f"{name}.json"


def _remember(memory: Path, versions: Versions, stamps: Mapping[str, int], environ: Mapping[str, str]) -> None:
    """Cache an answer; if that fails, the interpreter is queried each time."""
    answer = {**plain(_Memory(_VERSION, versions, stamps)), _PYTHONPATH: environ.get(_PYTHONPATH)}
    try:
        memory.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        atomic_write(memory, json.dumps(answer))
    except (OSError, TTMatrixError):
        return


def _remembered(memory: Path, environ: Mapping[str, str]) -> Versions | None:
    """The cached answer, if nothing was installed or removed since and the search path is the same."""
    try:
        raw = parsed(read_bytes(memory))
        known, searched = typed(raw, _Memory), raw.get(_PYTHONPATH)
    except (OSError, Malformed):
        return None
    same = all(_mtime(place) == mtime for place, mtime in known.stamps.items())
    return known.versions if known.version == _VERSION and searched == environ.get(_PYTHONPATH) and same else None


def _stamps(python: Path, searched: Sequence[str]) -> Mapping[str, int]:
    """The last changes of the interpreter and of its package directories."""
    places = [str(python), *(str(place) for place in searched if Path(str(place)).name in _INSTALLED)]
    return {place: _mtime(place) for place in places}


def _mtime(place: str) -> int:
    try:
        return Path(place).stat().st_mtime_ns
    except OSError:
        return 0
