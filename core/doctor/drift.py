# SPDX-License-Identifier: Apache-2.0
"""Requirements of a loader that replace a package which the runtime is built for (docs/rules.md 6)."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.files import is_there, read_text
from core.doctor.check import Check
from core.domain.model import Finding
from core.matrix import Matrix
from core.sources import Checkout

_PINS = ("python_package/requirements.txt", "venv/requirements-dev.txt")
_RUNTIME = frozenset({"torch", "torchxla", "torchvision", "torchaudio", "jax", "jaxlib", "pjrtplugintt"})
"""Another version of these takes the place of the one that the device's plugin was built for."""
_REQUIREMENT = re.compile(
    r"^\s*(?P<name>[A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*(?P<how>==|~=|!=|<=?|>=?)\s*(?P<version>[\d.]+)"
)
_NAMED = re.compile(r"^\s*(?P<name>[A-Za-z0-9][\w.-]*)")
_AT_ADDRESS = re.compile(r"^\s*(?P<name>[\w.-]+)\s*@\s*\S*/(?P<file>[\w.-]+?)-(?P<version>\d[\d.]*)")


def _replaced(matrix: Matrix) -> Iterator[Finding]:
    pins = _pinned(matrix.checkout)
    for directory in matrix.loaders if pins else ():
        path = matrix.checkout.models / directory / "requirements.txt"
        for line, text in enumerate(_lines(path), 1):
            match = _REQUIREMENT.match(text) or _AT_ADDRESS.match(text)
            name = plain_name(match["name"]) if match else ""
            how = match.groupdict().get("how", "==") if match else ""
            if match and name in pins and not _allows(how, match["version"], pins[name]):
                message = (
                    f"Installs another {match['name']} ({how}{match['version']}) over the {pins[name]} that"
                    " the device's plugin is built for. Remove the line, or let it allow that version"
                )
                yield Finding(PINNED_ELSEWHERE.kind, message, matrix.checkout.relative(path), line, 1, directory)


PINNED_ELSEWHERE = Check(
    "pinned-elsewhere", "a requirement of a loader that replaces a package of the runtime", _replaced
)


def _pinned(checkout: Checkout) -> Mapping[str, str]:
    """The versions of the packages of the runtime, by their plain names."""
    found: dict[str, str] = {}
    for place in _PINS:
        for text in _lines(checkout.root / place):
            match = _REQUIREMENT.match(text) or _AT_ADDRESS.match(text)
            if match and (name := plain_name(match["name"])) in _RUNTIME:
                found.setdefault(name, match["version"])
    return found


def runtime_requirements(checkout: Checkout) -> frozenset[str]:
    """The packages that are installed before any test is collected, by their plain names."""
    return frozenset().union(*(required_in(checkout.root / place) for place in _PINS))


def required_in(path: Path) -> frozenset[str]:
    """The packages that a file of requirements names, by their plain names."""
    return frozenset(plain_name(match["name"]) for text in _lines(path) if (match := _NAMED.match(text)))


def _allows(how: str, version: str, pinned: str) -> bool:
    """Whether a requirement is satisfied by the pinned version, as far as its numbers tell."""
    wanted, have = ([int(part) for part in text.strip(".").split(".") if part] for text in (version, pinned))
    same = have[: len(wanted)] == wanted or wanted[: len(have)] == have
    if how in ("==", "!="):
        return same == (how == "==")
    if how.startswith(">"):
        return have > wanted or (how == ">=" and same)
    if how == "~=":
        return have[: len(wanted) - 1] == wanted[:-1] and have >= wanted
    return have < wanted or (how == "<=" and have == wanted)


def _lines(path: Path) -> list[str]:
    try:
        return read_text(path).splitlines() if is_there(path) else []
    except TTMatrixError:
        return []


def plain_name(name: str) -> str:
    """The name of a package without what its spellings differ in."""
    return re.sub(r"[-_.]", "", name).lower()
