# SPDX-License-Identifier: Apache-2.0
"""Ways to divide tests into groups."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from core.matrix.columns import Column
from core.matrix.query_columns import variant_column
from core.matrix.scope import Scope
from core.matrix.tally import status_words

_MODELS = "models"


@dataclass(frozen=True, slots=True)
class Grouping:
    """One way to divide tests: every test belongs to the group of its text in a column."""

    name: str
    help: str
    column: Callable[[Scope], Column]
    biggest_first: bool = False
    """Whether the groups stand by size; otherwise in the order of the vocabulary."""
    needs: str = ""
    """The provider of `core.matrix.learn` without whose facts there is no such column."""


def _field(name: str) -> Callable[[Scope], Column]:
    return lambda scope: scope.matrix.columns[name]


def _of_models(name: str) -> Callable[[Scope], Column]:
    return lambda scope: cast(Column, scope.learned[_MODELS].column(name, scope.arch))


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
    Grouping("family", "first part of that directory", lambda s: s.matrix.columns["loader"].mapped(family)),
    Grouping("variant", "loader and variant", lambda s: paired(s.matrix.columns["loader"], variant_column(s.matrix))),
    Grouping("status", "effective status", lambda s: status_words(s.matrix, s.arch)),
    Grouping("reason", "text of the reason", _field("reason"), biggest_first=True),
    Grouping("group", "group of the model", _of_models("group"), needs=_MODELS),
    Grouping("task", "task of the model", _of_models("task"), biggest_first=True, needs=_MODELS),
    Grouping("bringup", "how far the entry says it gets", _field("bringup")),
    Grouping("parallelism", "how devices share the model", _field("parallelism")),
    Grouping("mode", "inference or training", _field("mode")),
    Grouping("phase", "default, llm_decode or llm_prefill", _field("phase")),
    Grouping("framework", "pytorch or jax", _field("framework")),
    Grouping("file", "file of the entry", _field("file")),
)

BY_GROUPING = {one.name: one for one in GROUPINGS}
