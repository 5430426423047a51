# SPDX-License-Identifier: Apache-2.0
"""Values computed from Python files, cached until one of them changes; and what states of a checkout have in common."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from core.matrix.cache.index_cache import Cache
from core.matrix.cache_file import load, store
from core.matrix.matrix import Matrix
from core.sources import ContentCache, Contents, files_below, stamps_of

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Cached:
    loaders: tuple[str, ...]
    value: object


def of_loaders(cache: Cache, matrix: Matrix, kind: str, wanted: type[T], read: Callable[[], T]) -> T:
    """The result of `read` on the loaders of `matrix`, from the cache if they and the models tree have not changed.

    Each `kind` of value is cached separately and has the type `wanted`.
    """
    cached, loaders = load(cache.file(kind)), tuple(matrix.loaders)
    if isinstance(cached, _Cached) and cached.loaders == loaders and isinstance(cached.value, wanted):
        return cached.value
    # Every Python file of the models tree: any of them may be imported.
    stamps = stamps_of(files_below(cache.checkout.models, ".py"))
    value = read()
    store(cache.file(kind), _Cached(loaders, value), stamps)
    return value


@contextmanager
def content_cache(cache: Cache, kind: str, root: Path, wanted: type[T]) -> Iterator[ContentCache[T]]:
    """The values of one `kind`, each of type `wanted`, that files below `root` gave in any state of the checkout.

    What is added in the block is stored at its end.
    """
    file = (cache.shared or cache.file("shared")) / kind
    known = load(file)
    found: ContentCache[T] = ContentCache(Contents(root), known if isinstance(known, dict) else None)
    yield found
    if found.has_more:
        store(file, found.versions)
