# SPDX-License-Identifier: Apache-2.0
"""Columns of the matrix for op cases: what each consists of and what its manifest expects."""

import os
import re
from array import array
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from core.domain.model import Status
from core.matrix import OP_KIND, Column, FlagColumn, OtherRows
from core.ops.op_tests import OpTests, computes_nothing, deduplicated, read_op_tests
from core.payload.ttmatrix_payload.ops import (
    BACKEND_VARIABLE,
    Case,
    NotRead,
    Row,
    Tensor,
    condition_context,
    condition_holds,
    skip_reason,
    tensors_of,
)

__all__ = ["read_op_tests", "tabulated", "variables"]

DEFAULT_BACKEND = "inductor"
"""The backend that conditions see if none is chosen."""


def default_backend(environment: Mapping[str, str] = os.environ) -> str:
    """The backend if none is chosen: that of TEST_COMPILE_BACKEND, as the plugin takes it, else inductor."""
    return environment.get(BACKEND_VARIABLE) or DEFAULT_BACKEND


_SKIP, _XFAIL = "skip", "xfail"
"""Marks that pytest acts on."""
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9_]*\b")


class Expectation(NamedTuple):
    """What a manifest expects of a case on the CPU, and why if that is not a pass."""

    status: Status
    reason: str = ""


def expectation(row: Row, backend: str = "", environment: Mapping[str, str] = os.environ) -> Expectation:
    """Whether a case should pass, fail or not run with that backend; empty: the default one."""
    case, backend = row.case, backend or default_backend(environment)
    if computes_nothing(case):
        return Expectation(Status.NOT_SUPPORTED_SKIP, "The op computes nothing")
    if _SKIP in case.marks:
        return Expectation(Status.NOT_SUPPORTED_SKIP, "marked skip")
    marked = Expectation(Status.KNOWN_FAILURE_XFAIL, "marked xfail") if _XFAIL in case.marks else None
    if not case.skip_if and not case.xfail_if:
        return marked or Expectation(Status.EXPECTED_PASSING)
    context = condition_context(case, row.manifest.model, backend=backend, environment=environment)
    try:
        if reason := skip_reason(case, context):
            return Expectation(Status.NOT_SUPPORTED_SKIP, reason)
        if case.xfail_if and condition_holds(case.xfail_if, context):
            return Expectation(Status.KNOWN_FAILURE_XFAIL, case.xfail_reason or case.xfail_if)
    except NotRead as error:
        return Expectation(Status.NOT_SUPPORTED_SKIP, f"a condition cannot be evaluated: {error}")
    return marked or Expectation(Status.EXPECTED_PASSING)


def variables(tests: OpTests) -> set[str]:
    """Environment variables that may change the expectation: that of the backend, and names in conditions."""
    texts = (one for row in tests.rows for one in (*(skip.expr for skip in row.case.skip_if), row.case.xfail_if))
    return {BACKEND_VARIABLE, *(name for text in texts if "env" in text for name in _VARIABLE.findall(text))}


def tabulated(tests: OpTests) -> OtherRows:
    """The rows of all cases."""
    rows = sorted(tests.rows, key=lambda row: row.id)
    expected = [expectation(row) for row in rows]
    skipped = {row.id for row, one in zip(rows, expected, strict=True) if one.status is Status.NOT_SUPPORTED_SKIP}
    # In the order of the files: the first of equal cases represents the others.
    same = deduplicated(tests.rows, skipped, dedupe=True)
    return OtherRows(
        kind=OP_KIND,
        ids=tuple(row.id for row in rows),
        lines=array("I", [row.case.line for row in rows]),
        status=Column.of((one.status for one in expected), Status),
        columns={
            "op": _sorted([row.case.op for row in rows]),
            "model": _sorted([row.manifest.model for row in rows]),
            "shape": Column.of(shapes_text(row.case) for row in rows),
            "dup": Column.of(same[row.id].dup_of for row in rows),
            "rtol": Column.of(f"{row.case.rtol:g}" for row in rows),
            "atol": Column.of(f"{row.case.atol:g}" for row in rows),
            "temporary": Column.of(row.manifest.backend for row in rows),
            "reason": Column.of(one.reason for one in expected),
            "file": Column.of(row.manifest.path for row in rows),
        },
        flags={
            "dtype": _flags([dtypes(row.case) for row in rows]),
            "mark": _flags([row.case.marks for row in rows]),
        },
    )


def shapes_text(case: Case) -> str:
    """The shapes of its tensors in their order: `1x32x2880 2880`."""
    return " ".join(map(shape_text, tensors_of(case)))


def shape_text(tensor: Tensor) -> str:
    """`1x32x2880`; a tensor without dimensions is a `scalar`."""
    return "x".join(map(str, tensor.shape)) or "scalar"


def dtypes(case: Case) -> tuple[str, ...]:
    """The distinct dtypes of its tensors in their order; that of the case where it has no tensor."""
    return tuple(dict.fromkeys(one.dtype for one in tensors_of(case) if one.dtype)) or (case.dtype,)


def _sorted(texts: Sequence[str]) -> Column:
    """A column whose vocabulary is in alphabetical order: listing, grouping and layout use that order."""
    return Column.of(texts, sorted(set(texts)))


def _flags(sets: Sequence[Sequence[str]]) -> FlagColumn:
    values = sorted({text for texts in sets for text in texts})
    return FlagColumn.sparse(len(sets), (), dict(enumerate(sets)), values)
