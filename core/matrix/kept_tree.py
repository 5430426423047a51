# SPDX-License-Identifier: Apache-2.0
"""What was worked out from the Python files of the models tree, kept until one of them changes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from core.matrix.cache import Cache
from core.matrix.index import Matrix
from core.matrix.kept import load, store
from core.sources.stamps import Stamp, all_unchanged, files_below, stamps_of

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Kept:
    stamps: Mapping[str, Stamp | None]
    """Of every Python file of the models tree: any of them may be imported."""
    loaders: tuple[str, ...]
    value: object


def of_loaders(cache: Cache, matrix: Matrix, kind: str, wanted: type[T], read: Callable[[], T]) -> T:
    """What `read` gives of the loaders of `matrix`, or gave when they and the models tree were the same.

    Each `kind` of thing is kept by itself and is of the type `wanted`.
    """
    kept, loaders = load(cache.file(kind)), tuple(matrix.loaders)
    if not isinstance(kept, _Kept) or kept.loaders != loaders or not all_unchanged(kept.stamps):
        kept = None
    if kept is not None and isinstance(kept.value, wanted):
        return kept.value
    stamps = stamps_of(files_below(cache.checkout.models, ".py"))
    value = read()
    store(cache.file(kind), _Kept(stamps, loaders, value))
    return value
