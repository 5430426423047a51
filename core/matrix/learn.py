# SPDX-License-Identifier: Apache-2.0
"""Who works out what an index does not hold. To add a provider: write `learn_NAME.py` and its line here."""

import importlib
from collections.abc import Iterable, Mapping
from typing import Protocol, cast

from core.matrix.cache import Cache
from core.matrix.index import Matrix
from core.matrix.scope import Facts, Learned

PROVIDERS: Mapping[str, str] = {
    "models": "names and groups of the models",
    "jobs": "scheduled CI jobs",
    "history": "history of the entries",
}
"""What each provider reads, for a person who waits."""


class Provider(Protocol):
    """A module `core.matrix.learn_<name>`; imported when first asked, which few queries do."""

    def learn(self, cache: Cache, matrix: Matrix) -> Facts:
        """What is known of every row of `matrix`; kept in `cache` for the next start."""
        ...


def learn(cache: Cache, matrix: Matrix, names: Iterable[str]) -> Learned:
    """Ask the providers of these names. Can take seconds the first time: not for a thread that a person waits on."""
    return {name: cast(Provider, importlib.import_module(f"{__name__}_{name}")).learn(cache, matrix) for name in names}


def waiting_words(names: Iterable[str]) -> str:
    """What a person waits for while these providers are asked."""
    return f"reading the {' and the '.join(PROVIDERS[name] for name in names)} …"
