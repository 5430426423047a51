# SPDX-License-Identifier: Apache-2.0
"""What runs may download, as far as the files of a checkout and the caches here tell. Nothing is asked of a network."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from core.errors import TTMatrixError
from core.files import read_text
from core.ids import TestId
from core.sources import Checkout, checkpoints, loader_file
from core.text import counted

_REQUIREMENTS = "requirements.txt"
_HUB_CALL = "from_pretrained("
_CACHED_FILE = "get_file("
"""Upstream's own way to files that CI has in a cache (tools/utils.py of the models tree)."""
_FILE_CACHES = ("DOCKER_CACHE_ROOT", "LOCAL_LF_CACHE", "IRD_LF_CACHE")
_MOST_NAMED = 4

Download = tuple[str, str]
"""What may be downloaded, and what a person can do about it."""


def downloads(checkout: Checkout, tests: Iterable[str], environ: Mapping[str, str]) -> Iterator[Download]:
    """One for packages, one for checkpoints of a model hub, one for files, where `tests` may want any."""
    parsed = {test: one for test in tests if (one := TestId.parse(test))}
    sources = {directory: _source(checkout, directory) for directory in {one.directory for one in parsed.values()}}
    if lists := [one for one in sorted(sources) if (checkout.models / one / _REQUIREMENTS).is_file()]:
        names = [name for one in lists for name in _packages(checkout.models / one / _REQUIREMENTS)]
        what = f"{_listed(lists)} {_asks(lists)} for packages: {_listed(dict.fromkeys(names))}"
        if names:
            yield what, "What is not installed is downloaded at the first run, once for all that ask for the same"
    absent = sorted({name for test in parsed.values() for name in _absent(test, sources[test.directory], environ)})
    if absent:
        remedy = f"Into {hub_cache(environ)}, at the first run; HF_HOME names another place. Sizes are not known here"
        yield f"{counted(len(absent), 'checkpoint')} may be downloaded: {_listed(absent)}", remedy
    asking = sorted(one for one, text in sources.items() if _CACHED_FILE in text)
    if asking and not any(environ.get(name) for name in _FILE_CACHES):
        remedy = "export IRD_LF_CACHE=... as on the machines of CI; without it they are fetched, or cannot be had"
        yield f"{_listed(asking)} {_asks(asking)} for files of a cache, and IRD_LF_CACHE is not set", remedy


def hub_cache(environ: Mapping[str, str]) -> Path:
    """Where Hugging Face's libraries keep what they download."""
    if place := environ.get("HF_HUB_CACHE"):
        return Path(place).expanduser()
    home = environ.get("HF_HOME") or f"{environ.get('XDG_CACHE_HOME') or '~/.cache'}/huggingface"
    return Path(home).expanduser() / "hub"


def _source(checkout: Checkout, directory: str) -> str:
    try:
        return read_text(checkout.models / loader_file(directory))
    except TTMatrixError:
        return ""


def _packages(file: Path) -> list[str]:
    try:
        lines = [line.partition(" #")[0].strip() for line in read_text(file).splitlines()]
    except TTMatrixError:
        return []
    return [line for line in lines if line and not line.startswith(("#", "-"))]


def _absent(test: TestId, source: str, environ: Mapping[str, str]) -> Iterator[str]:
    """The checkpoint of the test's variant, where its loader asks a hub for it and the cache here does not have it."""
    if _HUB_CALL not in source or test.variant is None:
        return
    try:
        name = checkpoints(source).get(test.variant, "")
    except (SyntaxError, ValueError):
        return
    if name.count("/") == 1 and not (hub_cache(environ) / f"models--{name.replace('/', '--')}").is_dir():
        yield name


def _asks(subjects: list[str]) -> str:
    return "asks" if len(subjects) == 1 else "ask"


def _listed(names: Iterable[str]) -> str:
    every = list(names)
    more = f" and {len(every) - _MOST_NAMED:,} more" if len(every) > _MOST_NAMED else ""
    return ", ".join(every[:_MOST_NAMED]) + more
