# SPDX-License-Identifier: Apache-2.0
"""Read the expectation YAML: entries with their lines, and everything that is wrong with a file."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from core.base.errors import TTMatrixError
from core.base.files import read_text
from core.base.text import CONFLICT, conflict_line
from core.domain.model import Entry, Finding
from core.sources.checkout import Checkout
from core.sources.expectation_file import ExpectationFile
from core.sources.schema import Schema
from core.sources.stamps import Stamp, stamp_of
from core.sources.yaml_syntax import MOST_CHARACTERS, OutOfBounds, compose_yaml, too_long

ROOT_KEY = "test_config"
PLACEHOLDER_KEY = "PLACEHOLDER_MODELS"

CachedFiles = Mapping[str, tuple[Stamp | None, ExpectationFile]]
"""The result of an earlier reading, by file name."""


def read_expectations(
    checkout: Checkout, schema: Schema, known: CachedFiles | None = None
) -> tuple[ExpectationFile, ...]:
    """Every expectation file in the order upstream merges them (docs/rules.md 2.1). A broken one has only findings.

    A file with the same stamp as in `known` is not read again.
    """
    return tuple(
        _unless_known(checkout, path, schema, known or {})
        for directory in schema.config_directories
        for path in sorted((checkout.test_config / directory).glob("test_config_*.yaml"))
    )


def _unless_known(checkout: Checkout, path: Path, schema: Schema, known: CachedFiles) -> ExpectationFile:
    stamp, file = known.get(path.relative_to(checkout.test_config).as_posix(), (None, None))
    if file is not None and stamp is not None and stamp_of(path) == stamp:
        return file
    return _read_file(checkout, path, placeholder=path.name == schema.placeholders_filename)


def _read_file(checkout: Checkout, path: Path, *, placeholder: bool) -> ExpectationFile:
    name = path.relative_to(checkout.test_config).as_posix()
    try:
        if (size := path.stat().st_size) > MOST_CHARACTERS:
            # The file is not even loaded.
            return ExpectationFile(name, "", findings=(_yaml_finding(too_long(size), checkout.relative(path)),))
        return parse_expectations(read_text(path), name, checkout.relative(path), placeholder=placeholder)
    except OSError as error:
        finding = Finding("broken-yaml", f"Cannot be read: {error.strerror}", checkout.relative(path))
        return ExpectationFile(name, "", findings=(finding,))
    except TTMatrixError as error:
        finding = Finding("broken-yaml", f"{error.title}: {error.detail}", checkout.relative(path))
        return ExpectationFile(name, "", findings=(finding,))


def parse_expectations(text: str, name: str, path: str = "", *, placeholder: bool = False) -> ExpectationFile:
    """Parse one file. `name` is its path relative to test_config, `path` the one for findings.

    Duplicate keys are findings, and the last one counts, as in the validator's parser; the runner's parser rejects such
    a file.
    """
    path = path or name
    try:
        document = compose_yaml(text)
    except YAMLError as error:
        if line := conflict_line(text):
            return ExpectationFile(name, text, findings=(Finding("broken-yaml", CONFLICT, path, line),))
        return ExpectationFile(name, text, findings=(_yaml_finding(error, path),))
    try:
        return _read_document(document, name, path, text, placeholder=placeholder)
    except RecursionError:
        finding = Finding("broken-yaml", "An alias refers to itself or the file nests too deeply", path)
        return ExpectationFile(name, text, findings=(finding,))


def written_entries(text: str, name: str) -> tuple[Entry, ...]:
    """All entries of a file that can be edited: in a file of placeholders, the placeholders as entries."""
    try:
        document = compose_yaml(text)
    except YAMLError:
        return ()
    root = _child(document, ROOT_KEY) or _child(document, PLACEHOLDER_KEY)
    return tuple(_entries(root, name, name, [])) if isinstance(root, MappingNode) else ()


def _read_document(document: Node | None, name: str, path: str, text: str, *, placeholder: bool) -> ExpectationFile:
    findings: list[Finding] = []
    key = PLACEHOLDER_KEY if placeholder else ROOT_KEY
    root = _child(document, key)
    if document is not None and not isinstance(root, MappingNode) and not _is_null(root):
        findings.append(Finding("bad-value", f"No mapping under the top-level key {key}", path, 1, 1))
    if not isinstance(root, MappingNode):
        return ExpectationFile(name, text, findings=tuple(findings))
    if placeholder:
        # Upstream reads only two of their fields, and a placeholder may have none.
        return ExpectationFile(name, text, placeholders=tuple(_entries(root, name, path, [])))
    entries = tuple(_entries(root, name, path, findings))
    return ExpectationFile(name, text, entries, findings=tuple(findings))


def _entries(root: MappingNode, name: str, path: str, findings: list[Finding]) -> Iterator[Entry]:
    seen: dict[str, int] = {}
    for key, value in root.value:
        identifier = str(key.value)
        line = key.start_mark.line + 1
        if identifier in seen:
            message = f"Is twice in this file, first on line {seen[identifier]}; the runner rejects this"
            findings.append(Finding("duplicate-key", message, path, line, key.start_mark.column + 1, identifier))
        seen[identifier] = line
        fields: dict[str, object] = {}
        places: dict[tuple[str, ...], tuple[int, int]] = {(): _place(key)}
        if isinstance(value, MappingNode):
            fields = _mapping(value, path, identifier, findings)
            places.update(_places(value))
        else:
            where = (path, line, key.start_mark.column + 1, identifier)
            findings.append(Finding("bad-value", "An entry must be a mapping of fields", *where))
        yield Entry(identifier, name, line, _last_line(key, value), fields, places)


def _places(node: MappingNode, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], tuple[int, int]]]:
    """The place of each key of a mapping and of each item of its lists, by path."""
    for key, value in node.value:
        at = (*above, str(key.value))
        yield at, _place(key)
        if isinstance(value, MappingNode):
            yield from _places(value, at)
        elif isinstance(value, SequenceNode):
            yield from (((*at, str(index)), _place(item)) for index, item in enumerate(value.value))


def _place(node: Node) -> tuple[int, int]:
    return int(node.start_mark.line) + 1, int(node.start_mark.column) + 1


def _mapping(node: MappingNode, path: str, identifier: str, findings: list[Finding]) -> dict[str, object]:
    values: dict[str, object] = {}
    for key, value in node.value:
        field = str(key.value)
        if field in values:
            message = f"Field {field!r} is twice in one mapping; the runner rejects this"
            mark = key.start_mark
            findings.append(Finding("duplicate-key", message, path, mark.line + 1, mark.column + 1, identifier))
        if isinstance(value, MappingNode):
            values[field] = _mapping(value, path, identifier, findings)
        else:
            values[field] = _plain(value)
    return values


def _plain(node: Node) -> object:
    """The Python value of a node by the tag that YAML 1.2 resolves; unknown tags stay text."""
    if isinstance(node, SequenceNode):
        return [_plain(item) for item in node.value]
    if isinstance(node, MappingNode):
        return {str(key.value): _plain(value) for key, value in node.value}
    text = str(node.value)
    match str(node.tag).rpartition(":")[2]:
        case "null":
            return None
        case "bool":
            return text.lower() in ("true", "yes", "on")
        case "int" | "float" as kind:
            return _number(text, kind)
        case _:
            return text


def _number(text: str, kind: str) -> object:
    try:
        return int(text.replace("_", ""), 0) if kind == "int" else float(text.replace("_", ""))
    except ValueError:
        lowered = text.lower().lstrip("+")
        special = {".inf": float("inf"), "-.inf": float("-inf"), ".nan": float("nan")}
        return special.get(lowered, text)


def _last_line(key: Node, value: Node) -> int:
    """1-based line of the last character; a block collection's own end mark is at the start of the next token."""
    if isinstance(value, MappingNode | SequenceNode) and value.value and not value.flow_style:
        last = value.value[-1]
        return _last_line(*last) if isinstance(value, MappingNode) else _last_line(last, last)
    if isinstance(value, ScalarNode) and value.style in ("|", ">"):
        return max(int(value.start_mark.line) + 1, int(value.end_mark.line))
    return max(int(key.end_mark.line), int(value.end_mark.line)) + 1


def _child(document: Node | None, name: str) -> Node | None:
    if isinstance(document, MappingNode):
        for key, value in document.value:
            if key.value == name:
                found: Node = value
                return found
    return None


def _is_null(node: Node | None) -> bool:
    return isinstance(node, ScalarNode) and str(node.tag).endswith(":null")


def _yaml_finding(error: YAMLError, path: str) -> Finding:
    if isinstance(error, OutOfBounds):
        return Finding("broken-yaml", f"Out of bounds: {error}", path)
    mark: Any = getattr(error, "problem_mark", None)
    reason = getattr(error, "problem", None) if isinstance(error, MarkedYAMLError) else None
    line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
    return Finding("broken-yaml", f"Not valid YAML: {reason or error}", path, line, column)
