# SPDX-License-Identifier: Apache-2.0
"""The data that a query is evaluated on: a matrix, the arch in effect, and columns computed beside the index."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol

from core.matrix.columns import AnyColumn
from core.matrix.matrix import NO_ARCH, Matrix
from core.matrix.op_rows import fitted


class Facts(Protocol):
    """The columns of a provider of `core.providers.base`, for every row of one matrix or for its model tests alone."""

    def column(self, name: str, arch: str) -> AnyColumn:
        """The column of that name on `arch`."""
        ...


Learned = Mapping[str, Facts]
"""Facts by provider: not part of the index, because few queries need them and they take long to compute."""


class Scope(NamedTuple):
    """One matrix as seen for one arch; with NO_ARCH, for every arch that a test is marked for."""

    matrix: Matrix
    arch: str = NO_ARCH
    learned: Learned = MappingProxyType({})
    backends: tuple[str, ...] = ()
    """The backends, as named in a query, whose results of op cases are used; empty: all."""

    def on(self, arch: str) -> "Scope":
        """The same, for another arch."""
        return self if arch == self.arch else self._replace(arch=arch)

    def facts(self, provider: str, name: str) -> AnyColumn:
        """A column of a provider; empty on the other rows if it only covers model tests."""
        column = self.learned[provider].column(name, self.arch)
        return fitted(column, len(self.matrix.ids))


class Plain(NamedTuple):
    """Facts that are the same on every arch."""

    columns: Mapping[str, AnyColumn]

    def column(self, name: str, arch: str) -> AnyColumn:
        return self.columns[name]
