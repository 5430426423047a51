# SPDX-License-Identifier: Apache-2.0
"""Add the hand-written tests of a checkout to its matrix, after the other rows."""

from collections.abc import Callable

from core.handwritten.reading import cached_rows, read_rows
from core.matrix import Matrix, OtherRows, with_other_rows
from core.matrix.cache import Cache
from core.sources import Checkout
from core.sources.handwritten import ROOTS


def has_handwritten(checkout: Checkout) -> bool:
    """Whether a checkout has a directory of hand-written tests, without reading it."""
    return checkout.has_any(ROOTS)


def with_handwritten(cache: Cache, matrix: Matrix, read: Callable[[Cache], OtherRows] = read_rows) -> Matrix:
    """`matrix` with the hand-written tests of its checkout; `read` is called if they are not cached."""
    return with_cached_handwritten(cache, matrix) or with_other_rows(matrix, read(cache))


def with_cached_handwritten(cache: Cache, matrix: Matrix) -> Matrix | None:
    """As `with_handwritten`; None where files would have to be read."""
    if not has_handwritten(cache.checkout):
        return matrix
    known = cached_rows(cache)
    return None if known is None else with_other_rows(matrix, known)
