# SPDX-License-Identifier: Apache-2.0
"""The kinds by name, and the row that a person names, whatever its kind."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

from core.kinds.kind import Kind
from core.matrix import KINDS, row_kind

if TYPE_CHECKING:
    from core.matrix import Matrix
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


def with_new_reports(on: "Workspace") -> "Matrix | None":
    """The rows of a workspace with those that only reports know, as these are now; None: they are the same."""
    found, changed = on.whole_table, False
    for kind in kinds():
        if kind.from_reports:
            before = found.of_kind(kind.name)
            found = kind.add(found, on)
            after = found.of_kind(kind.name)
            changed = changed or (before.ids if before else ()) != (after.ids if after else ())
    return found if changed else None


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
