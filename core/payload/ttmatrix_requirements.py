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
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ttmatrix_satisfied import satisfied

DISABLE = "TT_XLA_DISABLE_MODEL_REQS"
DEBUG = "TT_XLA_REQS_DEBUG"

_MAIN = "requirements.txt"
_STEPS = {
    _MAIN: (),
    "requirements.nodeps.txt": ("--no-deps",),
    "requirements.nodeps.nobuildisolation.txt": ("--no-deps", "--no-build-isolation"),
}
"""Files beside loader.py in the order they are installed in, each with pip's options."""
_SYSTEM = "system-requirements.txt"
_KEPT = ("torch", "torch-xla", "pjrt-plugin-tt")
"""What a layer may not bring: another one beside a device's plugin can only crash."""
_READY = ".ready"
_TAIL = 3000


class RequirementsError(Exception):
    """The packages a loader asks for cannot be had; the text ends with pip's own."""


@contextmanager
def applied(loader_directory: Path, cache: Path | None = None) -> Iterator[Path | None]:
    """While open, imports find what the files beside loader.py ask for. Gives the layer; None where none is needed.

    Makes the layer below `cache` (default: `default_cache()`) if it is not there. Modules that were imported and
    that the layer has as well are imported anew, and are as before afterwards. Raises RequirementsError.
    """
    files = _files(loader_directory)
    if os.environ.get(DISABLE) == "1" or satisfied(files):
        yield None
        return
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
    return [directory / name for name in _STEPS if (directory / name).is_file()]


def _key(files: list[Path]) -> str:
    """Tells layers apart: by what is asked for, and by all that they lie on."""
    below = sorted(f"{one.metadata['Name']}=={one.version}" for one in importlib.metadata.distributions())
    parts = [sys.version, sys.prefix, *below, *(f"{path.name}\n{path.read_text()}" for path in files)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:20]


def _make(layer: Path, files: list[Path]) -> None:
    shutil.rmtree(layer, ignore_errors=True)
    print(f"Installing {', '.join(map(str, files))} into {layer}", flush=True)
    try:
        # Not asked of the import system: to the hook of setuptools a look for pip says that its distutils are unwanted,
        # and nothing that needs them would work in this process any more, TorchInductor among others.
        venv.create(layer, with_pip=_version("pip") is None)
        below = [entry for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")]
        (_site_packages(layer) / "_below.pth").write_text("\n".join(below) + "\n")
        kept = layer / "constraints.txt"
        kept.write_text("".join(f"{name}=={version}\n" for name in _KEPT if (version := _version(name))))
        for path in files:
            _pip(layer, "-r", str(path), "-c", str(kept), *_STEPS[path.name])
        (layer / _READY).touch()
    except BaseException:
        shutil.rmtree(layer, ignore_errors=True)
        raise


def _pip(layer: Path, *arguments: str) -> None:
    command = [str(layer / "bin/python"), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
    command += arguments
    _debug(" ".join(command))
    # Of ours nothing may reach pip's own start: the layer finds what lies below by itself.
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environ)
    _debug(done.stdout + done.stderr)
    if done.returncode:
        raise RequirementsError(f"pip failed: {' '.join(command)}\n{(done.stdout + done.stderr)[-_TAIL:].strip()}")


def _site_packages(layer: Path) -> Path:
    return next((layer / "lib").glob("python*/site-packages"))


def _top_level_names(layer: Path) -> set[str]:
    """What can be imported from the layer."""
    entries = _site_packages(layer).iterdir()
    found = {entry.name.partition(".")[0] for entry in entries if entry.is_dir() or entry.suffix in (".py", ".so")}
    names = {name for name in found if name.isidentifier() and name != "__pycache__"}
    # The distutils that are loaded may be those of the setuptools below.
    return names | {"distutils"} if "setuptools" in names else names


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _debug(text: str) -> None:
    if os.environ.get(DEBUG) == "1":
        print(f"[requirements] {text}", flush=True)
