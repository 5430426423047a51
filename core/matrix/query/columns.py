# SPDX-License-Identifier: Apache-2.0
"""Columns that only queries need: made on first use, cached until a query on another matrix."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, wraps
from operator import not_
from typing import Any, Concatenate, ParamSpec, TypeVar

from core.domain.areas import AREAS, MODELS, area_of
from core.domain.model import Entry, Function
from core.matrix.columns import Column, FlagColumn
from core.matrix.effective import DEFAULTS, resolve, text_of
from core.matrix.field_rules import is_flag
from core.matrix.matrix import NO_ARCH, Matrix
from core.matrix.op_rows import fitted
from core.matrix.row_kinds import row_kind

_PLANNED = "placeholder"
"""The flag of a test whose id a placeholder has too."""
_ISSUE = re.compile(r"\bgithub\.com/[\w.-]+/[\w.-]+/issues/\d+")

_P = ParamSpec("_P")
_C = TypeVar("_C", Column, FlagColumn)
_A = TypeVar("_A")


@lru_cache(maxsize=1)
def _made(models: Matrix) -> dict[tuple[object, ...], Any]:
    # A single slot: an index that is no longer used must not stay in memory.
    return {}


def kept_with(matrix: Matrix, source: object, key: tuple[object, ...], make: Callable[[], _A]) -> _A:
    """What `make` returns, made once for a matrix and a source while both are in use."""
    made, place = _made(matrix.model_tests), ("source", len(matrix.ids), *key)
    if place not in made or made[place][0] is not source:
        made[place] = source, make()
    found: _A = made[place][1]
    return found


def _kept(make: Callable[Concatenate[Matrix, _P], _C]) -> Callable[Concatenate[Matrix, _P], _C]:
    """Cache a column that `make` computes for the model tests; it is empty on the other rows."""

    @wraps(make)
    def column(matrix: Matrix, /, *args: _P.args, **kwargs: _P.kwargs) -> _C:
        models, size = matrix.model_tests, len(matrix.ids)
        made, key = _made(models), (size, make.__name__, *args)
        if key not in made:
            made[key] = fitted(make(models, *args, **kwargs), size)
        found: _C = made[key]
        return found

    return column


# Parts of an id


@_kept
def variant_column(matrix: Matrix) -> Column:
    """The variant part of each id; empty if it has none."""
    parts = {text for name in ("phase", "parallelism") for text in matrix.columns[name].values}
    # The part after the variant: the phase if the id has one, else the parallelism.
    after = {text: f"-{text}" for text in parts}
    return Column.of(
        id[len(directory) + 1 : id.rfind(after[parallelism if phase == "default" else phase])] if directory else ""
        for id, directory, phase, parallelism, _ in matrix.members()
    )


def family(directory: str) -> str:
    """The first part of a loader's directory, which related models share."""
    return directory.partition("/")[0]


@_kept
def family_column(matrix: Matrix) -> Column:
    """The family of each row."""
    return matrix.columns["loader"].mapped(family)


def function_column(matrix: Matrix) -> FlagColumn:
    """The test functions of each row, including those that share its id (docs/rules.md 1.5).

    Op cases and hand-written tests have none.
    """
    return _with_others(matrix, _function_column_of_tests(matrix), "function")


@_kept
def _function_column_of_tests(matrix: Matrix) -> FlagColumn:
    columns = [matrix.columns[name] for name in ("phase", "framework", "parallelism", "mode")]
    decoding = matrix.columns["loader"].mapped(lambda directory: "decoding" if directory in matrix.decoding else "")
    kinds = list(zip(*(column.codes for column in (*columns, decoding)), strict=True))
    # These parts decide the functions, and a few dozen combinations cover all rows.
    members = dict(zip(kinds, matrix.members(), strict=True))
    bits = {function: 1 << bit for bit, function in enumerate(Function)}
    masks = {kind: sum(bits[function] for function in matrix.functions_of(member)) for kind, member in members.items()}
    return FlagColumn(tuple(Function), [masks[kind] for kind in kinds])


@_kept
def llm_column(matrix: Matrix, part: str) -> Column:
    """A part of each LLM id, without its prefix: `seq`, `batch` or `mesh`; empty in other ids."""
    value = re.compile(rf"(?<=-{part}_)[^-]+")

    def part_of(shape: str) -> str:
        match = value.search(shape)
        return match[0] if match else ""

    return _shapes(matrix).mapped(part_of)


@_kept
def _shapes(matrix: Matrix) -> Column:
    """The end of each LLM id, from its sequence length on: a few hundred texts cover all of them."""
    phase = matrix.columns["phase"]
    llm = [text.startswith("llm") for text in phase.values]
    return Column.of(
        "".join(id.rpartition("-seq_")[1:]) if llm[code] else ""
        for id, code in zip(matrix.ids, phase.codes, strict=True)
    )


# Other kinds of rows


def kind_column(matrix: Matrix) -> Column:
    """The kind of each row."""
    codes = b"".join(bytes([code]) * len(rows) for code, rows in enumerate(matrix.kinds.values()))
    return Column(tuple(matrix.kinds), codes)


def area_column(matrix: Matrix) -> Column:
    """Whose each row is, as a nightly is read: model tests, torch, jax, vLLM and so on."""
    return kept_with(matrix, matrix, ("area",), lambda: Column.of(_areas(matrix), AREAS))


def _areas(matrix: Matrix) -> list[str]:
    texts: list[str] = []
    for kind, rows in matrix.kinds.items():
        areas = row_kind(kind).areas or (MODELS,)
        if len(areas) > 1:
            texts += (area_of(matrix.ids[row].partition("::")[0]) for row in rows)
        else:
            texts += areas * len(rows)
    return texts


def own_column(matrix: Matrix, name: str, vocabulary: tuple[str, ...] = ()) -> Column:
    """A column that only some kinds other than model tests fill; empty on other rows."""
    return matrix.columns.get(name) or Column(("", *vocabulary), bytes(len(matrix.ids)))


def own_flags(matrix: Matrix, name: str) -> FlagColumn:
    """As `own_column`, with several texts a row."""
    return (matrix.flags.get(name) or FlagColumn((), [0] * len(matrix.ids))).or_none()


# What entries say


@_kept
def entry_column(matrix: Matrix) -> Column:
    """Whether a row has an entry: the text `entry`, or none."""
    return Column(("entry", ""), bytes(map(not_, matrix.flags["has"].masks)))


def marker_column(matrix: Matrix) -> FlagColumn:
    """Markers of entries and of hand-written tests, and marks of op cases; an empty text if a row has none."""
    return kept_with(matrix, matrix, ("marker",), lambda: _all_markers(matrix).or_none())


def _all_markers(matrix: Matrix) -> FlagColumn:
    entries, own = matrix.flags["marker"], matrix.flags.get("mark")
    if own is None:
        return entries
    bits = {value: 1 << at for at, value in enumerate(dict.fromkeys((*entries.values, *own.values)))}
    masks = {mask: sum(bits[one] for at, one in enumerate(own.values) if mask >> at & 1) for mask in {*own.masks}}
    return FlagColumn(tuple(bits), [one | masks[other] for one, other in zip(entries.masks, own.masks, strict=True)])


@_kept
def required_pcc_column(matrix: Matrix, arch: str) -> FlagColumn:
    """The effective `required_pcc` on `arch`, or with NO_ARCH on every supported arch (docs/rules.md 2.3)."""
    return _effective(matrix, "required_pcc", arch, text_of)


@_kept
def assert_pcc_column(matrix: Matrix, arch: str) -> FlagColumn:
    """Whether PCC is asserted on `arch`, `true` or `false`: only the literal false turns it off (docs/rules.md 2.2)."""
    return _effective(matrix, "assert_pcc", arch, lambda value: text_of(value is not False), ("true", "false"))


@_kept
def field_column(matrix: Matrix, name: str, arch: str) -> FlagColumn:
    """The effective values of any field of entries on `arch`; of a list, each of its items (docs/rules.md 2.2, 2.3)."""
    read = _flag_text if is_flag(name) else text_of
    values = {}
    for row, entry in _entries(matrix):
        if writes(entry, name):
            found = [resolve(entry, name, one).value for one in _meant(matrix, row, arch)]
            values[row] = [read(one) for value in found for one in (value if isinstance(value, list) else [value])] or [
                ""
            ]
    return FlagColumn.sparse(len(matrix.ids), [read(DEFAULTS.get(name))], values, _TRUTHS if is_flag(name) else ())


_TRUTHS = ("true", "false")


def _flag_text(value: object) -> str:
    """A null counts as false (docs/rules.md 2.2)."""
    return text_of(value is not None and value)


def _effective(
    matrix: Matrix, field: str, arch: str, text: Callable[[object], str], vocabulary: tuple[str, ...] = ()
) -> FlagColumn:
    values = {
        row: [text(resolve(entry, field, one).value) for one in _meant(matrix, row, arch)]
        for row, entry in _entries(matrix)
        if writes(entry, field)
    }
    return FlagColumn.sparse(len(matrix.ids), [text(DEFAULTS.get(field))], values, vocabulary)


def _meant(matrix: Matrix, row: int, arch: str) -> tuple[str | None, ...]:
    return (arch,) if arch != NO_ARCH else matrix.flags["arch"][row] or (None,)


def writes(entry: Entry, field: str) -> bool:
    """Whether an entry gives a value to `field`, for all archs or for one."""
    return field in entry.fields or any(field in values for values in entry.overrides.values())


@_kept
def has_column(matrix: Matrix) -> FlagColumn:
    """What each row's entry has: the flags of the index, an issue link in a reason, a threshold of its own."""
    reason = matrix.columns["reason"]
    linked = [bool(_ISSUE.search(text)) for text in reason.values]
    return _with_flags(
        matrix.flags["has"],
        {
            "issue": (row for row, _ in _entries(matrix) if linked[reason.codes[row]]),
            "pcc": (row for row, entry in _entries(matrix) if writes(entry, "required_pcc")),
        },
    )


def is_column(matrix: Matrix) -> FlagColumn:
    """The flags of each row.

    known: a loader generates it. stray: only an entry has it. mixed: its status differs between supported archs.
    duplicate: several entries have its id, and the last one counts. shadowed: its entry's own status has no effect on
    any supported arch, because each of them has an override. placeholder: a planned model.
    """
    return _with_others(matrix, _is_column_of_tests(matrix), "is")


def _with_others(matrix: Matrix, column: FlagColumn, name: str) -> FlagColumn:
    """`column` with the text that all rows of a kind have in it."""
    known = ((rows, row_kind(kind).same_in_all.get(name)) for kind, rows in matrix.kinds.items() if rows)
    texts = [(rows, text) for rows, text in known if text]
    if not texts:
        return column
    bits = {text: 1 << bit for bit, text in enumerate(column.values)}
    masks = [*column.masks]
    for rows, text in texts:
        masks[rows.start : rows.stop] = [bits.setdefault(text, 1 << len(bits))] * len(rows)
    return FlagColumn(tuple(bits), masks)


@_kept
def _is_column_of_tests(matrix: Matrix) -> FlagColumn:
    written = Counter(entry.id for file in matrix.files for entry in file.entries)
    status, archs = matrix.flags["status"].masks, matrix.flags["arch"]
    strays = {matrix.rows[id]: ["stray"] for id in matrix.strays}
    return _with_flags(
        FlagColumn.sparse(len(matrix.ids), ["known"], strays, ["known", "stray"]),
        {
            "mixed": (row for row, _ in _entries(matrix) if status[row].bit_count() > 1),
            "duplicate": (matrix.rows[id] for id, count in written.items() if count > 1),
            "shadowed": (row for row, entry in _entries(matrix) if _shadowed(entry, archs, row)),
            _PLANNED: (
                matrix.rows[one.id] for file in matrix.files for one in file.placeholders if one.id in matrix.rows
            ),
        },
    )


def _shadowed(entry: Entry, archs: FlagColumn, row: int) -> bool:
    overrides = entry.overrides
    return (
        bool(overrides) and "status" in entry.fields and all("status" in overrides.get(one, {}) for one in archs[row])
    )


def _with_flags(column: FlagColumn, rows_of: Mapping[str, Iterable[int]]) -> FlagColumn:
    """`column` with further texts, each on some rows."""
    masks = list(column.masks)
    for bit, rows in enumerate(rows_of.values(), len(column.values)):
        for row in rows:
            masks[row] |= 1 << bit
    return FlagColumn((*column.values, *rows_of), masks)


def _entries(matrix: Matrix) -> Iterator[tuple[int, Entry]]:
    return ((matrix.rows[id], entry) for id, entry in matrix.entries.items())
