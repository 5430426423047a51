# SPDX-License-Identifier: Apache-2.0
"""The op cases of a checkout as rows of its matrix, cached until a manifest changes."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.matrix import Matrix, OtherRows, load, store, with_other_rows
from core.matrix.cache import Cache
from core.sources import files_below, stamps_of

_CODE = ("ops", "payload/ttmatrix_payload/ops")
"""Code that the rows depend on, in addition to the code that every cached value depends on."""


@dataclass(frozen=True, slots=True)
class _Cached:
    directories: tuple[str, ...]
    environment: tuple[tuple[str, str | None], ...]
    """Values of the environment variables in the cases' conditions."""
    rows: OtherRows


def cached_op_rows(cache: Cache, configured: Sequence[str]) -> OtherRows | None:
    """The cached rows, if they still match the manifests."""
    cached = load(cache.file("ops"))
    if not isinstance(cached, _Cached) or cached.directories != tuple(configured):
        return None
    return cached.rows if all(os.environ.get(name) == value for name, value in cached.environment) else None


def read_op_rows(cache: Cache, configured: Sequence[str]) -> OtherRows:
    """The rows of all op cases in the manifests that the settings name, cached for the next time."""
    root = cache.checkout.root
    stamps = stamps_of(_places(root, configured))
    # Modules that read manifests: the first frame does without them if the cache is valid.
    from core.ops.tabulation import read_op_tests, tabulated, variables

    tests = read_op_tests(root, configured)
    environment = tuple((name, os.environ.get(name)) for name in sorted(variables(tests)))
    found = tabulated(tests)
    store(cache.file("ops"), _Cached(tuple(configured), environment, found), stamps)
    return found


def with_ops(
    cache: Cache,
    matrix: Matrix,
    configured: Sequence[str],
    read: Callable[[Cache, Sequence[str]], OtherRows] = read_op_rows,
) -> Matrix:
    """`matrix` with the op cases in the directories that the settings name; `read` reads those that are not cached."""
    known = with_cached_ops(cache, matrix, configured)
    return with_other_rows(matrix, read(cache, configured)) if known is None else known


def with_cached_ops(cache: Cache, matrix: Matrix, configured: Sequence[str]) -> Matrix | None:
    """Like `with_ops`; None if the manifests would have to be read."""
    if not cache.checkout.has_any(configured):
        return matrix
    known = cached_op_rows(cache, configured)
    return None if known is None else with_other_rows(matrix, known)


def _places(root: Path, configured: Iterable[str]) -> Iterator[str]:
    """What the rows depend on: manifests, the directories that contain them, and code."""
    for directory in configured:
        yield from (path for ending in (".yaml", ".yml") for path in files_below(root / directory, ending))
    package = Path(__file__).parents[1]
    code = (path for folder in _CODE for path in files_below(package / folder, ".py"))
    yield from (path for path in code if path.endswith(".py"))
