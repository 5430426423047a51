# SPDX-License-Identifier: Apache-2.0
"""Verdicts as columns to ask for. They are made above the matrix and handed in."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_

from core.matrix.columns import AnyColumn, Column, FlagColumn
from core.matrix.matrix import NO_ARCH, Matrix

VERDICT, STALE = "verdict", "stale"
"""The columns, and the value of the field `is` that the second one gives."""
_STALE = (STALE, "semi-stale")


@dataclass(frozen=True)
class Judged:
    """The facts of the provider `RUNS` of `core.providers.base`."""

    matrix: Matrix
    by_arch: Mapping[str, Column]
    """The verdict of each row's cell on an arch; empty where there is no such cell."""

    def column(self, name: str, arch: str) -> AnyColumn:
        """VERDICT: on `arch`, or with NO_ARCH on any. STALE: whether it passes on any arch where it should not."""
        if name == STALE:
            return self._stale
        return self._any if arch == NO_ARCH else self.by_arch.get(arch, self._none)

    @cached_property
    def _none(self) -> Column:
        return Column.sparse(len(self.matrix.ids), "", {})

    @cached_property
    def _any(self) -> FlagColumn:
        words = tuple(dict.fromkeys(word for column in self.by_arch.values() for word in column.values if word))
        if not words:
            return FlagColumn((), [0] * len(self.matrix.ids)).or_none()
        bits = {word: 1 << at for at, word in enumerate(words)} | {"": 0}
        # Few combinations over all archs cover all rows.
        columns = tuple(self.by_arch.values())
        rows = list(zip(*(column.codes for column in columns), strict=True))
        masks = {
            codes: reduce(or_, (bits[column.values[code]] for column, code in zip(columns, codes, strict=True)))
            for codes in set(rows)
        }
        return FlagColumn(words, [masks[codes] for codes in rows]).or_none()

    @cached_property
    def _stale(self) -> Column:
        rows = self._any.select(range(len(self.matrix.ids)), _STALE)
        return Column.sparse(len(self.matrix.ids), "", dict.fromkeys(rows, STALE))
