# SPDX-License-Identifier: Apache-2.0
"""What the matrix has behind the model tests: op cases, hand-written tests, placeholders; and columns over all."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import overload

from core.matrix.columns import AnyColumn, Column, FlagColumn, packed

MODEL_KIND, OP_KIND, HANDWRITTEN_KIND, PLACEHOLDER_KIND = "model", "op", "handwritten", "placeholder"
"""What the column `kind` holds: a test of a whole model, a case of an op manifest, a test written by hand, or a model
that is planned."""

OP_COLUMNS = ("op", "model", "shape", "dup", "rtol", "atol")
"""Columns that only op cases have a text in."""
OP_FLAGS = ("dtype", "mark")
"""Columns that only op cases have texts in, several each; of hand-written tests `mark` has the markers."""
HANDWRITTEN_COLUMNS = ("level",)
"""Columns that only hand-written tests have a text in."""
LEVELS = ("op", "graph", "other")
"""What a hand-written test can run, by the helper of upstream's that it calls."""

BACKENDS = ("eager", "aot_eager", "inductor", "xla", "tt")
"""Those that can be asked for whether or not they have results; results name others."""
RESULTS = (
    "pass",
    "fail",
    "error(ref)",
    "build-error",
    "crash",
    "timeout",
    "skip",
    "not-an-op",
    "xfail",
    "xpass",
    "dup",
)
"""How an op case can end on a backend, as the plugin says it."""


@dataclass(frozen=True, slots=True, eq=False)
class OtherRows:
    """All op cases, hand-written tests or placeholders of a checkout: plain data that is cached between starts.

    All columns have one value per row.
    """

    ids: tuple[str, ...]
    """`model::case`, node ids, or names of models, in their order; none is the id of a model test."""
    lines: Sequence[int]
    """The line at which each starts in its file."""
    status: Column
    """What its manifest or its marks expect of it, in the words of `core.model.Status`."""
    columns: Mapping[str, Column]
    """OP_COLUMNS or HANDWRITTEN_COLUMNS, and of the columns of all rows `reason` (of the skip or the xfail) and `file`
    (relative to the checkout). Placeholders have `model`, the name in reports, and `bringup`."""
    flags: Mapping[str, FlagColumn]
    """OP_FLAGS, or those of them that hand-written tests have."""


@overload
def fitted(column: Column, size: int) -> Column: ...
@overload
def fitted(column: FlagColumn, size: int) -> FlagColumn: ...
@overload
def fitted(column: AnyColumn, size: int) -> AnyColumn: ...
def fitted(column: AnyColumn, size: int) -> AnyColumn:
    """A column of the model tests alone with empty values for the op cases behind them; `size` is of both."""
    if isinstance(column, FlagColumn):
        missing = size - len(column.masks)
        return FlagColumn(column.values, [*column.masks, *[column.mask([""])] * missing]) if missing else column
    missing = size - len(column.codes)
    return continued(column, empty(missing)) if missing else column


def empty(size: int) -> Column:
    """A column of that many rows that holds nothing."""
    return Column(("",), bytes(size))


def continued(first: Column, second: Column) -> Column:
    """The texts of one column and then those of the other."""
    table = {value: code for code, value in enumerate(first.values)}
    for value in second.values:
        table.setdefault(value, len(table))
    codes = [table[value] for value in second.values]
    behind = packed([codes[code] for code in second.codes], len(table))
    if isinstance(first.codes, bytes) and isinstance(behind, bytes):
        return Column(tuple(table), first.codes + behind)
    # Of bytes themselves, an array would take four for one code.
    return Column(tuple(table), array("I", [*first.codes, *behind]))
