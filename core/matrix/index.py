# SPDX-License-Identifier: Apache-2.0
"""Join what the sources say into one immutable Matrix."""

import difflib
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.matrix.cells import Cells, all_cells
from core.matrix.columns import Column, FlagColumn
from core.matrix.effective import resolve, texts
from core.matrix.universe import Member, collected_members, functions, validator_members
from core.model import BringupStatus, Entry, Finding, Function, Loader, Status, TestId
from core.sources.checkout import Checkout
from core.sources.expectations import ExpectationFile, read_expectations
from core.sources.expectations import Known as KnownFiles
from core.sources.importable import mark_broken
from core.sources.loaders import loader_directories, loader_file, scan_loaders
from core.sources.models_tree import Known as KnownModules
from core.sources.models_tree import ModelsTree, Unreadable
from core.sources.modules import ModuleFacts
from core.sources.schema import DEFAULT_ARCHS, Schema, read_schema

NO_ARCH = ""
"""The arch of a run without `--arch`: base values only."""


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """Every known test of one checkout. Never changed; a new index makes a new one.

    Rows are numbered 0 to len(ids) - 1 in the order of their ids. All columns have one value per row.
    """

    checkout: Checkout
    schema: Schema
    loaders: Mapping[str, Loader]
    """By directory."""
    files: tuple[ExpectationFile, ...]
    entries: Mapping[str, Entry]
    """The entry that counts for an id: the last one in merge order."""
    findings: tuple[Finding, ...]
    ids: tuple[str, ...]
    rows: Mapping[str, int]
    """Row by id."""
    lowered: tuple[str, ...]
    """Ids in lower case, for searching."""
    known: frozenset[str]
    """Ids of the universe: an entry's id outside of it names no test."""
    members: tuple[Member, ...]
    """The parts of each row's id."""
    columns: Mapping[str, Column]
    flags: Mapping[str, FlagColumn]
    status: Mapping[str, Column]
    """Effective status by arch; under NO_ARCH the base status. `flags["status"]` holds those of all archs."""

    def entry(self, row: int) -> Entry | None:
        return self.entries.get(self.ids[row])

    def loader(self, row: int) -> Loader | None:
        return self.loaders.get(self.columns["loader"][row])

    def function(self, row: int) -> Function:
        """The test function of a row. Op-by-op twins are no rows of their own: they share id and entry."""
        return self.functions(row)[0]

    def functions(self, row: int) -> list[Function]:
        """All the functions under which pytest collects the id of a row."""
        return functions(self.members[row], self.schema)

    def file_of(self, entry: Entry) -> ExpectationFile:
        """The file an entry was read from."""
        return next(file for file in self.files if file.name == entry.file)

    def closest(self, wanted: str, count: int = 3) -> list[str]:
        """The ids nearest to a text that is none: those that contain it, else those spelled alike."""
        needle = wanted.lower()
        containing = [id for id, text in zip(self.ids, self.lowered, strict=True) if needle in text]
        return containing[:count] or difflib.get_close_matches(wanted, self.ids, count)


class Universe(StrEnum):
    """Which ids are rows, beside those that have an entry."""

    VALIDATOR = "validator"
    COLLECTED = "collected"


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A matrix with what was read to make it, for the next index to go on from."""

    matrix: Matrix
    modules: Mapping[str, ModuleFacts | Unreadable]
    """By path relative to the models root."""
    began_ns: int
    """When the first file was read, by the clock that stamps files."""


def index(checkout: Checkout, universe: Universe = Universe.VALIDATOR) -> Matrix:
    """Read the checkout and join. What is broken in it becomes findings; it never raises for content."""
    return read_and_join(checkout, universe).matrix


def read_and_join(
    checkout: Checkout,
    universe: Universe = Universe.VALIDATOR,
    modules: KnownModules | None = None,
    files: KnownFiles | None = None,
) -> Reading:
    """As `index`. What stands in `modules` and `files` and bears the same stamp is not read again."""
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
        # Only this universe asks what can be imported: it takes many more files to tell.
        loaders, broken = mark_broken(checkout, tree, loaders)
        findings = (*findings, *broken)
        members = collected_members(loaders, schema, [key for file in read for key in file.placeholders])
    return Reading(join(checkout, schema, loaders, members, read, findings), tree.modules, began_ns)


def join(
    checkout: Checkout,
    schema: Schema,
    loaders: Iterable[Loader],
    universe: Iterable[Member],
    files: tuple[ExpectationFile, ...],
    findings: tuple[Finding, ...] = (),
) -> Matrix:
    """The pure part of `index`: rows are the ids of `universe` and of every entry."""
    entries = {entry.id: entry for file in files for entry in file.entries}
    members = {member.id: member for member in universe}
    known = frozenset(members)
    strays = {id: _stray(id) for id in entries.keys() - known}
    ids = tuple(sorted(known | strays.keys()))
    rows = {id: row for row, id in enumerate(ids)}
    parts = tuple(members.get(id) or strays[id] for id in ids)
    own = {rows[id]: entry for id, entry in entries.items()}
    cells = all_cells(own, schema.archs)
    return Matrix(
        checkout=checkout,
        schema=schema,
        loaders={loader.directory: loader for loader in loaders},
        files=files,
        entries=entries,
        findings=findings,
        ids=ids,
        rows=rows,
        lowered=tuple(id.lower() for id in ids),
        known=known,
        members=parts,
        columns={
            **_id_columns(parts, schema),
            **_entry_columns(len(ids), own),
        },
        flags=_flags(len(ids), own, cells, schema),
        status=_statuses(len(ids), cells, schema),
    )


def _stray(id: str) -> Member:
    """An entry's id that no loader gives rise to, taken apart as far as that goes."""
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
