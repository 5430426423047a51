# SPDX-License-Identifier: Apache-2.0
"""What runs will download, according to the files of a checkout and the local caches. No network is used."""

import hashlib
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from urllib.parse import urlsplit

from core.base.errors import TTMatrixError
from core.base.files import read_text
from core.base.text import counted
from core.domain.ids import TestId
from core.runs.planning.loader_downloads import asked_by
from core.sources import Checkout
from core.sources.downloads import Fetched, HubName

OFFLINE = "HF_HUB_OFFLINE"
FILE_SERVER = "IRD_LF_CACHE"

_MOUNTED = "DOCKER_CACHE_ROOT"
"""CI's own cache when it is mounted: it is complete, so nothing is downloaded."""
_REQUIREMENTS = "requirements*.txt"
_MAIN = "requirements.txt"
_HOME = Path("~/.cache")
_SHARED_FILES = "models/tt-ci-models-private"
_MOST_NAMED = 4
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


class Kind(StrEnum):
    """Kinds of downloads."""

    PACKAGE = "package"
    CHECKPOINT = "checkpoint"
    DATASET = "dataset"
    WEIGHTS = "weight file"
    FILE = "file"


HUB_KINDS = {"model": Kind.CHECKPOINT, "dataset": Kind.DATASET}
"""By the kind of a hub repository."""


@dataclass(frozen=True, slots=True)
class Download:
    """One thing that a run needs and that is not here."""

    kind: Kind
    name: str
    """A package with its version, a requirement, `owner/name` on the hub, a library and its model, or an address."""
    size: int | None = None
    """In bytes; None: unknown until it is downloaded."""
    address: str = field(default="", compare=False)
    """The address of a package, once pip has reported it."""

    @property
    def text(self) -> str:
        """The name, with the size if that is known."""
        return self.name if self.size is None else f"{self.name} ({size_text(self.size)})"


@dataclass(frozen=True, slots=True)
class Sources:
    """The downloads of the loaders of tests, and their origins."""

    downloads: Sequence[Download]
    """The downloads that are not here."""
    notes: Sequence[tuple[str, str]]
    """Places of caches and the variables that set them: a fact, and its explanation."""
    missing: Sequence[tuple[str, str]]
    """What cannot be obtained in the present setup, and what to do about it."""


def requirement_places(checkout: Checkout, tests: Iterable[str]) -> list[Path]:
    """The directories of those loaders of `tests` that require packages."""
    places = {checkout.models / one.directory for test in tests if (one := TestId.parse(test))}
    return sorted(place for place in places if (place / _MAIN).is_file())


def asked_packages(place: Path) -> list[str]:
    """The lines in a loader's requirement files that name a package, installed or not."""
    lines: list[str] = []
    for file in sorted(place.glob(_REQUIREMENTS)):
        try:
            lines += (line.partition(" #")[0].strip() for line in read_text(file).splitlines())
        except TTMatrixError:
            continue
    return named_packages(lines)


def named_packages(lines: Iterable[str]) -> list[str]:
    """The packages among the lines of requirement files, without repetitions."""
    return list(dict.fromkeys(line for line in lines if line and not line.startswith(("#", "-"))))


def fetched(
    checkout: Checkout, tests: Iterable[str], environ: Mapping[str, str], packages: Iterable[Download]
) -> Sources:
    """What `tests` need that is not here; `packages` are those that the interpreter lacks."""
    asked = asked_by(checkout, tests)
    on_hub = {name for _, found in asked for name in found.hub}
    files: dict[str, list[str]] = {}
    for directory, found in asked:
        if found.files:
            files.setdefault(directory, []).extend(found.files)
    absent = sorted(name for name in on_hub if not _is_here(name, environ))
    offline = environ.get(OFFLINE, "") not in ("", "0")
    downloads = list(packages)
    if not offline:
        downloads += (Download(HUB_KINDS[one.kind], one.name) for one in absent)
    downloads += (Download(Kind.FILE, one) for one in _absent_files(files.values(), environ))
    missing: list[tuple[str, str]] = []
    if offline and absent:
        names = listed(one.name for one in absent)
        what = f"The cache does not have these repositories of the hub: {names}"
        missing.append((what, f"{OFFLINE} is set; unset it, or name with HF_HOME a cache that has them"))
    if files and (problem := _no_file_server(files, environ)):
        missing.append(problem)
    notes = [*_hub_note(on_hub, environ), *_file_note(files, environ), *_unknown_note(asked)]
    return Sources(downloads, notes, missing)


def download_lines(downloads: Sequence[Download]) -> list[str]:
    """The downloads in words, a line for each kind, the largest first, with the known sizes."""
    lines = []
    for kind in Kind:
        found = sorted((one for one in downloads if one.kind is kind), key=lambda one: -(one.size or 0))
        if found:
            lines.append(f"{counted(len(found), kind)}: {listed([one.text for one in found])}{_sum_of(found)}")
    return lines


def _sum_of(found: Sequence[Download]) -> str:
    known = [one.size for one in found if one.size is not None]
    if not known:
        why = "only pip knows, once it has resolved them" if found[0].kind is Kind.PACKAGE else "not known"
        return f"; size: {why}"
    if len(found) == 1:
        return ""
    rest = len(found) - len(known)
    return f"; {size_text(sum(known))} together" + (f", and {rest} of unknown size" if rest else "")


def size_text(size: float) -> str:
    """A number of bytes for people: `96 bytes`, `3.1 MiB`."""
    unit = 0
    while size >= 1024 and unit < len(_UNITS) - 1:
        size, unit = size / 1024, unit + 1
    return f"{size:.0f} {_UNITS[unit]}" if unit == 0 else f"{size:.1f} {_UNITS[unit]}"


def hub_cache(environ: Mapping[str, str]) -> Path:
    """The cache directory of Hugging Face's libraries."""
    if place := environ.get("HF_HUB_CACHE"):
        return Path(place).expanduser()
    home = environ.get("HF_HOME") or f"{environ.get('XDG_CACHE_HOME') or '~/.cache'}/huggingface"
    return Path(home).expanduser() / "hub"


def listed(names: Iterable[str]) -> str:
    """The first names, and how many more there are."""
    every = list(names)
    more = f" and {len(every) - _MOST_NAMED:,} more" if len(every) > _MOST_NAMED else ""
    return ", ".join(every[:_MOST_NAMED]) + more


def _is_here(name: HubName, environ: Mapping[str, str]) -> bool:
    """Whether the cache has files of it: an interrupted download leaves no snapshot."""
    place = hub_cache(environ) / f"{name.kind}s--{name.name.replace('/', '--')}"
    return any(place.glob("snapshots/*/*")) and not any(place.glob("blobs/*.incomplete"))


def _hub_note(on_hub: Collection[HubName], environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if on_hub:
        setting = next((name for name in ("HF_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME") if environ.get(name)), "")
        said = f"{setting} says so" if setting else "HF_HOME is not set, so this is in your home directory"
        explained = f"{said}. Set HF_HOME to use another directory, such as one that colleagues share"
        yield f"Files of the Hugging Face hub are cached in {hub_cache(environ)}", explained


def _file_note(files: Collection[str], environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if not files:
        return
    name, place = _file_cache(environ)
    said = f"{name} says so" if name else "DOCKER_CACHE_ROOT and LOCAL_LF_CACHE are not set"
    server = environ.get(FILE_SERVER)
    explained = f"{said}. {f'{FILE_SERVER}={server}' if server else f'{FILE_SERVER} names no server for them'}"
    yield f"Files of tt-xla's own cache are in {place}", explained


def _unknown_note(asked: Iterable[tuple[str, Fetched]]) -> Iterator[tuple[str, str]]:
    found = list(dict.fromkeys(place for _, one in asked for place in one.unknown))
    if found:
        what = f"Some downloads are not known before the loaders run: {listed(found)}"
        yield what, "The log of a run shows them"


def _no_file_server(files: Mapping[str, Sequence[str]], environ: Mapping[str, str]) -> tuple[str, str] | None:
    """The problem if a loader needs a file of CI's server, the server is not configured, and the file is not here."""
    if environ.get(FILE_SERVER) or _file_cache(environ)[0] == _MOUNTED:
        return None

    def wanted(name: str) -> bool:
        return not _is_address(name) and not _here(name, environ)

    asking = [one for one, names in files.items() if any(map(wanted, names))]
    if not asking:
        return None
    verb = "asks" if len(asking) == 1 else "ask"
    what = f"{listed(asking)} {verb} for files of a cache, and {FILE_SERVER} is not set"
    return what, f"export {FILE_SERVER}=... as on the machines of CI; without it they cannot be downloaded"


def _absent_files(asked: Iterable[Sequence[str]], environ: Mapping[str, str]) -> list[str]:
    """The addresses of downloadable files that are not here, as far as their names are constants."""
    found: dict[str, None] = {}
    server = environ.get(FILE_SERVER)
    for name in (one for names in asked for one in names if one and not _here(one, environ)):
        if _is_address(name):
            found[name] = None
        elif server and _file_cache(environ)[0] != _MOUNTED:
            found[f"{server}/{name}"] = None
    return list(found)


def _is_address(name: str) -> bool:
    return name.startswith(("http://", "https://"))


def _file_cache(environ: Mapping[str, str]) -> tuple[str, Path]:
    """The variable that names upstream's file cache, if any, and the directory."""
    docker = environ.get(_MOUNTED)
    if docker and Path(docker).exists():
        return _MOUNTED, Path(docker)
    if local := environ.get("LOCAL_LF_CACHE"):
        return "LOCAL_LF_CACHE", Path(local)
    return "", _HOME.expanduser()


def _here(name: str, environ: Mapping[str, str]) -> bool:
    """Whether upstream's `get_file` finds a file without downloading it."""
    with suppress(ValueError):
        return bool(name) and _is_cached(name, environ)
    return False


def _is_cached(name: str, environ: Mapping[str, str]) -> bool:
    """Whether a file is in the cache. Raises ValueError for an invalid address."""
    variable, place = _file_cache(environ)
    if _is_address(name):
        digest = hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()[:10]
        base = os.path.basename(urlsplit(name).path)  # noqa: PTH119 - a part of an address
        own = f"{digest}_{base}" if base else f"downloaded_file_{digest}"
        return (place / "url_cache" / own).exists() or (_HOME.expanduser() / "url_cache" / own).exists()
    shared = place / (_SHARED_FILES if variable else "lfcache") / name
    return shared.exists() or (_HOME.expanduser() / "lfcache" / name).exists()
