# SPDX-License-Identifier: Apache-2.0
"""The data that a query is evaluated on: a matrix, the arch in effect, and columns computed beside the index."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol

from core.base.errors import UsageError
from core.matrix.columns import AnyColumn
from core.matrix.matrix import NO_ARCH, Matrix
from core.matrix.op_rows import fitted, with_rows
from core.matrix.query.columns import kept_with


class Facts(Protocol):
    """The columns of a provider of `core.providers.base`, for every row of one matrix or for its model tests alone."""

    def column(self, name: str, arch: str) -> AnyColumn:
        """The column of that name on `arch`."""
        ...

    def others(self, name: str, arch: str) -> Mapping[str, tuple[str, ...]]:
        """The texts of rows that are no model tests, by id; the rows without are empty."""
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

    def known(self, provider: str) -> Facts:
        """The facts of a provider. Raises UsageError while they are not read: no row has or lacks them then."""
        if provider not in self.learned:
            raise UsageError(f"The query needs facts that are not read yet: {provider}")
        return self.learned[provider]

    def facts(self, provider: str, name: str) -> AnyColumn:
        """A column of a provider; empty on the other rows of which it knows nothing."""
        facts, matrix = self.known(provider), self.matrix
        return kept_with(matrix, facts, (provider, name, self.arch), lambda: _over_all(facts, matrix, name, self.arch))


def _over_all(facts: Facts, matrix: Matrix, name: str, arch: str) -> AnyColumn:
    column = fitted(facts.column(name, arch), len(matrix.ids))
    others = facts.others(name, arch) if matrix.models else {}
    return with_rows(column, {matrix.rows[id]: texts for id, texts in others.items() if id in matrix.rows})


class Plain(NamedTuple):
    """Facts that are the same on every arch."""

    columns: Mapping[str, AnyColumn]
    behind: Mapping[str, Mapping[str, tuple[str, ...]]] = MappingProxyType({})
    """Texts of rows that are no model tests, by column and id."""

    def column(self, name: str, arch: str) -> AnyColumn:
        return self.columns[name]

    def others(self, name: str, arch: str) -> Mapping[str, tuple[str, ...]]:
        return self.behind.get(name, {})
