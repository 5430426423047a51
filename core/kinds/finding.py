# SPDX-License-Identifier: Apache-2.0
"""The kinds by name, and the row that a person names, whatever its kind."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

from core.kinds.kind import Kind
from core.matrix import KINDS, row_kind

if TYPE_CHECKING:
    from core.workspace import Workspace


class Found(NamedTuple):
    """A row that is no model test."""

    kind: Kind
    id: str


def by_name(name: str) -> Kind:
    """One kind."""
    return cast(Kind, row_kind(name))


def kinds() -> tuple[Kind, ...]:
    """All kinds, in the order of their rows."""
    return tuple(map(by_name, KINDS))


class Chosen(NamedTuple):
    """Rows that an argument of `run` names."""

    kind: Kind
    ids: Sequence[str]


def chosen(text: str, workspace: "Workspace") -> Chosen:
    """What an argument of `run` names; tests of models are what no other kind knows. Raises as `find` does."""
    # Model tests, which are the first kind, take any text.
    rows = ((one, one.chosen(text, workspace)) for one in reversed(kinds()))
    return next(Chosen(one, ids) for one, ids in rows if ids)


def find(text: str, workspace: "Workspace") -> Found | None:
    """The row that a text names, if it is no model test. Raises UsageError if it names several."""
    rows = ((one, one.find(text, workspace)) for one in kinds())
    return next((Found(one, id) for one, id in rows if id), None)
