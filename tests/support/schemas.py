# SPDX-License-Identifier: Apache-2.0
"""The JSON Schemas of docs/schemas, and validation of documents against them."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"
NAMES = sorted(file.stem for file in SCHEMAS.glob("*.json"))


@cache
def schema(name: str) -> Any:
    """The schema `docs/schemas/NAME.json`."""
    return json.loads((SCHEMAS / f"{name}.json").read_text())


@cache
def _registry() -> Registry[Any]:
    return Registry().with_resources((f"{name}.json", Resource.from_contents(schema(name))) for name in NAMES)


def complaints(name: str, document: Any) -> list[str]:
    """Violations of the schema in `document`; none: it is valid."""
    validator = Draft202012Validator(schema(name), registry=_registry())
    return [f"{error.json_path}: {error.message[:300]}" for error in validator.iter_errors(document)]
