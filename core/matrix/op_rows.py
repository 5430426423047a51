# SPDX-License-Identifier: Apache-2.0
"""The rows of the matrix after the model tests, which are those of the other kinds, and columns over all."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import NamedTuple, overload

from core.matrix.columns import AnyColumn, Column, FlagColumn, packed

LEVELS = ("op", "graph", "other")
"""What a hand-written test runs, according to the helper of upstream that it calls."""

BACKENDS = ("eager", "aot_eager", "inductor", "xla", "tt")
"""Backends that a query may name even without results; results may add others."""
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
"""The possible results of an op case on a backend, in the plugin's words."""


class JobOfRow(NamedTuple):
    """A job of CI that runs a row."""

    name: str
    file: str
    runs_on: str
    cadence: str
    """How often it runs by itself; empty: when a person starts it."""
    mark: str | None = None
    """The marks that it selects by; None: it selects by something else."""

    @property
    def when(self) -> str:
        """How often it runs."""
        return self.cadence or "on request"

    @property
    def text(self) -> str:
        """The job in one line, as queries name it."""
        return f"{self.file}: {self.name} on {self.runs_on}, {self.when}"

    def is_on(self, arch: str) -> bool:
        """Whether its machine has an arch; empty: any. Machines of performance are named after it: `n150-perf`."""
        return arch in ("", self.runs_on.removesuffix("-perf"))


@dataclass(frozen=True, slots=True, eq=False)
class OtherRows:
    """All rows of one kind other than model tests: plain data that is cached between starts.

    All columns have one value per row.
    """

    kind: str
    """The name of the kind (`core.matrix.row_kinds`)."""

    ids: tuple[str, ...]
    """Sorted; none of them is the id of a model test."""
    lines: Sequence[int]
    """The line at which each starts in its file."""
    status: Column
    """The status expected where the row is written, in the words of `core.domain.model.Status`."""
    columns: Mapping[str, Column]
    """The columns `reason` (of the skip or the xfail) and `file` (relative to the checkout), which all kinds have, and
    those of the kind.
    """
    flags: Mapping[str, FlagColumn]
    """Columns with several texts a row; `mark` has marks and markers."""
    jobs: Mapping[str, tuple[JobOfRow, ...]] = field(default_factory=dict)
    """Jobs by id, if the kind itself knows them."""
    problems: tuple[str, ...] = ()
    """What is wrong with the files of the rows; those that cannot be read have none."""


@overload
def fitted(column: Column, size: int) -> Column: ...
@overload
def fitted(column: FlagColumn, size: int) -> FlagColumn: ...
@overload
def fitted(column: AnyColumn, size: int) -> AnyColumn: ...
def fitted(column: AnyColumn, size: int) -> AnyColumn:
    """A column of the model tests, extended to `size` rows by empty values."""
    if isinstance(column, FlagColumn):
        missing = size - len(column.masks)
        return FlagColumn(column.values, [*column.masks, *[column.mask([""])] * missing]) if missing else column
    missing = size - len(column.codes)
    return continued(column, empty(missing)) if missing else column


def with_rows(column: AnyColumn, rows: Mapping[int, Sequence[str]]) -> AnyColumn:
    """`column` with other texts in some rows."""
    if not rows:
        return column
    bits = {value: 1 << at for at, value in enumerate(column.values)}
    masks = [*column.masks] if isinstance(column, FlagColumn) else [1 << code for code in column.codes]
    for row, texts in rows.items():
        masks[row] = reduce(or_, (bits.setdefault(text, 1 << len(bits)) for text in texts))
    return FlagColumn(tuple(bits), masks)


def empty(size: int) -> Column:
    """An empty column of `size` rows."""
    return Column(("",), bytes(size))


def continued(first: Column, second: Column) -> Column:
    """The texts of the first column, followed by those of the second."""
    table = {value: code for code, value in enumerate(first.values)}
    for value in second.values:
        table.setdefault(value, len(table))
    codes = [table[value] for value in second.values]
    behind = packed([codes[code] for code in second.codes], len(table))
    if isinstance(first.codes, bytes) and isinstance(behind, bytes):
        return Column(tuple(table), first.codes + behind)
    # As bytes: an array would take four per code.
    return Column(tuple(table), array("I", [*first.codes, *behind]))
