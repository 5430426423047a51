# SPDX-License-Identifier: Apache-2.0
"""Everything in the matrix about one id, gathered for a panel or a command."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.domain.ids import TestId
from core.domain.model import Effective, Entry, Finding, Function, node_id
from core.matrix.effective import resolve, supported_archs, supports
from core.matrix.matrix import NO_ARCH, Matrix
from core.sources import loader_file
from core.sources.downloads import Fetched, fetched_by


@dataclass(frozen=True, slots=True)
class Declared:
    """One place where an id has an entry."""

    entry: Entry
    path: str
    """Path of the file relative to the checkout."""
    text: str


@dataclass(frozen=True, slots=True)
class Detail:
    """One id. `effective` is by arch, then by field; NO_ARCH has the values without `--arch`."""

    id: str
    function: Function
    node_id: str
    known: bool
    """Whether any loader generates the id."""
    declared: tuple[Declared, ...]
    """The entries of the id in merge order: the last one counts."""
    supported: tuple[str, ...]
    effective: Mapping[str, Mapping[str, Effective]]
    loader: str
    """Path of the loader relative to the checkout; empty: unknown."""
    siblings: tuple[str, ...]
    """Other ids of the same loader that have an entry."""
    findings: tuple[Finding, ...]

    def grouped(self, field: str) -> list[tuple[Effective, tuple[str, ...]]]:
        """The distinct values of `field` over the supported archs, each with the archs that have it."""
        groups: list[tuple[Effective, list[str]]] = []
        for arch in self.supported:
            value = self.effective.get(arch, self.effective[NO_ARCH])[field]
            same = next((archs for known, archs in groups if known == value), None)
            if same is None:
                groups.append((value, [arch]))
            else:
                same.append(arch)
        return [(value, tuple(archs)) for value, archs in groups]


def describe(matrix: Matrix, id: str) -> Detail:
    """Gather the facts about `id`, which must be a row of the matrix."""
    row = matrix.rows[id]
    entry = matrix.entries.get(id)
    directory = matrix.columns["loader"][row]
    loader = matrix.checkout.models / loader_file(directory)
    function = matrix.function(row)
    fields = _fields(entry)
    return Detail(
        id=id,
        function=function,
        node_id=node_id(function, id),
        known=id not in matrix.strays,
        declared=tuple(
            Declared(one, matrix.checkout.relative(matrix.checkout.test_config / file.name), file.entry_text(one))
            for file in matrix.files
            for one in file.entries
            if one.id == id
        ),
        supported=tuple(arch for arch in matrix.schema.archs if supports(entry, arch)) or supported_archs(entry),
        effective={
            arch: {field: resolve(entry, field, arch or None) for field in fields}
            for arch in (NO_ARCH, *matrix.schema.archs)
        },
        loader=matrix.checkout.relative(loader) if directory in matrix.loaders else "",
        siblings=tuple(other for other in matrix.entries_by_loader.get(directory, ()) if other != id),
        findings=tuple(finding for finding in matrix.findings if finding.id in (id, directory)),
    )


def fetched_of(matrix: Matrix, id: str) -> Fetched:
    """What the loader of `id`, a row of the matrix, downloads for its variant; empty if there is no loader.

    Reads code beside the loader, which can take a second: do not call it on the app's thread.
    """
    test = TestId.parse(id)
    directory = matrix.columns["loader"][matrix.rows[id]]
    if test is None or directory not in matrix.loaders:
        return Fetched()
    return fetched_by(matrix.checkout.models, directory, test.variant or "")


def _fields(entry: Entry | None) -> tuple[str, ...]:
    """Fields worth showing: the status and whatever the entry or an override sets, in that order."""
    written = [*entry.fields, *(name for values in entry.overrides.values() for name in values)] if entry else []
    return tuple(dict.fromkeys(["status", *(name for name in written if name != "arch_overrides")]))
