# SPDX-License-Identifier: Apache-2.0
"""Give a model the packages its loader asks for, in a layer over the environment, which is never written to.

The rules are those of docs/rules.md 6.

Upstream installs into the environment itself and rolls back; if that is interrupted, the environment stays damaged,
and two such tests cannot run at once. A layer is a virtual environment that sees all packages of the environment below
it and holds only new or different ones. It is made once for the same files over the same packages, cached, and put
first in the import path. If the layer would be empty, none is made, and pip does not run.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .satisfied import wanting

DISABLE = "TT_XLA_DISABLE_MODEL_REQS"
DEBUG = "TT_XLA_REQS_DEBUG"

_MAIN = "requirements.txt"
STEPS = {
    _MAIN: (),
    "requirements.nodeps.txt": ("--no-deps",),
    "requirements.nodeps.nobuildisolation.txt": ("--no-deps", "--no-build-isolation"),
}
"""Files beside loader.py in the order they are installed in, each with pip's options."""
_SYSTEM = "system-requirements.txt"
_KEPT = ("torch", "torch-xla", "pjrt-plugin-tt")
"""Packages that a layer must not contain: a version that does not match a device's plugin would crash."""
_READY = ".ready"
_MISSING = re.compile(r"No matching distribution found for (.+)")
_ERROR = re.compile(r"^ERROR: (.+)", re.MULTILINE)
_REPOSITORY = re.compile(r"fatal: unable to access '([^']+?)/?': (.+)")
"""Message of git, run by pip, about a repository that it cannot fetch."""
_UNREACHED = re.compile(
    r"NewConnectionError|NameResolutionError|ConnectTimeoutError|Failed to establish a new connection|"
    r"Network is unreachable|Temporary failure in name resolution"
)
"""Messages of pip about an index that it cannot reach."""
_NO_NEWS = ("Requirement already satisfied", "Looking in ", "[notice]")
"""Lines of pip that do not report progress."""


class RequirementsError(Exception):
    """The packages a loader asks for are not available: one line in pip's own words; the log has the rest."""


@contextmanager
def applied(loader_directory: Path, cache: Path | None = None) -> Iterator[Path | None]:
    """While active, imports find the packages in the files beside loader.py. Yields the layer; None if none is needed.

    Makes the layer below `cache` (default: `default_cache()`) if it does not exist. Imported modules that
    the layer also has are imported anew, and restored afterwards. Raises RequirementsError.
    """
    files = _files(loader_directory)
    missing = [] if os.environ.get(DISABLE) == "1" else wanting(files)
    if not missing:
        yield None
        return
    _debug(f"not there, or left to pip: {', '.join(missing)}")
    layer = ensure(files, cache or default_cache())
    packages = str(_site_packages(layer))
    names = _top_level_names(layer)
    aside = {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] in names}
    sys.path.insert(0, packages)
    importlib.invalidate_caches()
    _debug(f"{layer}: {', '.join(sorted(names)) or 'nothing new'}; {len(aside)} modules set aside")
    try:
        yield layer
    finally:
        sys.path.remove(packages)
        for name in [name for name in sys.modules if name.partition(".")[0] in names]:
            del sys.modules[name]
        sys.modules.update(aside)
        importlib.invalidate_caches()


def to_install(loader_directory: Path, cache: Path | None = None) -> list[str]:
    """The requirement lines for which a run would make a layer; none if the layer exists or none is needed."""
    files = [loader_directory / name for name in STEPS if (loader_directory / name).is_file()]
    if not (loader_directory / _MAIN).is_file() or os.environ.get(DISABLE) == "1":
        return []
    missing = wanting(files)
    return missing if missing and not ((cache or default_cache()) / _key(files) / _READY).exists() else []


def default_cache() -> Path:
    """The directory of cached layers, below ttmatrix's own cache directory."""
    if home := os.environ.get("TTMATRIX_HOME"):
        return Path(home) / "cache/requirements"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ttmatrix/requirements"


def ensure(files: list[Path], cache: Path) -> Path:
    """The layer for `files`, made if it does not exist. Processes that need the same layer wait for each other."""
    cache.mkdir(parents=True, exist_ok=True)
    layer = cache / _key(files)
    with (cache / f"{layer.name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another run installs the same packages; waiting for it.", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        if not (layer / _READY).exists():
            _make(layer, files)
    return layer


def _files(directory: Path) -> list[Path]:
    """The files to install; none if the main one is missing, as upstream does."""
    if not (directory / _MAIN).is_file():
        return []
    if (directory / _SYSTEM).is_file():
        print(f"{directory / _SYSTEM} asks for packages of the system; installing them is left to you.", flush=True)
    return [directory / name for name in STEPS if (directory / name).is_file()]


def _key(files: list[Path]) -> str:
    """The identity of a layer: its requirements, the interpreter with its platform, and all packages below it."""
    below = sorted(f"{one.metadata['Name']}=={one.version}" for one in importlib.metadata.distributions())
    asked = (f"{path.name}\n{path.read_text()}" for path in files)
    parts = [sys.version, sys.prefix, sysconfig.get_platform(), *below, *asked]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:20]


def _make(layer: Path, files: list[Path]) -> None:
    shutil.rmtree(layer, ignore_errors=True)
    print(f"Installing {', '.join(map(str, files))} into {layer}", flush=True)
    try:
        # Look for pip without the import system: setuptools' hook takes that for pip and disables its distutils, and
        # then nothing in this process that needs them would work any more, such as TorchInductor.
        venv.create(layer, with_pip=distribution_version("pip") is None)
        below = [entry for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")]
        (_site_packages(layer) / "_below.pth").write_text("\n".join(below) + "\n")
        versions = layer / "constraints.txt"
        versions.write_text(constraints())
        for path in files:
            _pip(layer, "-r", str(path), "-c", str(versions), *STEPS[path.name])
        (layer / _READY).touch()
    except BaseException:
        shutil.rmtree(layer, ignore_errors=True)
        raise


def constraints() -> str:
    """Constraints for pip: packages that a layer must not contain in another version."""
    return "".join(f"{name}=={version}\n" for name in _KEPT if (version := distribution_version(name)))


def _pip(layer: Path, *arguments: str) -> None:
    """Run pip with its progress in the log. Raises RequirementsError."""
    command = [str(layer / "bin/python"), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
    command += ["--progress-bar=off", *arguments]
    _debug(" ".join(command))
    # pip must start without our path: the layer finds the packages below it by itself.
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    said: list[str] = []
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environ
    ) as running:
        for line in running.stdout or ():
            said.append(line)
            if os.environ.get(DEBUG) == "1":
                _debug(line.rstrip())
            elif line.strip() and not line.startswith(_NO_NEWS):
                print(f"pip: {line.rstrip()}", flush=True)
    if running.returncode:
        print(f"pip: exit code {running.returncode} of {' '.join(command)}", flush=True)
        raise RequirementsError(why("".join(said)))


def why(said: str) -> str:
    """The reason why pip failed, in one line, from its output."""
    missing = _MISSING.search(said)
    if missing and _UNREACHED.search(said):
        return f"{missing[1].strip()} is not installed, and there is no network to get it from"
    if unreached := _REPOSITORY.search(said):
        return f"{unreached[1]} cannot be had: {unreached[2].strip()}"
    # The last line is about the whole run; if a package is missing, it only repeats that.
    errors = _ERROR.findall(said)
    if missing:
        return f"pip failed: {missing[0].strip()}"
    last = said.strip().rpartition("\n")[2]
    return f"pip failed: {errors[0].strip() if errors else last or 'it does not say why'}"


def _site_packages(layer: Path) -> Path:
    return next((layer / "lib").glob("python*/site-packages"))


def _top_level_names(layer: Path) -> set[str]:
    """The importable names in the layer."""
    entries = _site_packages(layer).iterdir()
    found = {entry.name.partition(".")[0] for entry in entries if entry.is_dir() or entry.suffix in (".py", ".so")}
    names = {name for name in found if name.isidentifier() and name != "__pycache__"}
    # The loaded distutils may come from the setuptools below the layer.
    return names | {"distutils"} if "setuptools" in names else names


def main(places: Sequence[str]) -> None:
    """Print the lines that this interpreter lacks for each directory of a loader, as JSON behind a mark."""
    print("TTMATRIX-LAYERS", json.dumps({place: to_install(Path(place)) for place in places}))


def distribution_version(name: str) -> str | None:
    """The installed version of a distribution; None: not installed."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _debug(text: str) -> None:
    if os.environ.get(DEBUG) == "1":
        print(f"[requirements] {text}", flush=True)
