# SPDX-License-Identifier: Apache-2.0
"""tests.schemas: what the schemas of types say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import pytest
from msgspec import UNSET, Meta, UnsetType

from core.base.files import As, Record
from core.cli.records import Cell
from core.evidence.verdicts.policy import RetentionPolicy
from tests.schemas import Document, Stored, schema_of, schemas


class _One(Record):
    a: Annotated[int, Meta(ge=1)]
    b: Annotated[str, As(Literal["x", "y"])] | UnsetType | None = UNSET


@dataclass
class _Two:
    whole: Mapping[str, tuple[int, int]]
    rest: Sequence[str] = ()


def test_limits_narrower_forms_and_absent_fields() -> None:
    made = schema_of(_One)
    assert made["properties"]["a"] == {"type": "integer", "minimum": 1}
    assert made["properties"]["b"] == {"anyOf": [{"enum": ["x", "y"]}, {"type": "null"}]}
    assert (made["required"], made["additionalProperties"]) == (["a"], False)


def test_a_dataclass_is_written_whole_and_a_file_of_one_as_it_is_stored() -> None:
    pair = {"type": "integer"}
    whole = {"type": "array", "prefixItems": [pair, pair], "minItems": 2, "maxItems": 2}
    assert schema_of(_Two)["properties"]["whole"] == {"type": "object", "additionalProperties": whole}
    assert schema_of(_Two)["required"] == ["whole", "rest"]
    stored = schema_of(Stored(_Two, ahead={"version": Literal[1]}, rare=("rest",)))
    assert (stored["properties"]["version"], stored["required"]) == ({"const": 1}, ["version", "whole"])
    assert "required" not in schema_of(Stored(_Two, rare=None))


def test_texts_below_fields_are_their_meaning() -> None:
    assert schema_of(RetentionPolicy)["properties"]["newest"]["description"].startswith("So many of the newest")
    assert schema_of(Cell)["description"] == "A test on one arch."


def test_what_several_documents_have_is_written_once() -> None:
    made = schemas({"one": Document("1", Sequence[Cell]), "two": Document("2", Mapping[str, Cell])})
    assert made["one"]["items"] == made["two"]["additionalProperties"] == {"$ref": "common.json#/$defs/cell"}
    assert set(made["common"]["$defs"]) == {"cell"}
    assert "$defs" not in made["one"]


def test_two_types_of_one_name_are_refused() -> None:
    other = type("Cell", (Record,), {"__annotations__": {}})
    with pytest.raises(TypeError, match="one name: cell"):
        schemas({"one": Document("1", Sequence[Cell]), "two": Document("2", Sequence[other])})  # type: ignore[valid-type]
