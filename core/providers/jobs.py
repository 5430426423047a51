# SPDX-License-Identifier: Apache-2.0
"""Which scheduled CI jobs select each row, cached until something that decides it changes."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from core.ci import Selected, read_ci, selected
from core.matrix import Matrix, load, store
from core.matrix.cache import Cache
from core.providers.models import model_infos
from core.sources import Checkout, files_below, stamps_of
from core.sources.ci import CONFTEST, DURATIONS
from core.sources.evaluator import ModelInfos


@dataclass(frozen=True, slots=True)
class _Cached:
    digest: bytes
    """Of what the matrix and the loaders say."""
    selected: Selected


def provide(cache: Cache, matrix: Matrix) -> Selected:
    """The column of scheduled jobs."""
    return selected_jobs(cache, matrix)


def selected_jobs(cache: Cache, matrix: Matrix) -> Selected:
    """The scheduled jobs of the checkout with what they select, evaluated anew only where that can have changed."""
    infos = model_infos(cache, matrix)
    digest = _digest(matrix, infos)
    cached = load(cache.file("jobs"))
    if isinstance(cached, _Cached) and cached.digest == digest:
        return cached.selected
    stamps = stamps_of(_files(cache.checkout))
    found = selected(read_ci(matrix, infos))
    store(cache.file("jobs"), _Cached(digest, found), stamps)
    return found


def _files(checkout: Checkout) -> Iterator[str]:
    """What jobs are read from beside the index: presets, the workflows that run them, and what the runner skips."""
    yield from files_below(checkout.presets.parent.parent)
    yield from (str(checkout.root / path) for path in (CONFTEST, DURATIONS))


def _digest(matrix: Matrix, infos: ModelInfos) -> bytes:
    digest = hashlib.sha256("\n".join(matrix.ids).encode(errors="surrogatepass"))
    entries = [(id, entry.fields, id not in matrix.strays) for id, entry in matrix.entries.items()]
    groups = [(key, info.group) for key, info in infos.known.items()]
    digest.update(repr((entries, groups)).encode(errors="surrogatepass"))
    return digest.digest()
