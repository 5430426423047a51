# SPDX-License-Identifier: Apache-2.0
"""A check: one kind of finding, its help, and the pure function that looks for it in a matrix."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from core.matrix.matrix import Matrix
from core.model import Finding


def _nothing_more(matrix: Matrix) -> Iterable[Finding]:
    return ()


@dataclass(frozen=True, slots=True)
class Check:
    """One kind of finding. `find` gives them in any order, all of them and never only the first."""

    kind: str
    help: str
    """What is wrong, on one line, for a person who meets the kind for the first time."""
    find: Callable[[Matrix], Iterable[Finding]] = _nothing_more
    """Without one, the kind is found already while the checkout is read."""
