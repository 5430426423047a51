# SPDX-License-Identifier: Apache-2.0
"""Operations as files have them and commands print them. `core.edits` reads and checks them."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from core.base.files import As, Record

Text = Annotated[str, Meta(min_length=1)]
Path = Annotated[Sequence[Text], Meta(min_length=1)]
Object = Annotated[Mapping[str, object], Meta(min_length=1)]
Scalar = str | float | bool


class _OfEntry(Record):
    op: str
    id: Text
    """The test id, `model::case` of an op case, or a model for the defaults of its manifest."""
    file: str | UnsetType = UNSET
    """File, relative to the test_config directory; a manifest of op tests, relative to the checkout."""


class _OfPart(_OfEntry, kw_only=True):
    path: Path
    """[FIELD], ["arch_overrides", ARCH, FIELD] or, for a whole override, ["arch_overrides", ARCH]; of an op case [KEY],
    or [KEY, PART...]."""


class SetField(_OfPart, kw_only=True):
    """Give a field a value."""

    op: Literal["set"]
    value: Scalar | Sequence[object] | Mapping[str, object]
    """An object, or a list of more than scalars: of an op case."""


class UnsetField(_OfPart, kw_only=True):
    """Remove a field, or a whole override."""

    op: Literal["unset"]


class AddEntry(_OfEntry, kw_only=True):
    """Add an entry."""

    op: Literal["add"]
    file: str
    """File, relative to the test_config directory; a manifest of op tests, relative to the checkout."""
    value: Object
    """Its fields; at least one."""


class AddPart(_OfPart, kw_only=True):
    """Add one item to a list, or an override."""

    op: Literal["add"]
    value: Scalar | Object


class RemoveEntry(_OfEntry):
    """Remove an entry."""

    op: Literal["remove"]


class RemovePart(_OfPart, kw_only=True):
    """Remove one item of a list, or an override."""

    op: Literal["remove"]
    value: Scalar | UnsetType = UNSET


class RenameEntry(_OfEntry, kw_only=True):
    """Rename an entry."""

    op: Literal["rename"]
    to: Text
    """The new id."""


class RenamePart(_OfPart, kw_only=True):
    """Rename an item of a list, or the arch of an override."""

    op: Literal["rename"]
    value: Scalar | UnsetType = UNSET
    to: Text


class MoveEntry(_OfEntry, kw_only=True):
    """Move an entry to another file."""

    op: Literal["move"]
    to: Text
    """The new file."""


Operation = Annotated[
    Mapping[str, object],
    As(
        SetField | UnsetField | AddEntry | AddPart | RemoveEntry | RemovePart | RenameEntry | RenamePart | MoveEntry,
        "operation",
    ),
]
"""One intended change of one entry or op case. `file` may be left out where the id is in one file only."""
