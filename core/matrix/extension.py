# SPDX-License-Identifier: Apache-2.0
"""Op cases as rows of the matrix, behind the model tests, whose rows keep their numbers and all their values."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Generic, TypeVar

from core.matrix.columns import Column, FlagColumn
from core.matrix.matrix import Matrix
from core.matrix.op_rows import OP_COLUMNS, OP_FLAGS, OpRows, continued, empty

_V = TypeVar("_V")


def with_op_rows(matrix: Matrix, ops: OpRows) -> Matrix:
    """`matrix` with a row for each op case behind its own rows, all of whose values stay as they are.

    What an op case does not have, such as an arch or a loader, is empty on its row.
    """
    models = matrix.model_tests
    size, more = len(models.ids), len(ops.ids)
    if not more:
        return models
    status = models.flags["status"]
    flags = {**ops.flags, "status": FlagColumn(status.values, _status_masks(status, ops.status))}
    return replace(
        models,
        ids=models.ids + ops.ids,
        columns=_Joined(
            (*models.columns, *OP_COLUMNS),
            lambda name: continued(models.columns.get(name) or empty(size), ops.columns.get(name) or empty(more)),
        ),
        flags=_Joined(
            (*models.flags, *OP_FLAGS),
            lambda name: _flags(
                models.flags.get(name) or FlagColumn((), [0] * size), flags.get(name) or FlagColumn((), [0] * more)
            ),
        ),
        status=_Joined(tuple(models.status), lambda arch: continued(models.status[arch], ops.status)),
        models=models,
        ops=ops,
    )


def _status_masks(known: FlagColumn, status: Column) -> list[int]:
    masks = [known.mask([text]) for text in status.values]
    return [masks[code] for code in status.codes]


def _flags(first: FlagColumn, second: FlagColumn) -> FlagColumn:
    """The sets of one column and then those of the other."""
    table = {value: bit for bit, value in enumerate(first.values)}
    for value in second.values:
        table.setdefault(value, len(table))
    bits = [1 << table[value] for value in second.values]
    masks = {mask: sum(bit for at, bit in enumerate(bits) if mask >> at & 1) for mask in set(second.masks)}
    return FlagColumn(tuple(table), [*first.masks, *map(masks.__getitem__, second.masks)])


class _Joined(Mapping[str, _V], Generic[_V]):
    """Columns that are made when first asked for: a start shows few of them."""

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
