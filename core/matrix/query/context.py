# SPDX-License-Identifier: Apache-2.0
"""What a query is asked of: a matrix, the arch whose values are meant, and what was worked out beside the index."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol, TypeAlias

from core.matrix.columns import Column, FlagColumn
from core.matrix.matrix import NO_ARCH, Matrix

AnyColumn: TypeAlias = Column | FlagColumn


class Facts(Protocol):
    """What one provider of `core.providers.base` knows of every row of one matrix."""

    def column(self, name: str, arch: str) -> AnyColumn:
        """The column of that name, as it is meant on `arch`."""
        ...


Learned = Mapping[str, Facts]
"""Facts by provider: what is no part of an index, because few ask for it and it takes long to work out."""


class Scope(NamedTuple):
    """One matrix seen for one arch; with NO_ARCH for every arch a test is marked for."""

    matrix: Matrix
    arch: str = NO_ARCH
    learned: Learned = MappingProxyType({})

    def on(self, arch: str) -> "Scope":
        """The same, for another arch."""
        return self if arch == self.arch else self._replace(arch=arch)


class Plain(NamedTuple):
    """Facts that are the same on every arch."""

    columns: Mapping[str, AnyColumn]

    def column(self, name: str, arch: str) -> AnyColumn:
        return self.columns[name]
