# SPDX-License-Identifier: Apache-2.0
"""Append rows of other kinds to the model tests, whose rows do not change."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import reduce
from itertools import chain
from typing import Generic, Protocol, TypeVar, cast

from core.matrix.columns import Column, FlagColumn
from core.matrix.matrix import Matrix
from core.matrix.op_rows import OtherRows, continued, empty
from core.matrix.row_kinds import KINDS, row_kind

_V = TypeVar("_V")


def with_other_rows(matrix: Matrix, rows: OtherRows) -> Matrix:
    """`matrix` with `rows` in place of its rows of that kind; the rows of model tests do not change.

    Columns that a kind does not have, such as archs or the loader, are empty on its rows.
    """
    known = {one.kind: one for one in matrix.others} | {rows.kind: rows}
    found = _extended(matrix.model_tests, tuple(known[kind] for kind in KINDS if kind in known and known[kind].ids))
    problems = {kind: said for kind, said in {**matrix.problems, rows.kind: rows.problems}.items() if said}
    return replace(found, models=matrix.model_tests, problems=problems) if problems else found


class _ReadAtOnce(Protocol):
    def rows_at_once(self, matrix: Matrix, cache: object) -> OtherRows | None: ...


def with_rows_at_once(matrix: Matrix, cache: object, kinds: Iterable[str] = tuple(KINDS)) -> Matrix:
    """`matrix` with the rows of those of `kinds` that are read in no noticeable time; `cache` is a `cache.Cache`."""
    for name in kinds:
        rows = cast(_ReadAtOnce, row_kind(name)).rows_at_once(matrix.model_tests, cache)
        matrix = matrix if rows is None else with_other_rows(matrix, rows)
    return matrix


def with_placeholder_rows(matrix: Matrix) -> Matrix:
    """As `with_other_rows`, with a row for each placeholder of the checkout."""
    planned = matrix.model_tests.planned
    return with_other_rows(matrix, planned) if planned else matrix


def _extended(models: Matrix, parts: tuple[OtherRows, ...]) -> Matrix:
    if not parts:
        return models
    size = len(models.ids)
    status = models.flags["status"]
    masks = [{"status": FlagColumn(status.values, _status_masks(status, one.status))} for one in parts]
    columns = [(models.columns, size), *((one.columns, len(one.ids)) for one in parts)]
    flags = [
        (models.flags, size),
        *(({**one.flags, **own}, len(one.ids)) for one, own in zip(parts, masks, strict=True)),
    ]
    return replace(
        models,
        ids=(*models.ids, *chain.from_iterable(one.ids for one in parts)),
        columns=_Joined(
            (*models.columns, *(name for one in parts for name in one.columns)),
            lambda name: reduce(continued, (found.get(name) or empty(count) for found, count in columns)),
        ),
        flags=_Joined(
            (*models.flags, *(name for one in parts for name in one.flags)),
            lambda name: reduce(_flags, (found.get(name) or FlagColumn((), [0] * count) for found, count in flags)),
        ),
        status=_Joined(
            tuple(models.status),
            lambda arch: reduce(continued, (one.status for one in parts), models.status[arch]),
        ),
        models=models,
        others=parts,
    )


def _status_masks(known: FlagColumn, status: Column) -> list[int]:
    masks = [known.mask([text]) for text in status.values]
    return [masks[code] for code in status.codes]


def _flags(first: FlagColumn, second: FlagColumn) -> FlagColumn:
    """The sets of the first column, followed by those of the second."""
    table = {value: bit for bit, value in enumerate(first.values)}
    for value in second.values:
        table.setdefault(value, len(table))
    bits = [1 << table[value] for value in second.values]
    masks = {mask: sum(bit for at, bit in enumerate(bits) if mask >> at & 1) for mask in set(second.masks)}
    return FlagColumn(tuple(table), [*first.masks, *map(masks.__getitem__, second.masks)])


class _Joined(Mapping[str, _V], Generic[_V]):
    """Columns that are made on first use: a start shows few of them."""

    def __init__(self, names: tuple[str, ...], make: Callable[[str], _V]) -> None:
        self._names = dict.fromkeys(names)
        self._make = make
        self._made: dict[str, _V] = {}

    def __getitem__(self, name: str) -> _V:
        if name not in self._made:
            if name not in self._names:
                raise KeyError(name)
            self._made[name] = self._make(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
