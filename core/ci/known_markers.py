# SPDX-License-Identifier: Apache-2.0
"""Names of markers: which ones anything gives or asks for, and what is doubtful about one that an entry names.

Upstream accepts any name (docs/rules.md 2.2), so that a misspelt one is silent: no job selects the test by it.
"""

import configparser
import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from core.base.files import read_loosely
from core.ci.markers import names_in, placeholder_markers
from core.domain.model import BringupStatus, Status
from core.matrix import Matrix
from core.sources import Checkout, Schema, files_below
from core.sources.ci import Job

_UPSTREAM = ("push", "nightly", "weekly", "notimeout", "large")
"""The markers that upstream's pytest.ini has for entries, for a checkout without one."""
_MOST_BYTES = 1 << 20
"""A longer file is not read."""
_TESTS = "tests"
_IN_CODE = re.compile(r"\bmark\.(\w+)|get_closest_marker\(\s*[\"']([\w-]+)[\"']")
_PYTEST_OWN = frozenset(
    {"parametrize", "skip", "skipif", "xfail", "usefixtures", "filterwarnings", "forked", "timeout", "flaky"}
)
_OUTCOMES = {
    "skip": Status.NOT_SUPPORTED_SKIP,
    "skipif": Status.NOT_SUPPORTED_SKIP,
    "xfail": Status.KNOWN_FAILURE_XFAIL,
}
_SEPARATORS = re.compile(r"[\s,;|]+")
_DECORATION = re.compile(r"^@?(?:pytest\.)?mark\.|[\\\"'\[\]()`{}]")


def registered_markers(root: Path) -> tuple[str, ...]:
    """The markers of `pytest.ini`, in its order; none if it cannot be read."""
    try:
        parser = configparser.RawConfigParser(strict=False)
        parser.read_string(read_loosely(root / "pytest.ini", _MOST_BYTES))
        lines = parser.get("pytest", "markers", fallback="").splitlines()
    except (OSError, configparser.Error):
        return ()
    return tuple(name for line in lines if (name := line.partition(":")[0].partition("(")[0].strip()))


def files_with_markers(checkout: Checkout) -> Iterator[str]:
    """Directories and files that `written_markers` reads."""
    yield str(checkout.root / "pytest.ini")
    yield from files_below(checkout.root / _TESTS, ".py")


def written_markers(checkout: Checkout) -> frozenset[str]:
    """The markers that code of the tests names: `pytest.mark.NAME`, and those that conftests look for."""
    found: set[str] = set()
    for path in files_below(checkout.root / _TESTS, ".py"):
        if path.endswith(".py"):
            try:
                text = read_loosely(Path(path), _MOST_BYTES)
            except (OSError, ValueError):
                continue
            found.update(name for pair in _IN_CODE.findall(text) for name in pair if name)
    return frozenset(found)


def _archs(schema: Schema) -> dict[str, str]:
    """Each arch by the two names of its marker."""
    return {name: arch for arch in schema.archs for name in (arch, arch.replace("-", "_"))}


def given_markers(schema: Schema) -> frozenset[str]:
    """The markers that upstream gives model tests by itself (docs/rules.md 3.1)."""
    statuses = (one.lower() for one in (*Status, *BringupStatus))
    fixed = {"model_test", "no_auto_properties", "llm", "llm_decode", "op_by_op", "filecheck", *placeholder_markers()}
    shape = (*schema.parallelisms, *schema.llm_parallelisms, *schema.modes, *schema.group_markers)
    return frozenset({*_archs(schema), *statuses, *fixed, *shape})


class Doubt(NamedTuple):
    """What is doubtful about a marker of an entry, and the markers that its author may have meant."""

    text: str
    meant: tuple[str, ...] = ()
    """Empty: this is not certain."""


@dataclass(frozen=True)
class MarkerNames:
    """The names that markers of entries can have in a checkout."""

    schema: Schema
    known: frozenset[str]
    """Those that pytest.ini registers, or that code of the tests names."""
    asked: frozenset[str] = frozenset()
    """Those that jobs select by."""

    def doubt(self, marker: str) -> Doubt | None:
        """What is doubtful about a marker in an entry; None: nothing."""
        if marker in self._own:
            return None
        parts = tuple(part for one in _SEPARATORS.split(marker) if (part := _DECORATION.sub("", one.strip())))
        if len(parts) > 1:
            return self._several(marker, parts)
        if not parts:
            return Doubt(f"{marker!r} is no name of a marker")
        return self._single(marker, parts[0])

    @cached_property
    def _own(self) -> frozenset[str]:
        """Markers that only entries give."""
        given = given_markers(self.schema) - {"nightly", "weekly"}
        return (self.known | self.asked) - given - _PYTEST_OWN

    def _several(self, marker: str, parts: tuple[str, ...]) -> Doubt:
        meant = tuple(known for part in parts if (known := self._spelled(part)))
        text = f"{marker!r} is one marker, not {len(parts)}: each is an item of its own"
        return Doubt(text, meant if len(meant) == len(parts) else ())

    def _single(self, marker: str, name: str) -> Doubt:
        if arch := _archs(self.schema).get(name.lower()):
            return Doubt(f"{marker!r} is an arch, not a marker: write {arch} in supported_archs")
        plain = name.lower().replace("-", "_")
        if plain in _STATUSES:
            return Doubt(f"{marker!r} is a status, not a marker: write {_STATUSES[plain]}")
        if known := self._spelled(name):
            return Doubt(f"No test has the marker {marker!r}. Did you mean {known}?", (known,))
        if plain in given_markers(self.schema):
            return Doubt(f"{marker!r} is given to tests by their id or their loader, not by entries")
        near = difflib.get_close_matches(plain, sorted(self._own), 1, 0.6)
        hint = f" Did you mean {near[0]}?" if near else ""
        sure = tuple(difflib.get_close_matches(plain, sorted(self._own), 1, 0.8))
        return Doubt(f"Nothing asks for the marker {marker!r}, neither pytest.ini nor a job of CI.{hint}", sure)

    def _spelled(self, name: str) -> str:
        """The marker that differs from `name` in case or in its separators only; empty: there is none."""
        plain = name.lower().replace("-", "_")
        return next((one for one in sorted(self._own) if one.replace("-", "_").lower() == plain), "")


_STATUSES: Mapping[str, str] = {
    **{name: f"status: {status}" for name, status in _OUTCOMES.items()},
    **{one.lower(): f"status: {one}" for one in Status},
    **{one.lower(): f"bringup_status: {one}" for one in BringupStatus},
}


def marker_names(matrix: Matrix, jobs: Iterable[Job], written: Iterable[str] = ()) -> MarkerNames:
    """The markers that entries of a checkout can have, given all `jobs` of its presets and its `written_markers`."""
    known = frozenset({*_UPSTREAM, *registered_markers(matrix.checkout.root), *written})
    return MarkerNames(matrix.schema, known, frozenset(name for job in jobs for name in names_in(job.test_mark)))
