# SPDX-License-Identifier: Apache-2.0
"""Op cases: single ops of models, written in manifests."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from core import kinds, ops, workspace
from core.base.errors import UsageError
from core.base.text import counted
from core.domain.areas import OPS
from core.domain.ids import pasted
from core.domain.model import Status
from core.kinds.kind import EVERY, Apart, Kind, Launch, Section, Table, Written, here
from core.matrix import OP_KIND, Matrix, OwnColumn, OwnLayout, with_other_rows
from core.matrix.query import (
    BACKEND,
    RESULT,
    VERDICT,
    Choice,
    FromResults,
    Number,
    Text,
    by_number,
    decimal,
    made,
    own_column,
    own_flags,
)

if TYPE_CHECKING:
    from core.base.files import Record
    from core.base.settings import Settings
    from core.domain.ids import TestId
    from core.domain.model import ModelInfo
    from core.kinds.records import Row
    from core.matrix.cache import Cache
    from core.workspace import Workspace, once


_OF_ROW = ("op", "file", "shape", "rtol", "atol", "reason", "dup")
"""The columns that are said about a case before its manifest is read."""


def _sizes(text: str) -> list[list[int]]:
    """Sort key of shapes, by their sizes: 2x3 comes before 10x3."""
    return [[int(size) for size in shape.split("x") if size.isdigit()] for shape in text.split()]


class OpKind(Kind):
    """Cases of op manifests (`core.ops`)."""

    name = OP_KIND
    noun = "op case"
    written_in = "op manifests"
    areas = (OPS,)
    fields = (*EVERY, "marker", "verdict", "model")
    own_fields = (
        Choice("op", "op of an op case, such as torch.add", made(lambda matrix: own_column(matrix, "op"))),
        Choice("dtype", "dtype of a tensor of an op case", made(lambda matrix: own_flags(matrix, "dtype"))),
        Text(
            "shape",
            "part of the shapes of an op case, such as 32x2880",
            made(lambda matrix: own_column(matrix, "shape")),
        ),
        Choice(
            "temporary",
            "backend of the temporary file that an op case is from, or none",
            made(lambda matrix: own_column(matrix, "temporary")),
        ),
        Choice(
            "dup",
            "op case that represents it, as both are the same test; or none",
            made(lambda matrix: own_column(matrix, "dup")),
        ),
        Number(
            "rtol",
            "relative tolerance of an op case",
            made(lambda matrix: own_column(matrix, "rtol")),
            decimal,
            ("0.001", "0.005"),
        ),
        Number(
            "atol",
            "absolute tolerance of an op case",
            made(lambda matrix: own_column(matrix, "atol")),
            decimal,
            ("0.001", "0.005"),
        ),
        Choice(BACKEND, "backend on which an op case has a result; result: is meant on it", FromResults(BACKEND)),
        Choice(RESULT, "last result of an op case, on the backend asked for, or on any", FromResults(RESULT)),
    )
    own_columns = (
        OwnColumn("op", "op", "op of an op case"),
        OwnColumn("dtype", "dtype", "dtypes of the tensors of an op case", flags=True),
        OwnColumn("shape", "shapes", "shapes of the tensors of an op case", _sizes),
        OwnColumn("rtol", "rtol", "relative tolerance of an op case", by_number),
        OwnColumn("atol", "atol", "absolute tolerance of an op case", by_number),
        OwnColumn("dup", "same as", "op case that represents it, as both are the same test"),
    )
    columns = ("id", "op", "dtype", "shape", "status", "rtol", "dup", "reason")
    short_ids = True
    listed = True
    facets = ("status", "op", "model", "dtype", "marker", "temporary", BACKEND, RESULT, VERDICT)
    groupings = ("op", "model", "status", "reason", "file")
    launch = Launch.BACKENDS
    written = Written.MANIFEST
    on_backends = True
    own_commands = "ttmatrix ops -h"
    no_ops = "An op case is one op already."
    layouts = (
        OwnLayout("ops", "op", "model", "worst last results of ops by model that cases are of", results=True),
        OwnLayout("op-results", "op", BACKEND, "last results of ops by backend", results=True),
    )
    overview: ClassVar = {
        "all": "",
        **{status: f"status:{status.lower()}" for status in Status},
        "same as another": "!dup:none",
    }

    def cached(self, matrix: Matrix, cache: "Cache", settings: "Settings") -> Matrix | None:
        return ops.with_cached_ops(cache, matrix, settings.ops_dirs)

    def read(self, matrix: Matrix, cache: "Cache", settings: "Settings", apart: Apart = here) -> Matrix:
        return ops.with_ops(cache, matrix, settings.ops_dirs, read=lambda *given: apart(ops.read_op_rows, *given))

    def directories(self, settings: "Settings") -> Sequence[str]:
        return settings.ops_dirs

    def add(self, matrix: Matrix, on: "Workspace") -> Matrix:
        rows = on.table.of_kind(self.name)
        return with_other_rows(matrix, rows) if rows else matrix

    def details(self) -> "Sequence[once[Any]]":
        return (workspace.Workspace.op_tests,)

    def sections(self, matrix: Matrix, id: str, on: "Workspace") -> Sequence[Section]:
        """What its row holds, until its manifest is read."""
        tests, row = on.known(workspace.Workspace.op_tests), matrix.rows[id]
        detail = ops.describe_case(tests, id) if tests else None
        if detail is not None:
            return (Section("", tuple(ops.case_lines(detail))),)
        return (Section("", tuple((one, text) for one in _OF_ROW if (text := matrix.columns[one][row]))),)

    def records(
        self, matrix: Matrix, ids: Sequence[str], on: "Workspace", arch: str = "", *, broken: bool = False
    ) -> "Sequence[Row]":
        return kinds.listed_cases(on.op_tests, ids, broken=broken) if ids or broken else []

    def table(self, matrix: Matrix, ids: Sequence[str], on: "Workspace", *, broken: bool = False) -> Table:
        return kinds.case_table(kinds.listed_cases(on.op_tests, ids, broken=broken) if ids or broken else [])

    def of_model(self, test: "TestId", info: "ModelInfo | None", on: "Workspace") -> tuple[str, str] | None:
        rows = on.table.of_kind(self.name)
        if rows is None:
            return None
        column = rows.columns["model"]
        models = ops.models_called(column.values, test, info)
        cases = sum(column.values[code] in models for code in column.codes)
        return (
            ("ops", f"{counted(cases, self.noun)}; ttmatrix ops of shows them with op-by-op results") if cases else None
        )

    def shown(self, matrix: Matrix, id: str, on: "Workspace") -> "Record":
        return kinds.shown_case(on.op_tests, id)

    def find(self, text: str, on: "Workspace") -> str:
        """By id, or by a part that contains `::`."""
        if "::" not in text or text in on.matrix.rows:
            return ""
        rows = on.table.of_kind(self.name)
        found = [id for id in rows.ids if text.lower() in id.lower()] if rows else []
        if text in found or len(found) < 2:
            return text if text in found else "".join(found)
        title = f"{text!r} matches {counted(len(found), self.noun)}"
        raise UsageError(title, "\n".join(found[:5]), "Give the whole id.")

    def chosen(self, text: str, on: "Workspace") -> Sequence[str]:
        """By the form of an id, which a node id does not have: planning tells which cases there are."""
        place, double, _ = text.partition("::")
        return (text,) if double and not place.endswith(".py") and not pasted(text)[0] else ()


KIND = OpKind()
