# SPDX-License-Identifier: Apache-2.0
"""The kinds of rows of the matrix, and what tables and queries ask of each. `core.kinds` has what else a kind knows.

The modules are named as texts: they know what is above the matrix, such as how a row runs.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, Protocol

MODEL_KIND, OP_KIND, HANDWRITTEN_KIND, PLACEHOLDER_KIND = "model", "op", "handwritten", "placeholder"
BENCHMARK_KIND, REPORTED_KIND = "benchmark", "reported"
USUAL_KIND = MODEL_KIND
"""The kind in whose columns and words rows of several kinds are shown, and whose columns are part of a view."""

KINDS = {
    MODEL_KIND: "core.kinds.model",
    OP_KIND: "core.kinds.op",
    REPORTED_KIND: "core.kinds.reported",
    HANDWRITTEN_KIND: "core.kinds.handwritten",
    PLACEHOLDER_KIND: "core.kinds.placeholder",
    BENCHMARK_KIND: "core.kinds.benchmark",
}
"""The module of each kind by name, which is a value of the field `kind`; in the order of their rows in a matrix."""


RUN, DEVICE_RUN = "run", "device_run"
"""The columns of the last local runs, which the matrix does not have."""


def row_id(kind: str, name: str) -> str:
    """The id of a row of a kind whose files give its rows names."""
    return f"{kind}::{name}"


class OwnField(Protocol):
    """A field of queries: a `Field` of `core.matrix.query`."""

    @property
    def name(self) -> str: ...


class OwnColumn(NamedTuple):
    """A column of tables that is empty on rows of other kinds."""

    name: str
    title: str
    help: str
    rank: Callable[[str], Any] | None = str.lower
    """The sort key of its texts; None: their place in the vocabulary."""
    flags: bool = False
    """Whether a row can have several texts."""


class OwnLayout(NamedTuple):
    """A grid of rows of one kind (`core.matrix.view.grid.Layout`)."""

    name: str
    down: str
    across: str
    help: str
    results: bool = False
    """Whether it counts last results instead of expected statuses."""


class RowKind(Protocol):
    """What tables and queries ask of a kind of rows."""

    @property
    def name(self) -> str: ...
    @property
    def noun(self) -> str:
        """One row in messages: `op case`."""
        ...

    @property
    def id_title(self) -> str:
        """The title of a column of its ids."""
        ...

    @property
    def written_in(self) -> str:
        """The files that its rows are read from."""
        ...

    @property
    def fields(self) -> Collection[str]:
        """The fields of `core.matrix.query.fields` that its rows have besides its own; others match none of them."""
        ...

    @property
    def areas(self) -> tuple[str, ...]:
        """The areas of its rows; empty: that of models. With several, the path of a row decides."""
        ...

    @property
    def own_fields(self) -> Sequence[OwnField]:
        """Fields that no other kind defines."""
        ...

    @property
    def own_columns(self) -> Sequence[OwnColumn]:
        """Columns of tables that no other kind defines."""
        ...

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a table with rows of this kind alone, until a person chooses others."""
        ...

    @property
    def short_ids(self) -> bool:
        """Whether its ids are short and other columns say as much."""
        ...

    @property
    def facets(self) -> tuple[str, ...]:
        """The fields whose values are counted beside such a table."""
        ...

    @property
    def groupings(self) -> tuple[str, ...]:
        """The groupings of such a table; empty: all."""
        ...

    @property
    def layouts(self) -> Sequence[OwnLayout]:
        """The grids of its rows, the usual one first."""
        ...

    @property
    def overview(self) -> Mapping[str, str]:
        """What the overview counts of its rows: queries by title, of which the empty one is for all of them."""
        ...

    @property
    def same_in_all(self) -> Mapping[str, str]:
        """The text that all its rows have in columns which the index computes for model tests alone."""
        ...


@cache
def all_kinds() -> dict[str, RowKind]:
    """All kinds by name, in the order of their rows."""
    return {name: row_kind(name) for name in KINDS}


@cache
def row_kind(name: str) -> RowKind:
    """One kind."""
    found: RowKind = import_module(KINDS[name]).KIND
    return found


@cache
def kinds_with(field: str) -> tuple[str, ...]:
    """The kinds whose rows have a field, by their names."""
    return tuple(
        name
        for name, kind in all_kinds().items()
        if field in kind.fields or any(one.name == field for one in kind.own_fields)
    )
