# SPDX-License-Identifier: Apache-2.0
"""The state of the checkout that a run belongs to: which commits, and the code of its loader when it started."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from pathlib import Path

from core.model import Entry


@dataclass(frozen=True, slots=True)
class TreeState:
    """What a result is a result of. Empty texts: it cannot be told."""

    repository: str
    """The first commit of the checkout's history: tells a checkout from another that has taken its place."""
    commit: str
    """The commit of the checkout."""
    models: str
    """The commit of the models submodule."""
    loader: str
    """Digest of the loader (see `core.sources.loader_files`)."""
    imports: str
    """Digest of what the loader imports."""
    committed: bool
    """Whether `models` holds the loader and what it imports exactly so."""


def entry_digest(entry: Entry | None) -> str:
    """Tells the contents of two entries apart; comments and order do not count."""
    fields = None if entry is None else _sorted(entry.fields)
    return hashlib.sha1(json.dumps(fields, default=str).encode()).hexdigest()[:16]


def _sorted(value: object) -> object:
    """`value` in an order of its own; keys of YAML may be of any type, so they are compared as texts."""
    match value:
        case Mapping():
            named = sorted(((str(key), one) for key, one in value.items()), key=itemgetter(0))
            return [[key, _sorted(one)] for key, one in named]
        case list() | tuple():
            return [_sorted(one) for one in value]
    return value


def same_place(one: Path, other: Path) -> bool:
    """Whether two paths of checkouts lead to the same directory."""
    return _resolved(one) == _resolved(other)


@lru_cache(maxsize=1024)
def _resolved(directory: Path) -> Path:
    # Of thousands of runs each one asks.
    return directory.resolve()
