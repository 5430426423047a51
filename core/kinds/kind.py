# SPDX-License-Identifier: Apache-2.0
"""What every kind of rows is, with what most of them have in common."""

from collections.abc import Collection, Sequence
from typing import ClassVar

from core.matrix import OwnColumn
from core.matrix.query import Field

EVERY = ("status", "kind", "is", "reason", "file")
"""The fields that all kinds have, besides their ids."""


class Kind:
    """One kind of rows. A module of a kind has one instance, `KIND`."""

    name: ClassVar[str]
    noun: ClassVar[str]
    fields: ClassVar[Collection[str]] = EVERY
    own_fields: ClassVar[Sequence[Field]] = ()
    own_columns: ClassVar[Sequence[OwnColumn]] = ()
    columns: ClassVar[tuple[str, ...]] = ("id", "reason", "file")
    short_ids: ClassVar[bool] = False
    facets: ClassVar[tuple[str, ...]] = ()
    groupings: ClassVar[tuple[str, ...]] = ()
