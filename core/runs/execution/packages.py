# SPDX-License-Identifier: Apache-2.0
"""The packages of an interpreter that tt-xla's own runner changes for a run: noted before, put back where it did not.

The runner installs what a loader asks for into the environment and rolls back (docs/rules.md 6). A run that is ended in
between would leave the environment changed for good. So its packages are noted in the environment itself, where the
next such run finds them, of any user.
"""

import json
import os
import re
import shlex
import shutil
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.files import Malformed, atomic_write, decoded, plain, read_bytes
from core.base.processes import own_identity, run_command
from core.runs.environment import environment_of
from core.runs.leases import device_leases
from core.runs.spec import RunSpec
from core.runs.store import LOG, read_spec

AT_WORK = "packages-at-work"
"""A file in the directory of a run while its packages are put back: no process of the run is left then."""
CHANGED = "packages.txt"
"""A file in the directory of a run: one line that says what was put back, or what is left."""

_NOTE = ".ttmatrix-packages.json"
_SITES = ("lib/python3*/site-packages", "lib/python3*/dist-packages", "local/lib/python3*/dist-packages")
PUT_BACK_SECONDS = 300.0
"""For each call of pip."""
_PAUSE = 0.5
_MARKS = frozenset({"__pycache__"})
_SEPARATORS = re.compile(r"[-_.]+")
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True, slots=True)
class Package:
    """One installed distribution."""

    name: str
    version: str
    origin: str = ""
    """The words with which pip installs it if not by its version: an address, a repository, a directory."""
    asked: bool = False
    """Whether somebody asked for it by name; it is no dependency of another one then."""

    @property
    def words(self) -> list[str]:
        """The requirement for pip that brings exactly this."""
        if self.origin.startswith("-e "):
            return self.origin.split(" ", 1)
        return [f"{self.name} @ {self.origin}" if self.origin else f"{self.name}=={self.version}"]

    @property
    def text(self) -> str:
        return f"{self.name} {self.version}"


@dataclass(frozen=True, slots=True)
class Kept:
    """The packages of an environment before a run, stored in the environment until it has them again."""

    run_id: str
    python: str
    packages: Mapping[str, Package]
    """By normalized name."""
    entries: Sequence[str]
    """Every entry of the directories of packages."""
    places: Sequence[str]
    """The directories of the loaders whose requirements are installed."""


def note(spec: RunSpec) -> None:
    """Note the packages of a run's interpreter before it starts. Raises TTMatrixError if that cannot be written."""
    root = environment_of(Path(spec.argv[0]))
    kept = Kept(spec.run_id, spec.argv[0], packages_of(root), _entries(root), spec.requirements)
    if os.access(root, os.W_OK):
        atomic_write(root / _NOTE, json.dumps(plain(kept)))


def noted(python: Path) -> Kept | None:
    """The packages that an environment had before the last run that has not put them back; None: there is none."""
    try:
        return decoded(read_bytes(environment_of(python) / _NOTE), Kept)
    except (OSError, Malformed):
        return None


def is_at_work(directory: Path) -> bool:
    """Whether packages of the run in `directory` are being put back."""
    return (directory / AT_WORK).exists()


def said_of(directory: Path) -> str:
    """What was put back after the run in `directory`, or what is left; empty: nothing was changed."""
    try:
        return _text(directory / CHANGED).strip()
    except OSError:
        return ""


def put_back_of(spec: RunSpec, directory: Path, environ: Mapping[str, str]) -> None:
    """`put_back` for the interpreter of a run, with a line in its directory if something was changed.

    `environ` is the environment that the run was requested from: it may name pip's index.
    """
    mark = directory / AT_WORK
    mark.touch()
    try:
        said = put_back(Path(spec.argv[0]), directory / LOG, environ)
        if said:
            atomic_write(directory / CHANGED, said)
    finally:
        mark.unlink()


def put_back(python: Path, log: Path, environ: Mapping[str, str]) -> str:
    """Put back what was noted, saying so at the end of `log`; returns the same in a line. Empty: nothing has changed.

    No run may use the environment meanwhile.
    """
    kept = noted(python)
    if kept is None:
        return ""
    root = environment_of(python)
    change = change_of(kept, packages_of(root))
    done = _Pip(kept.python, log, environ)
    done.uninstall(change.added)
    torn = _remove_torn(root, kept)
    for package in change.gone:
        done.install(package)
    left = change_of(kept, packages_of(root))
    said = _told(kept, change, left, torn)
    if said:
        _say(log, said)
    if not left:
        (root / _NOTE).unlink(missing_ok=True)
    return said


@dataclass(frozen=True, slots=True)
class Change:
    """The difference between the packages before and after a run."""

    added: Sequence[Package]
    """To be removed."""
    gone: Sequence[Package]
    """To be installed again: removed, or replaced by another version."""

    def __bool__(self) -> bool:
        return bool(self.added or self.gone)


def change_of(kept: Kept, present: Mapping[str, Package]) -> Change:
    """What a run has left in an environment.

    A package that somebody asked pip for by name, and no loader's file, is somebody else's and stays.
    """
    named = set(_named(kept.places))
    foreign = {name for name, one in present.items() if one.asked and name not in named and _differs(kept, one)}
    added = [one for name, one in present.items() if name not in kept.packages and name not in foreign]
    gone = [one for name, one in kept.packages.items() if name not in foreign and _differs_from(present, one)]
    return Change(added, gone)


def packages_of(root: Path) -> dict[str, Package]:
    """The packages installed in an environment, by normalized name; nothing is executed."""
    found = {}
    for site in _sites(root):
        for info in sorted(site.glob("*.dist-info")):
            name, _, version = info.name.removesuffix(".dist-info").rpartition("-")
            if name and (info / "RECORD").is_file():
                one = Package(name, version, _origin(info), (info / "REQUESTED").is_file())
                found[_normal(name)] = one
    return found


def _differs(kept: Kept, package: Package) -> bool:
    return _differs_from(kept.packages, package)


def _differs_from(others: Mapping[str, Package], package: Package) -> bool:
    other = others.get(_normal(package.name))
    return other is None or (other.version, other.origin) != (package.version, package.origin)


def _normal(name: str) -> str:
    return _SEPARATORS.sub("-", name).lower()


def _sites(root: Path) -> list[Path]:
    return sorted({place.resolve() for pattern in _SITES for place in root.glob(pattern) if place.is_dir()})


def _entries(root: Path) -> list[str]:
    return sorted(str(entry) for site in _sites(root) for entry in site.iterdir())


def _named(places: Iterable[str]) -> Iterator[str]:
    """The names in the requirement files of loaders, normalized."""
    for place in places:
        for file in sorted(Path(place).glob("*.txt")):
            with suppress(OSError):
                lines = _text(file).splitlines()
                yield from (_normal(found[0]) for line in lines if (found := _NAME.match(line.strip())))


def _text(file: Path) -> str:
    return read_bytes(file).decode("utf-8", "replace")


def _origin(info: Path) -> str:
    """How pip got a distribution, from the record that it keeps of sources other than an index."""
    try:
        said = json.loads(_text(info / "direct_url.json"))
        address = str(said["url"])
        if (said.get("dir_info") or {}).get("editable"):
            return f"-e {address.removeprefix('file://')}"
        if vcs := said.get("vcs_info"):
            return f"{vcs['vcs']}+{address}@{vcs['commit_id']}"
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return ""
    return address


def _remove_torn(root: Path, kept: Kept) -> list[str]:
    """Remove what an interrupted pip leaves: files of a package without its record, and packages it set aside.

    Returns their names.
    """
    removed = []
    owned = {top for site in _sites(root) for top in _recorded(site)}
    for entry in map(Path, _entries(root)):
        torn = entry.name.startswith("~") or (entry.name not in owned and entry.name not in _MARKS)
        if torn and str(entry) not in kept.entries:
            shutil.rmtree(entry, ignore_errors=True) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
            removed.append(entry.name)
    return removed


def _recorded(site: Path) -> Iterator[str]:
    """The entries of a directory of packages that belong to a complete package."""
    for record in site.glob("*.dist-info/RECORD"):
        yield record.parent.name
        with suppress(OSError):
            yield from {line.partition("/")[0].partition(",")[0].strip('"') for line in _text(record).splitlines()}


class _Pip:
    """pip of an interpreter, with its words in a log."""

    def __init__(self, python: str, log: Path, environ: Mapping[str, str]) -> None:
        # Isolated: neither the directory that it runs in nor PYTHONPATH may lend it a package.
        self._command = (python, "-I", "-m", "pip", "--disable-pip-version-check", "--no-input")
        self._log = log
        self._environ = environ

    def uninstall(self, packages: Sequence[Package]) -> None:
        if packages:
            self._run("uninstall", "--yes", *(one.name for one in packages))

    def install(self, package: Package) -> None:
        self._run("install", "--no-deps", "--force-reinstall", *package.words)

    def _run(self, *words: str) -> None:
        try:
            done = run_command((*self._command, *words), cwd=Path("/"), env=self._environ, timeout=PUT_BACK_SECONDS)
            _say(self._log, *f"{done.stdout}{done.stderr}".strip().splitlines())
        except TTMatrixError as error:
            _say(self._log, f"{error.title}: {error.detail}")


def _told(kept: Kept, change: Change, left: Change, torn: Sequence[str]) -> str:
    """What was done, in a line."""
    environment = environment_of(Path(kept.python))
    if left:
        pip = f"{shlex.quote(kept.python)} -m pip"
        again = [f"{pip} uninstall {' '.join(one.name for one in left.added)}"] if left.added else []
        words = [word for one in left.gone for word in one.words]
        again += [f"{pip} install --no-deps {shlex.join(words)}"] if words else []
        return f"{environment} is not as it was before the run; put it back with: {' && '.join(again)}"
    parts = [f"removed {_texts(change.added)}"] if change.added else []
    parts += [f"put back {_texts(change.gone)}"] if change.gone else []
    parts += [f"removed pieces that pip has left: {', '.join(torn)}"] if torn else []
    return f"in {environment}: {' and '.join(parts)}" if parts else ""


def _texts(packages: Iterable[Package]) -> str:
    return ", ".join(one.text for one in packages)


def _say(log: Path, *lines: str) -> None:
    with suppress(OSError), log.open("a", encoding="utf-8") as file:
        file.writelines(f"[packages] {line}\n" for line in lines)


def put_back_command(directory: Path) -> list[str]:
    """The command of a process that puts back what a run has left whose supervisor was killed."""
    return [sys.executable, "-P", "-m", "core.runs.execution.packages", str(directory)]


def is_left(spec: RunSpec) -> bool:
    """Whether the packages from before this run have not been put back."""
    kept = noted(Path(spec.argv[0])) if spec.requirements else None
    return kept is not None and kept.run_id == spec.run_id


def main(arguments: Sequence[str]) -> int:
    """Put back what the run in the directory `arguments` has left, unless another run does that at its start."""
    directory = Path(arguments[0])
    spec, leases, deadline = read_spec(directory), device_leases(), time.monotonic() + PUT_BACK_SECONDS
    pause = threading.Event()
    while is_left(spec) and time.monotonic() < deadline:
        if leases.take(spec.claims, own_identity()) is None:
            put_back_of(spec, directory, os.environ)
            break
        pause.wait(_PAUSE)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
