# SPDX-License-Identifier: Apache-2.0
"""What is worked out from a matrix when somebody first wants it."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from core.matrix import Matrix

T = TypeVar("T")


class PerMatrix(Generic[T]):
    """What is worked out once from a matrix, and again when the checkout was read again."""

    def __init__(self, matrix: Callable[[], Matrix], lock: threading.RLock, work: Callable[[Matrix], T]) -> None:
        """`matrix` is the present one; with `lock` only one thread works."""
        self._matrix = matrix
        self._lock = lock
        self._work = work
        self._made: tuple[Matrix, T] | None = None

    @property
    def known(self) -> T | None:
        """That of the present matrix; None until somebody has read it."""
        made = self._made
        return made[1] if made is not None and made[0] is self._matrix() else None

    def read(self) -> T:
        """Work it out, unless it is known. Not for the app's own thread."""
        matrix = self._matrix()
        with self._lock:
            made = self._made
            if made is None or made[0] is not matrix:
                made = self._made = matrix, self._work(matrix)
            return made[1]
