# SPDX-License-Identifier: Apache-2.0
"""Names that one of two states has, or both."""

from collections.abc import Iterable
from typing import NamedTuple


class Sides(NamedTuple):
    """The names that only one of two states has, and those that both have."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    both: tuple[str, ...]

    @classmethod
    def of(cls, before: Iterable[str], after: Iterable[str]) -> "Sides":
        """Sorted."""
        had, has = set(before), set(after)
        return cls(tuple(sorted(has - had)), tuple(sorted(had - has)), tuple(sorted(had & has)))
