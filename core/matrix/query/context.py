# SPDX-License-Identifier: Apache-2.0
"""What a query is asked of: a matrix, the arch whose values are meant, and what was worked out beside the index."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol

from core.matrix.columns import AnyColumn
from core.matrix.matrix import NO_ARCH, Matrix
from core.matrix.op_rows import fitted


class Facts(Protocol):
    """What one provider of `core.providers.base` knows of every row of one matrix, or of its model tests alone."""

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
    backends: tuple[str, ...] = ()
    """The backends whose results of op cases are meant, as a query names them; none: all."""

    def on(self, arch: str) -> "Scope":
        """The same, for another arch."""
        return self if arch == self.arch else self._replace(arch=arch)

    def facts(self, provider: str, name: str) -> AnyColumn:
        """A column of what was learned; empty on op cases where it knows model tests alone."""
        column = self.learned[provider].column(name, self.arch)
        return fitted(column, len(self.matrix.ids))


class Plain(NamedTuple):
    """Facts that are the same on every arch."""

    columns: Mapping[str, AnyColumn]

    def column(self, name: str, arch: str) -> AnyColumn:
        return self.columns[name]
