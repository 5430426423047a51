# SPDX-License-Identifier: Apache-2.0
"""Give a model the packages its loader asks for, in a layer over the environment that is never written to.

The rules are those of docs/rules.md 6.

Upstream installs into the environment itself and rolls back; what dies in between leaves it damaged, and two such tests
cannot run at a time. A layer is a virtual environment that sees all packages of the one it lies on and has only what is
new or different. It is made once for the same files over the same packages, cached, and put first in the import path.
Where nothing would be in it, there is none, and pip is not asked.
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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ttmatrix_satisfied import wanting

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
"""What a layer may not bring: another one beside a device's plugin can only crash."""
_READY = ".ready"
_MISSING = re.compile(r"No matching distribution found for (.+)")
_ERROR = re.compile(r"^ERROR: (.+)", re.MULTILINE)
_REPOSITORY = re.compile(r"fatal: unable to access '([^']+?)/?': (.+)")
"""What git says of a repository that it does not get, below pip."""
_UNREACHED = re.compile(
    r"NewConnectionError|NameResolutionError|ConnectTimeoutError|Failed to establish a new connection|"
    r"Network is unreachable|Temporary failure in name resolution"
)
"""What pip says of an index that it did not reach."""
_NO_NEWS = ("Requirement already satisfied", "Looking in ", "[notice]")
"""Lines of pip that tell nothing of its progress."""


class RequirementsError(Exception):
    """The packages a loader asks for cannot be had: in one line why, by pip's own words, which are in the log."""


@contextmanager
def applied(loader_directory: Path, cache: Path | None = None) -> Iterator[Path | None]:
    """While open, imports find what the files beside loader.py ask for. Gives the layer; None where none is needed.

    Makes the layer below `cache` (default: `default_cache()`) if it is not there. Modules that were imported and
    that the layer has as well are imported anew, and are as before afterwards. Raises RequirementsError.
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
    """The lines of its files for which a run would make a layer; none where there is one or none is needed."""
    files = [loader_directory / name for name in STEPS if (loader_directory / name).is_file()]
    if not (loader_directory / _MAIN).is_file() or os.environ.get(DISABLE) == "1":
        return []
    missing = wanting(files)
    return missing if missing and not ((cache or default_cache()) / _key(files) / _READY).exists() else []


def default_cache() -> Path:
    """Where layers are cached: below ttmatrix's own cache directory."""
    if home := os.environ.get("TTMATRIX_HOME"):
        return Path(home) / "cache/requirements"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ttmatrix/requirements"


def ensure(files: list[Path], cache: Path) -> Path:
    """The layer for `files`, made if it is not there. Who wants the same one at the same time waits."""
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
    """The files to install; none where the main one is missing, as upstream has it."""
    if not (directory / _MAIN).is_file():
        return []
    if (directory / _SYSTEM).is_file():
        print(f"{directory / _SYSTEM} asks for packages of the system; installing them is left to you.", flush=True)
    return [directory / name for name in STEPS if (directory / name).is_file()]


def _key(files: list[Path]) -> str:
    """Tells layers apart: by what is asked for, by the interpreter and its platform, and by all that they lie on."""
    below = sorted(f"{one.metadata['Name']}=={one.version}" for one in importlib.metadata.distributions())
    asked = (f"{path.name}\n{path.read_text()}" for path in files)
    parts = [sys.version, sys.prefix, sysconfig.get_platform(), *below, *asked]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:20]


def _make(layer: Path, files: list[Path]) -> None:
    shutil.rmtree(layer, ignore_errors=True)
    print(f"Installing {', '.join(map(str, files))} into {layer}", flush=True)
    try:
        # Not asked of the import system: to the hook of setuptools a look for pip says that its distutils are unwanted,
        # and nothing that needs them would work in this process any more, TorchInductor among others.
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
    """Lines for pip: what a layer may not bring in another version."""
    return "".join(f"{name}=={version}\n" for name in _KEPT if (version := distribution_version(name)))


def _pip(layer: Path, *arguments: str) -> None:
    """Run pip, whose progress goes to the log. Raises RequirementsError."""
    command = [str(layer / "bin/python"), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
    command += ["--progress-bar=off", *arguments]
    _debug(" ".join(command))
    # Of ours nothing may reach pip's own start: the layer finds what lies below by itself.
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
    """In one line, why pip failed, by what it said."""
    missing = _MISSING.search(said)
    if missing and _UNREACHED.search(said):
        return f"{missing[1].strip()} is not installed, and there is no network to get it from"
    if unreached := _REPOSITORY.search(said):
        return f"{unreached[1]} cannot be had: {unreached[2].strip()}"
    # The last one is about the whole, but where a package is missing it says that again.
    errors = _ERROR.findall(said)
    if missing:
        return f"pip failed: {missing[0].strip()}"
    last = said.strip().rpartition("\n")[2]
    return f"pip failed: {errors[0].strip() if errors else last or 'it does not say why'}"


def _site_packages(layer: Path) -> Path:
    return next((layer / "lib").glob("python*/site-packages"))


def _top_level_names(layer: Path) -> set[str]:
    """What can be imported from the layer."""
    entries = _site_packages(layer).iterdir()
    found = {entry.name.partition(".")[0] for entry in entries if entry.is_dir() or entry.suffix in (".py", ".so")}
    names = {name for name in found if name.isidentifier() and name != "__pycache__"}
    # The distutils that are loaded may be those of the setuptools below.
    return names | {"distutils"} if "setuptools" in names else names


def distribution_version(name: str) -> str | None:
    """Which version of a distribution is there; None: it is not."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _debug(text: str) -> None:
    if os.environ.get(DEBUG) == "1":
        print(f"[requirements] {text}", flush=True)


if __name__ == "__main__":
    print("TTMATRIX-LAYERS", json.dumps({place: to_install(Path(place)) for place in sys.argv[1:]}))
