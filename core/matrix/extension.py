# SPDX-License-Identifier: Apache-2.0
"""Append op cases, hand-written tests and placeholders as rows to the model tests, whose rows do not change."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import reduce
from typing import Generic, TypeVar

from core.matrix.columns import Column, FlagColumn
from core.matrix.matrix import Matrix
from core.matrix.op_rows import HANDWRITTEN_COLUMNS, OP_COLUMNS, OP_FLAGS, OtherRows, continued, empty

_V = TypeVar("_V")


def with_op_rows(matrix: Matrix, ops: OtherRows) -> Matrix:
    """`matrix` with a row for each op case after its own rows, which do not change.

    Columns that an op case does not have, such as archs or the loader, are empty on its row.
    """
    return _extended(matrix.model_tests, ops, matrix.handwritten, matrix.placeholders)


def with_handwritten_rows(matrix: Matrix, tests: OtherRows) -> Matrix:
    """As `with_op_rows`, with a row for each hand-written test after the op cases of `matrix`."""
    return _extended(matrix.model_tests, matrix.ops, tests, matrix.placeholders)


def with_placeholder_rows(matrix: Matrix) -> Matrix:
    """As `with_op_rows`, with a row for each placeholder of the checkout after all others."""
    models = matrix.model_tests
    return _extended(models, matrix.ops, matrix.handwritten, models.planned) if models.planned else matrix


def _extended(models: Matrix, ops: OtherRows | None, tests: OtherRows | None, placeholders: OtherRows | None) -> Matrix:
    parts = [one for one in (ops, tests, placeholders) if one is not None and one.ids]
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
        ids=models.ids + tuple(id for one in parts for id in one.ids),
        columns=_Joined(
            (*models.columns, *OP_COLUMNS, *HANDWRITTEN_COLUMNS),
            lambda name: reduce(continued, (found.get(name) or empty(count) for found, count in columns)),
        ),
        flags=_Joined(
            (*models.flags, *OP_FLAGS),
            lambda name: reduce(_flags, (found.get(name) or FlagColumn((), [0] * count) for found, count in flags)),
        ),
        status=_Joined(
            tuple(models.status),
            lambda arch: reduce(continued, (one.status for one in parts), models.status[arch]),
        ),
        models=models,
        ops=ops if ops in parts else None,
        handwritten=tests if tests in parts else None,
        placeholders=placeholders if placeholders in parts else None,
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
