# SPDX-License-Identifier: Apache-2.0
"""`docs/json.md`: every field of every JSON document with its form and meaning, from the schemas."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.schemas import COMMON, Schema, schemas

_WORDS = {"string": "text", "boolean": "true or false", "integer": "integer", "number": "number", "null": "null"}


def json_page() -> str:
    """A section for each schema, and one for the parts that several share."""
    made = schemas()
    parts = made.pop(COMMON)
    lines = [
        "# JSON",
        "",
        "Every field of every JSON document, and the command that prints it. Made by `make reference` from `core/cli/records`; do not edit. The",
        "same as JSON Schemas is in [schemas/](schemas/); formats that are files are also described in [formats.md](formats.md).",
        "",
    ]
    for name, schema in made.items():
        lines += [f"## {name}", "", f"{schema['title']}. Schema: [{name}](schemas/{name}.json).", ""]
        lines += _body(schema)
    lines += ["## Parts", "", "What several documents share.", ""]
    for name, schema in parts["$defs"].items():
        lines += _part(name, schema)
    return "\n".join(lines)


def _body(schema: Schema) -> Iterator[str]:
    if "properties" in schema:
        yield from _fields(schema)
    else:
        yield from (f"{_form(schema)[:1].upper()}{_form(schema)[1:]}.", "")
    for name, part in schema.get("$defs", {}).items():
        yield from _part(name, part)


def _part(name: str, schema: Schema) -> Iterator[str]:
    yield from (f"### {name}", "")
    if about := schema.get("description"):
        yield from (about, "")
    if "properties" in schema:
        yield from _fields(schema)
    else:
        yield from (f"{_form(schema)[:1].upper()}{_form(schema)[1:]}.", "")


def _fields(schema: Schema) -> Iterator[str]:
    yield from ("| Field | Form | Meaning |", "|---|---|---|")
    required = schema.get("required", ())
    for name, field in schema["properties"].items():
        may = "" if name in required else "; may be absent"
        yield f"| `{name}` | {_form(field)}{may} | {field.get('description', '')} |"
    yield ""


def _form(schema: Mapping[str, Any]) -> str:
    """The form of a value in words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name})"
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return " ".join(f"`{one}`" for one in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(map(_form, schema["anyOf"]))
    kind = schema.get("type", "any value")
    if isinstance(kind, list):
        return " or ".join(_WORDS[one] for one in kind)
    if kind == "array":
        items = [*map(_form, schema["prefixItems"])] if "prefixItems" in schema else [_form(schema["items"])]
        return f"list of {' and '.join(items)}"
    if kind == "object":
        return _mapping(schema)
    least, most = schema.get("minimum"), schema.get("maximum")
    bounds = f", {least} to {most}" if most is not None else f", at least {least}" if least is not None else ""
    return f"{_WORDS.get(kind, kind)}{bounds}"


def _mapping(schema: Mapping[str, Any]) -> str:
    inner = _form(schema.get("additionalProperties", {}))
    names = f" by {_form(schema['propertyNames'])}" if "propertyNames" in schema else " by name"
    return f"{inner}{names}"
