# SPDX-License-Identifier: Apache-2.0
"""The ops of one model of the matrix: its cases in manifests, and op-by-op results, joined by shape."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from core.domain.ids import TestId
from core.domain.model import ModelInfo
from core.ops.op_by_op import OpByOp, OpByOpResult, Operand
from core.ops.op_tests import OpTests
from core.payload.ttmatrix_payload.ops import Row, Tensor

_OTHER = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class JoinedResult:
    """A result of an op-by-op test, with the cases whose tensors have the same shapes and dtypes.

    They need not be the same op: results are of StableHLO ops, cases of torch ops.
    """

    result: OpByOpResult
    cases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OpsOfModel:
    """The ops of one model."""

    models: tuple[str, ...]
    """Names of the model in manifests."""
    rows: tuple[Row, ...]
    joined: tuple[JoinedResult, ...]


def ops_of_model(
    tests: OpTests, found: OpByOp, test: TestId, info: ModelInfo | None, own: Iterable[OpByOpResult] = ()
) -> OpsOfModel:
    """The ops of the model that `test` runs, with results; `own` are those that certainly belong to this test."""
    called = models_called(tests.models, test, info)
    models = tuple(model for model in tests.models if model in called)
    rows = tests.of_models(models) if models else ()
    by_tensors: dict[tuple[Operand, ...], list[str]] = {}
    for row in rows:
        by_tensors.setdefault(_key(_tensors(row)), []).append(row.id)
    results = [*(one for one in found.results if _is_of(one.model, info)), *own]
    joined = (JoinedResult(one, tuple(by_tensors.get(_key(one.inputs), ())) if one.inputs else ()) for one in results)
    return OpsOfModel(models, tuple(rows), tuple(joined))


def models_called(models: Iterable[str], test: TestId, info: ModelInfo | None) -> Collection[str]:
    """The names in `models`, as manifests write them, that mean the model of `test`."""
    names = names_of(test, info)
    return {model for model in models if model and _plain(model) in names}


def names_of(test: TestId, info: ModelInfo | None) -> Collection[str]:
    """The names that a manifest may have for the model: its loader with and without variant, or as reports do."""
    parts = test.directory.split("/")[:-1]
    loader = "_".join(parts)
    bare = {loader, parts[0] if parts else ""}
    with_variant = {f"{one}_{test.variant}" for one in bare} | {test.variant} if test.variant else set()
    reported = {info.name, info.model} if info else set()
    return {_plain(name) for name in bare | with_variant | reported if name}


def _is_of(model: str, info: ModelInfo | None) -> bool:
    """Whether `model` is the directory of IR dumps for `info`: the model's name with some characters replaced."""
    return info is not None and _plain(model) == _plain(info.name)


def _plain(name: str) -> str:
    return _OTHER.sub("_", name.lower()).strip("_")


def _tensors(row: Row) -> Sequence[Operand]:
    return [Operand(one.shape, one.dtype or row.case.dtype) for one in _flat(row.case.inputs)]


def _flat(arguments: Iterable[object]) -> Iterable[Tensor]:
    for one in arguments:
        if isinstance(one, Tensor):
            yield one
        elif isinstance(one, tuple | list):
            yield from _flat(one)


def _key(tensors: Iterable[Operand]) -> tuple[Operand, ...]:
    return tuple(sorted(tensors))
