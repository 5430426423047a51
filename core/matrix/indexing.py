# SPDX-License-Identifier: Apache-2.0
"""Read a checkout into a Matrix, reusing what is cached of its files."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import core.sources
from core.domain.ids import TestId
from core.domain.model import BringupStatus, Entry, Finding, Loader, Status
from core.matrix.cache_file import Late
from core.matrix.columns import Column, FlagColumn
from core.matrix.effective import resolve, status_on, supported_archs, texts
from core.matrix.matrix import NO_ARCH, Matrix, Universe, Written
from core.matrix.placeholder_rows import rows_of_placeholders
from core.matrix.universe import Member, collected_members, validator_members
from core.python import ModuleFacts
from core.sources import (
    DEFAULT_ARCHS,
    CachedFiles,
    CachedModules,
    Checkout,
    ExpectationFile,
    ModelsTree,
    Schema,
    Unreadable,
    loader_directories,
    loader_file,
    read_expectations,
    read_schema,
    scan_loaders,
)


@dataclass(frozen=True, slots=True)
class Cells:
    """The statuses and markers of one entry on every arch."""

    base: Status
    """Without an arch."""
    statuses: tuple[Status, ...]
    """One for each arch of the schema, in its order."""
    marked: tuple[str, ...]
    """Archs whose marker the test carries, in the order of the schema."""

    def shown(self, archs: Sequence[str]) -> set[Status]:
        """The statuses on the marked archs; the base status if there are none."""
        found = {status for arch, status in zip(archs, self.statuses, strict=True) if arch in self.marked}
        return found or {self.base}


def all_cells(entries: Mapping[int, Entry], archs: Sequence[str]) -> dict[int, Cells]:
    """The cells of each of `entries`, by the same keys. Two thousand entries have a few dozen different cells."""
    found: dict[tuple[Status, tuple[str, ...]], Cells] = {}
    cells: dict[int, Cells] = {}
    for row, entry in entries.items():
        base, listed, overrides = status_on(entry, None), supported_archs(entry), entry.overrides
        if overrides:
            cells[row] = _overridden(entry, base, listed, overrides, archs)
            continue
        if (base, listed) not in found:
            found[base, listed] = Cells(base, (base,) * len(archs), tuple(arch for arch in archs if arch in listed))
        cells[row] = found[base, listed]
    return cells


def cells_of(entry: Entry, archs: Sequence[str]) -> Cells:
    """The cells of one entry."""
    return all_cells({0: entry}, archs)[0]


def _overridden(
    entry: Entry, base: Status, listed: tuple[str, ...], overrides: Mapping[str, object], archs: Sequence[str]
) -> Cells:
    return Cells(
        base,
        tuple(status_on(entry, arch) if arch in overrides else base for arch in archs),
        tuple(arch for arch in archs if arch in (supported_archs(entry, arch) if arch in overrides else listed)),
    )


def join(
    checkout: Checkout,
    schema: Schema,
    loaders: Iterable[Loader],
    universe: Iterable[Member],
    files: tuple[ExpectationFile, ...],
    findings: tuple[Finding, ...] = (),
) -> Matrix:
    """Join the sources; rows are the ids of `universe` and of every entry."""
    entries = {entry.id: entry for file in files for entry in file.entries}
    members = {member.id: member for member in universe}
    strays = {id: _stray(id) for id in entries.keys() - members.keys()}
    members |= strays
    # The ids arrive nearly in order, which makes sorting fast.
    ids = tuple(sorted(members))
    rows = {id: row for row, id in enumerate(ids)}
    parts = [members[id] for id in ids]
    own = {rows[id]: entry for id, entry in entries.items()}
    cells = all_cells(own, schema.archs)
    return Matrix(
        checkout=checkout,
        schema=schema,
        loaders={loader.directory: loader for loader in loaders},
        written=Late(Written(files, entries)),
        findings=findings,
        ids=ids,
        strays=frozenset(strays),
        columns={
            **_id_columns(parts, schema),
            **_entry_columns(len(ids), own),
        },
        flags=_flags(len(ids), own, cells, schema),
        status=_statuses(len(ids), cells, schema),
        planned=rows_of_placeholders(checkout, files, members.keys()),
    )


def _stray(id: str) -> Member:
    """An entry's id that no loader generates, split into its parts as far as possible."""
    parsed = TestId.parse(id)
    if parsed is None:
        return Member(id, "", "", "", "")
    phase = parsed.llm.phase if parsed.llm else "default"
    return Member(id, parsed.directory, phase, parsed.parallelism, parsed.mode)


def _id_columns(members: Sequence[Member], schema: Schema) -> dict[str, Column]:
    _, directories, phases, parallelisms, modes = zip(*members, strict=True) if members else ((),) * 5
    loader = Column.of(directories)
    return {
        "loader": loader,
        "framework": loader.mapped(lambda directory: directory.rpartition("/")[2]),
        "phase": Column.of(phases, ("default", "llm_decode", "llm_prefill")),
        "parallelism": Column.of(parallelisms, schema.parallelisms),
        "mode": Column.of(modes, schema.modes),
    }


def _entry_columns(size: int, own: Mapping[int, Entry]) -> dict[str, Column]:
    def texts_of(field: str) -> dict[int, str]:
        return {row: _text(entry.fields.get(field)) for row, entry in own.items()}

    return {
        "bringup": Column.sparse(size, "", texts_of("bringup_status"), BringupStatus),
        "reason": Column.sparse(size, "", {row: " · ".join(_reasons(entry)) for row, entry in own.items()}),
        "file": Column.sparse(size, "", {row: entry.file for row, entry in own.items()}),
    }


def _statuses(size: int, cells: Mapping[int, Cells], schema: Schema) -> dict[str, Column]:
    """Effective status by arch, and under NO_ARCH the base status."""
    base = {row: one.base for row, one in cells.items()}
    by_arch = {arch: {row: one.statuses[at] for row, one in cells.items()} for at, arch in enumerate(schema.archs)}
    return {
        arch: Column.sparse(size, Status.UNSPECIFIED, effective, Status)
        for arch, effective in {NO_ARCH: base, **by_arch}.items()
    }


def _flags(size: int, own: Mapping[int, Entry], cells: Mapping[int, Cells], schema: Schema) -> dict[str, FlagColumn]:
    marked = {row: one.marked for row, one in cells.items()}
    shown = {row: one.shown(schema.archs) for row, one in cells.items()}
    markers = {row: texts(resolve(entry, "markers", None).value) for row, entry in own.items()}
    traits = {row: _traits(entry) for row, entry in own.items()}
    return {
        "arch": FlagColumn.sparse(size, DEFAULT_ARCHS, marked, schema.archs),
        "status": FlagColumn.sparse(size, (Status.UNSPECIFIED,), shown, Status),
        "marker": FlagColumn.sparse(size, (), markers),
        "has": FlagColumn.sparse(size, (), traits, ("entry", "override", "reason")),
    }


def _traits(entry: Entry) -> list[str]:
    traits = ["entry"]
    if entry.overrides:
        traits.append("override")
    if any("reason" in values for values in (entry.fields, *entry.overrides.values())):
        traits.append("reason")
    return traits


def _reasons(entry: Entry) -> list[str]:
    """The distinct reasons of an entry and its overrides."""
    written = [_text(values.get("reason")) for values in (entry.fields, *entry.overrides.values())]
    return [reason for reason in dict.fromkeys(written) if reason]


def _text(value: object) -> str:
    return "" if value is None else str(value)


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A matrix with the file contents it was made from, so that the next index can reuse them."""

    matrix: Matrix
    modules: Mapping[str, ModuleFacts | Unreadable]
    """By path relative to the models root."""
    began_ns: int
    """When reading began, by the clock that stamps files."""


def index(checkout: Checkout, universe: Universe = Universe.VALIDATOR) -> Matrix:
    """Read the checkout and join. Mistakes in its files become findings; content never raises."""
    return read_and_join(checkout, universe).matrix


def read_and_join(
    checkout: Checkout,
    universe: Universe = Universe.VALIDATOR,
    modules: CachedModules | None = None,
    files: CachedFiles | None = None,
) -> Reading:
    """As `index`. A file in `modules` or `files` that has the same stamp is not read again."""
    began_ns = time.time_ns()
    schema, schema_findings = read_schema(checkout)
    tree = ModelsTree(checkout.models, modules or {})
    directories = list(loader_directories(checkout.models, schema.excluded_torch_directories))
    tree.read_ahead([loader_file(directory) for directory in directories])
    read = read_expectations(checkout, schema, files)
    loaders, loader_findings = scan_loaders(checkout, directories, tree)
    findings = (*schema_findings, *loader_findings, *(one for file in read for one in file.findings))
    if universe is Universe.VALIDATOR:
        members = validator_members(loaders, schema)
    else:
        # Only this universe depends on which loaders can be imported: finding out takes reading many more files.
        loaders, broken = core.sources.mark_broken(checkout, tree, loaders)
        findings = (*findings, *broken)
        members = collected_members(loaders, schema, [one.id for file in read for one in file.placeholders])
    return Reading(join(checkout, schema, loaders, members, read, findings), tree.modules, began_ns)
