# SPDX-License-Identifier: Apache-2.0
"""Ways to divide tests into groups."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from core.matrix.columns import Column
from core.matrix.matrix import Matrix
from core.matrix.query_columns import variant_column
from core.matrix.tally import status_words


@dataclass(frozen=True, slots=True)
class Grouping:
    """One way to divide tests: every test belongs to the group of its text in a column."""

    name: str
    help: str
    column: Callable[[Matrix, str], Column]
    """The column as it is meant on an arch."""
    biggest_first: bool = False
    """Whether the groups stand by size; otherwise in the order of the vocabulary."""


def _field(name: str) -> Callable[[Matrix, str], Column]:
    return lambda matrix, _: matrix.columns[name]


def family(directory: str) -> str:
    """The first part of a loader's directory: models that belong together."""
    return directory.partition("/")[0]


@lru_cache(maxsize=4)
def paired(first: Column, second: Column, between: str = " ") -> Column:
    """The column of both texts of each row, in the order of the first column and then of the second."""
    pairs = list(zip(first.codes, second.codes, strict=True))
    codes = {pair: code for code, pair in enumerate(sorted(set(pairs)))}
    texts = tuple(f"{first.values[a]}{between}{second.values[b]}".strip() for a, b in codes)
    return Column.packed(texts, [codes[pair] for pair in pairs])


GROUPINGS: tuple[Grouping, ...] = (
    Grouping("loader", "directory of the loader", _field("loader")),
    Grouping("family", "first part of that directory", lambda m, _: m.columns["loader"].mapped(family)),
    Grouping("variant", "loader and variant", lambda m, _: paired(m.columns["loader"], variant_column(m))),
    Grouping("status", "effective status", status_words),
    Grouping("reason", "text of the reason", _field("reason"), biggest_first=True),
    Grouping("bringup", "how far the entry says it gets", _field("bringup")),
    Grouping("parallelism", "how devices share the model", _field("parallelism")),
    Grouping("mode", "inference or training", _field("mode")),
    Grouping("phase", "default, llm_decode or llm_prefill", _field("phase")),
    Grouping("framework", "pytorch or jax", _field("framework")),
    Grouping("file", "file of the entry", _field("file")),
)

BY_GROUPING = {one.name: one for one in GROUPINGS}
