# SPDX-License-Identifier: Apache-2.0
"""The columns that a table of tests can show: their names, texts and order."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from core.errors import UsageError
from core.matrix.columns import Column, FlagColumn
from core.matrix.matrix import Matrix
from core.matrix.query import (
    RESULT,
    VERDICT,
    decimal,
    entry_column,
    field_column,
    level_column,
    op_column,
    required_pcc_column,
    variant_column,
)

RUN, DEVICE_RUN = "run", "device_run"
"""The columns of the last local runs, which the matrix does not have."""
RUN_KINDS: Mapping[str, str] = {RUN: "cpu", DEVICE_RUN: "device"}
"""The kind of run (`core.runs.planning.kinds`) that each of these columns shows."""
EVIDENCE = "evidence"
"""The column of a summary of results, which the matrix does not have either."""

RunWords = Mapping[str, Mapping[str, str]]
"""A word for the last run of each id that has one, by column of runs."""

DEFAULT_COLUMNS = ("id", "status", "archs", "bringup", RUN, "reason")


DEFAULT_HANDWRITTEN_COLUMNS = ("id", "level", "status", RUN, DEVICE_RUN, "mark", "reason")
DEFAULT_OP_COLUMNS = ("id", "op", "dtype", "shape", "status", "rtol", "dup", "reason")
"""The columns if all visible rows are op cases."""


class TableField(NamedTuple):
    """One column. Without `column`, its texts come from the ids or the runs."""

    name: str
    title: str
    help: str
    column: Callable[[Matrix, str], Column | FlagColumn] | None = None
    rank: Callable[[str], Any] | None = None
    """The sort key of its texts; None: their place in the vocabulary."""


def _plain(name: str) -> Callable[[Matrix, str], Column]:
    return lambda matrix, _: matrix.columns[name]


def _variant(matrix: Matrix, _: str) -> Column:
    return variant_column(matrix)


def _entry(matrix: Matrix, _: str) -> Column:
    return entry_column(matrix)


def _pcc(matrix: Matrix, arch: str) -> Column | FlagColumn:
    return required_pcc_column(matrix, arch)


def _of_op(name: str) -> Callable[[Matrix, str], Column | FlagColumn]:
    return lambda matrix, _: op_column(matrix, name)


def _number(text: str) -> float:
    try:
        return decimal(text)
    except ValueError:
        return math.inf


def _first_number(text: str) -> float:
    return _number(text.partition(" ")[0])


def _sizes(text: str) -> list[list[int]]:
    """Sort key of shapes, by their sizes: 2x3 comes before 10x3."""
    return [[int(size) for size in shape.split("x") if size.isdigit()] for shape in text.split()]


def _of_entry(name: str) -> Callable[[Matrix, str], Column | FlagColumn]:
    return lambda matrix, arch: field_column(matrix, name, arch)


ENTRY_FIELDS: tuple[tuple[str, str, Callable[[str], Any] | None], ...] = (
    ("optimization_level", "opt level", _number),
    ("enable_weight_bfp8_conversion", "bfp8", str.lower),
    ("batch_size", "batch", _number),
    ("execution_pass", "pass", str.lower),
    ("filechecks", "filechecks", str.lower),
    ("assert_pcc", "assert pcc", str.lower),
    ("assert_allclose", "allclose", str.lower),
    ("allclose_rtol", "allclose rtol", _number),
    ("allclose_atol", "allclose atol", _number),
    ("assert_atol", "assert atol", str.lower),
    ("required_atol", "required atol", _number),
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
    TableField("reason", "reason", "the entry's reasons", _plain("reason"), str.lower),
    TableField("pcc", "pcc", "effective required_pcc", _pcc, _number),
    TableField("entry", "entry", "whether it has an entry; as an order: those with one first", _entry),
    TableField("markers", "markers", "markers the entry lists", lambda m, _: m.flags["marker"]),
    TableField("mode", "mode", "inference or training", _plain("mode")),
    TableField("parallelism", "parallelism", "how devices share the model", _plain("parallelism")),
    TableField("phase", "phase", "default, llm_decode or llm_prefill", _plain("phase")),
    TableField("framework", "framework", "pytorch or jax", _plain("framework")),
    TableField("loader", "loader", "directory of the loader", _plain("loader"), str.lower),
    TableField("variant", "variant", "variant of the model", _variant, str.lower),
    TableField("op", "op", "op of an op case", _of_op("op"), str.lower),
    TableField(
        "model", "model", "model of an op case, or name of a placeholder in reports", _of_op("model"), str.lower
    ),
    TableField("dtype", "dtype", "dtypes of the tensors of an op case", _of_op("dtype"), str.lower),
    TableField("shape", "shapes", "shapes of the tensors of an op case", _of_op("shape"), _sizes),
    TableField("rtol", "rtol", "relative tolerance of an op case", _of_op("rtol"), _number),
    TableField("atol", "atol", "absolute tolerance of an op case", _of_op("atol"), _number),
    TableField("mark", "marks", "marks of an op case", _of_op("mark"), str.lower),
    TableField("level", "level", "what a hand-written test runs: op, graph or other", lambda m, _: level_column(m)),
    TableField("dup", "same as", "op case that represents it, as both are the same test", _of_op("dup"), str.lower),
    TableField(RESULT, "results", "last result of an op case on each backend"),
    TableField(VERDICT, "verdict", "verdict on each arch, on an op case by backend"),
    TableField("samples_per_s", "samples/s", "newest throughput, as the query field", None, _first_number),
    TableField("run_s", "run s", "newest seconds of one timed run", None, _first_number),
    TableField("compile_s", "compile s", "newest seconds of compilation", None, _first_number),
    TableField("peak_mb", "peak MB", "newest peak memory of the host in MiB", None, _first_number),
    TableField("file", "file", "file of the entry", _plain("file")),
    *(TableField(name, title, f"effective {name}", _of_entry(name), rank) for name, title, rank in ENTRY_FIELDS),
)
OF_OP_CASES = ("op", "model", "dtype", "shape", "rtol", "atol", "mark", "dup", RESULT)
"""Columns that are empty on model tests."""
OF_HANDWRITTEN = ("level",)
"""Columns that only hand-written tests have."""
BY_TABLE_FIELD = {one.name: one for one in TABLE_FIELDS}


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
