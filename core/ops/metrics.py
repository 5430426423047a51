# SPDX-License-Identifier: Apache-2.0
"""Numbers about op tests that need no results: how many there are, of which kinds, and how many are the same test."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from core.ops.op_tests import OpTests
from core.payload.ttmatrix_payload.ops import Case, Row, duplicates, tensors_of


class Counts(NamedTuple):
    """Of some cases."""

    cases: int
    unique: int
    """Cases if equal ones count once."""
    ops: int
    """Distinct ops."""
    models: int
    signatures: int
    """Distinct ops with the shapes and dtypes of their tensors."""
    shapes: int
    """Distinct shapes of tensors."""
    dtypes: int
    """Distinct dtypes of tensors."""


class Metrics(NamedTuple):
    """Of all cases, of those of each model, and of those of each op; equal cases of two models count for both."""

    total: Counts
    by_model: dict[str, Counts]
    by_op: dict[str, Counts]
    grid: dict[tuple[str, str], int]
    """The number of cases by op and model; pairs without cases are absent."""

    @property
    def saved(self) -> float:
        """The share of cases that another case represents; 0 if there are no cases."""
        return 1 - self.total.unique / self.total.cases if self.total.cases else 0.0


def measure(tests: OpTests, selected: Sequence[Row]) -> Metrics:
    """The metrics of a selection."""
    said = duplicates(selected)
    keys = {row.id: said[row.id].dup_of or row.id for row in selected}

    def grouped(names: Iterable[str]) -> dict[str, list[Row]]:
        groups: dict[str, list[Row]] = {}
        for row, name in zip(selected, names, strict=True):
            groups.setdefault(name, []).append(row)
        return groups

    by_model = grouped(row.manifest.model for row in selected)
    by_op = grouped(row.case.op for row in selected)
    return Metrics(
        _counts(selected, keys),
        {model: _counts(by_model[model], keys) for model in tests.models if model in by_model},
        {op: _counts(by_op[op], keys) for op in sorted(by_op)},
        dict(Counter((row.case.op, row.manifest.model) for row in selected)),
    )


def _counts(selected: Sequence[Row], keys: dict[str, str]) -> Counts:
    tensors = [tensor for row in selected for tensor in tensors_of(row.case)]
    return Counts(
        cases=len(selected),
        unique=len({keys[row.id] for row in selected}),
        ops=len({row.case.op for row in selected}),
        models=len({row.manifest.model for row in selected}),
        signatures=len({signature(row.case) for row in selected}),
        shapes=len({tensor.shape for tensor in tensors}),
        dtypes=len({tensor.dtype for tensor in tensors}),
    )


def signature(case: Case) -> tuple[object, ...]:
    """The op with the shapes and dtypes of its tensors."""
    return case.op, tuple((tensor.shape, tensor.dtype) for tensor in tensors_of(case))
