# SPDX-License-Identifier: Apache-2.0
"""JSON objects that commands print: a class each, from which schemas and docs/json.md are made (`make reference`)."""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar, dataclass_transform

from msgspec import UNSET, Struct, field, structs

R = TypeVar("R", bound="Record")


# For type checkers, which do not know that a Struct inherits these.
@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
class Record(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A JSON object: its fields in their order, each with what it means below it. A field that is UNSET is left out."""

    def __json__(self) -> Mapping[str, object]:
        """The object, one level deep: `core.base.text.json_text` asks for it."""
        values = zip(self.__struct_encode_fields__, map(self.__getattribute__, self.__struct_fields__), strict=True)
        return {name: value for name, value in values if value is not UNSET}

    def extended(self, kind: type[R], **more: Any) -> R:
        """The same as a `kind`, which has these fields and `more`."""
        return kind(**structs.asdict(self), **more)


class As(NamedTuple):
    """`Annotated[str, As(Literal["on", "off"])]`: the form in JSON, where the code has a wider type."""

    form: object
    name: str = ""
    """Its name in the schemas, which then have it once; empty: it is written out wherever it is used."""
