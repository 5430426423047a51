# SPDX-License-Identifier: Apache-2.0
"""Entries whose test is gone: moved to the id that the test has now, with all they say, else removed."""

from collections.abc import Collection

from core.edits import Operation, OpKind
from core.matrix import Matrix
from core.states.differing import Difference


def moves(found: Difference, matrix: Matrix, only: Collection[str] | None = None) -> tuple[Operation, ...]:
    """Operations on the entries of `matrix` that a difference leaves without a test; `only`: on those of these ids.

    The entry of a renamed test keeps its fields, reason and thresholds among them, and its comments. It is removed
    where the present id has an entry of its own, and where it is not known which id the test has now.
    """
    became = {one.before: one.after for one in found.renamed}
    left = (id for id in found.removed if id in matrix.entries and id in matrix.strays and (only is None or id in only))
    return tuple(_operation(id, became.get(id, ""), matrix) for id in left)


def _operation(id: str, new: str, matrix: Matrix) -> Operation:
    if new in matrix.rows and new not in matrix.entries:
        return Operation(OpKind.RENAME, id, to=new)
    return Operation(OpKind.REMOVE, id)
