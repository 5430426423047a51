# SPDX-License-Identifier: Apache-2.0
"""The columns that a table of tests can show: their names, texts and order."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from core.base.errors import UsageError
from core.matrix.columns import Column, FlagColumn
from core.matrix.matrix import Matrix
from core.matrix.query import (
    RESULT,
    VERDICT,
    by_number,
    entry_column,
    field_column,
    own_column,
    own_flags,
    required_pcc_column,
    variant_column,
)
from core.matrix.row_kinds import DEVICE_RUN, MODEL_KIND, RUN, OwnColumn, all_kinds, kinds_with

RUN_KINDS: Mapping[str, str] = {RUN: "cpu", DEVICE_RUN: "device"}
"""The kind of run (`core.runs.planning.kinds`) that each of these columns shows."""
EVIDENCE = "evidence"
"""The column of a summary of results, which the matrix does not have either."""
PCC_COURSE, TIME_COURSE = "pcc_course", "time_course"
"""The columns of numbers that results have measured, one after the other."""

FROM_RESULTS = frozenset({EVIDENCE, PCC_COURSE, TIME_COURSE, RESULT})
"""The columns that all results are read for."""

RunWords = Mapping[str, Mapping[str, str]]
"""A word for the last run of each id that has one, by column of runs."""


class TableField(NamedTuple):
    """One column. Without `column`, its texts come from the ids or the runs."""

    name: str
    title: str
    help: str
    column: Callable[[Matrix, str], Column | FlagColumn] | None = None
    rank: Callable[[str], Any] | None = None
    """The sort key of its texts; None: their place in the vocabulary."""
    kinds: tuple[str, ...] = ()
    """The kinds of rows that it is for; empty: all."""


def _plain(name: str) -> Callable[[Matrix, str], Column]:
    return lambda matrix, _: matrix.columns[name]


def _variant(matrix: Matrix, _: str) -> Column:
    return variant_column(matrix)


def _entry(matrix: Matrix, _: str) -> Column:
    return entry_column(matrix)


def _pcc(matrix: Matrix, arch: str) -> Column | FlagColumn:
    return required_pcc_column(matrix, arch)


_MARKED = tuple(name for name, kind in all_kinds().items() if "marker" in kind.fields and name != MODEL_KIND)
"""The kinds whose rows have marks of their own."""


def _model(matrix: Matrix, _: str) -> Column:
    return own_column(matrix, "model")


def _marks(matrix: Matrix, _: str) -> FlagColumn:
    return own_flags(matrix, "mark")


def _own(one: OwnColumn, kind: str) -> TableField:
    column = own_flags if one.flags else own_column
    return TableField(one.name, one.title, one.help, lambda matrix, _: column(matrix, one.name), one.rank, (kind,))


def _first_number(text: str) -> float:
    return by_number(text.partition(" ")[0])


def _of_entry(name: str) -> Callable[[Matrix, str], Column | FlagColumn]:
    return lambda matrix, arch: field_column(matrix, name, arch)


ENTRY_FIELDS: tuple[tuple[str, str, Callable[[str], Any] | None], ...] = (
    ("optimization_level", "opt level", by_number),
    ("enable_weight_bfp8_conversion", "bfp8", str.lower),
    ("batch_size", "batch", by_number),
    ("execution_pass", "pass", str.lower),
    ("filechecks", "filechecks", str.lower),
    ("assert_pcc", "assert pcc", str.lower),
    ("assert_allclose", "allclose", str.lower),
    ("allclose_rtol", "allclose rtol", by_number),
    ("allclose_atol", "allclose atol", by_number),
    ("assert_atol", "assert atol", str.lower),
    ("required_atol", "required atol", by_number),
    ("inject_custom_moe", "custom moe", str.lower),
    ("emitpy_assert_exact", "emitpy exact", str.lower),
)
"""Fields of entries with columns of their own, each with its title and the sort key of its texts."""
TABLE_FIELDS: tuple[TableField, ...] = (
    TableField("id", "test id", "the test id"),
    TableField("status", "status", "effective status", Matrix.statuses),
    TableField("archs", "archs", "archs it is marked for, with the status on each", lambda m, _: m.flags["arch"]),
    TableField("bringup", "bring-up", "bringup status of the entry", _plain("bringup")),
    TableField(RUN, "cpu run", "how its last CPU repro here ended"),
    TableField(DEVICE_RUN, "device run", "how its last run on a device here ended"),
    TableField(EVIDENCE, "evidence", "its results on each arch, and how many are passes"),
    TableField(PCC_COURSE, "PCC, newest last", "its PCC on each arch in the newest results, as bars"),
    TableField(TIME_COURSE, "time, newest last", "its seconds on each arch in the newest results, as bars"),
    TableField("reason", "reason", "the entry's reasons", _plain("reason"), str.lower),
    TableField("pcc", "pcc", "effective required_pcc", _pcc, by_number),
    TableField("entry", "entry", "whether it has an entry; as an order: those with one first", _entry),
    TableField("markers", "markers", "markers the entry lists", lambda m, _: m.flags["marker"]),
    TableField("mode", "mode", "inference or training", _plain("mode")),
    TableField("parallelism", "parallelism", "how devices share the model", _plain("parallelism")),
    TableField("phase", "phase", "default, llm_decode or llm_prefill", _plain("phase")),
    TableField("framework", "framework", "pytorch or jax", _plain("framework")),
    TableField("loader", "loader", "directory of the loader", _plain("loader"), str.lower),
    TableField("variant", "variant", "variant of the model", _variant, str.lower),
    TableField("model", "model", "model of an op case or a placeholder", _model, str.lower, kinds_with("model")),
    TableField("mark", "marks", "marks of an op case or a hand-written test", _marks, str.lower, _MARKED),
    *(_own(one, kind.name) for kind in all_kinds().values() for one in kind.own_columns),
    TableField(RESULT, "results", "last result of an op case on each backend", kinds=kinds_with(RESULT)),
    TableField(VERDICT, "verdict", "verdict on each arch, on an op case by backend"),
    TableField("samples_per_s", "samples/s", "newest throughput, as the query field", None, _first_number),
    TableField("run_s", "run s", "newest seconds of one timed run", None, _first_number),
    TableField("compile_s", "compile s", "newest seconds of compilation", None, _first_number),
    TableField("peak_mb", "peak MB", "newest peak memory of the host in MiB", None, _first_number),
    TableField("file", "file", "file of the entry", _plain("file")),
    *(TableField(name, title, f"effective {name}", _of_entry(name), rank) for name, title, rank in ENTRY_FIELDS),
)
BY_TABLE_FIELD = {one.name: one for one in TABLE_FIELDS}


def columns_elsewhere(matrix: Matrix) -> frozenset[str]:
    """The columns of kinds that have no rows in `matrix`."""
    return frozenset(one.name for one in TABLE_FIELDS if one.kinds and not any(map(matrix.kinds.get, one.kinds)))


def check_columns(names: Sequence[str]) -> None:
    """Raise UsageError if `names` has unknown or repeated columns."""
    for name in names:
        if name not in BY_TABLE_FIELD:
            raise UsageError(f"There is no column {name!r}", f"Columns: {', '.join(BY_TABLE_FIELD)}")
    if len(set(names)) < len(names):
        raise UsageError("A column is named twice", ", ".join(names))


def text_of_row(matrix: Matrix, row: int, name: str, arch: str, runs: RunWords) -> str:
    """The text of one cell of a table."""
    field = BY_TABLE_FIELD[name]
    if field.column is None:
        return matrix.ids[row] if name == "id" else runs.get(name, {}).get(matrix.ids[row], "")
    value = field.column(matrix, arch)[row]
    return value if isinstance(value, str) else (" / " if name == "status" else " ").join(value)


def ordered(
    matrix: Matrix, rows: Sequence[int], name: str, arch: str, runs: RunWords, *, descending: bool
) -> list[int]:
    """`rows`, which are in row order, sorted by one column. Equal rows stay in that order; empty ones come last."""
    field = BY_TABLE_FIELD[name]
    if name == "id":
        return list(reversed(rows)) if descending else list(rows)
    if field.column is None:
        words = runs.get(name, {})
        of = field.rank or str
        ranks: Mapping[int, Any] = {row: of(word) for row in rows if (word := words.get(matrix.ids[row]))}
        return _by_rank(rows, range(len(matrix.ids)), ranks, descending=descending)
    column = field.column(matrix, arch)
    if isinstance(column, FlagColumn):
        return _by_rank(rows, column.masks, _mask_ranks(column, rows, field.rank), descending=descending)
    rank = field.rank
    known = {code: rank(text) if rank else code for code, text in enumerate(column.values) if text}
    return _by_rank(rows, column.codes, known, descending=descending)


def _mask_ranks(column: FlagColumn, rows: Sequence[int], rank: Callable[[str], Any] | None) -> dict[int, Any]:
    """A set ranks by its first text, then by the next; without a rank by its mask, which gives the same order."""
    values = [(rank(text) if text else None) if rank else bit for bit, text in enumerate(column.values)]
    ranks: dict[int, Any] = {}
    for mask in {column.masks[row] for row in rows}:
        found = [value for bit, value in enumerate(values) if mask >> bit & 1 and value is not None]
        if found:
            ranks[mask] = sorted(found)
    return ranks


def _by_rank(rows: Sequence[int], codes: Sequence[int], ranks: Mapping[int, Any], *, descending: bool) -> list[int]:
    full = [row for row in rows if codes[row] in ranks]
    if len(ranks) > 1:
        full.sort(key=lambda row: ranks[codes[row]], reverse=descending)
    return full + [row for row in rows if codes[row] not in ranks] if len(full) < len(rows) else full
