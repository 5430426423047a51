# SPDX-License-Identifier: Apache-2.0
"""Join what the sources say into one immutable Matrix. Pure."""

from collections.abc import Iterable, Mapping, Sequence

from core.ids import TestId
from core.matrix.cells import Cells, all_cells
from core.matrix.columns import Column, FlagColumn
from core.matrix.effective import resolve, texts
from core.matrix.kept import Late
from core.matrix.matrix import NO_ARCH, Matrix, Written
from core.matrix.universe import Member
from core.model import BringupStatus, Entry, Finding, Loader, Status
from core.sources.checkout import Checkout
from core.sources.expectation_file import ExpectationFile
from core.sources.schema import DEFAULT_ARCHS, Schema


def join(
    checkout: Checkout,
    schema: Schema,
    loaders: Iterable[Loader],
    universe: Iterable[Member],
    files: tuple[ExpectationFile, ...],
    findings: tuple[Finding, ...] = (),
) -> Matrix:
    """Rows are the ids of `universe` and of every entry."""
    entries = {entry.id: entry for file in files for entry in file.entries}
    members = {member.id: member for member in universe}
    strays = {id: _stray(id) for id in entries.keys() - members.keys()}
    members |= strays
    # As they come they are nearly in order, which is quickly sorted.
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
