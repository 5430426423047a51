# SPDX-License-Identifier: Apache-2.0
"""The kinds by name, and the row that a person names, whatever its kind."""

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


def find(text: str, workspace: "Workspace") -> Found | None:
    """The row that a text names, if it is no model test. Raises UsageError if it names several."""
    rows = ((one, one.find(text, workspace)) for one in kinds())
    return next((Found(one, id) for one, id in rows if id), None)
