# SPDX-License-Identifier: Apache-2.0
"""The objects of preset files as they are written: each key with its place, also keys that nothing reads."""

import json
from collections.abc import Iterator
from typing import NamedTuple

from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, SequenceNode

from core.base.errors import TTMatrixError
from core.base.files import read_text
from core.sources.checkout import Checkout
from core.sources.yaml_syntax import compose_yaml


class WrittenKey(NamedTuple):
    """One key of an object, with its value as JSON gives it."""

    name: str
    value: object
    line: int
    column: int


class WrittenObject(NamedTuple):
    """One object of a preset file."""

    file: str
    """The name of the preset file."""
    number: int
    """Position in that file, from 0: the `index` of its `Job`."""
    line: int
    keys: tuple[WrittenKey, ...]

    def place(self, name: str) -> tuple[int, int]:
        """Line and column of a key; those of the object if it lacks the key."""
        return next(((one.line, one.column) for one in self.keys if one.name == name), (self.line, 0))

    def get(self, name: str) -> object:
        """The value of a key, as JSON decides between two of the same name: the last one."""
        return {one.name: one.value for one in self.keys}.get(name)


def written_objects(checkout: Checkout) -> Iterator[WrittenObject]:
    """The objects of every preset, by file and position. A file that is no JSON list has none."""
    for path in sorted(checkout.presets.glob("*.json")):
        try:
            text = read_text(path)
            document = json.loads(text, object_pairs_hook=_Pairs)
        except (TTMatrixError, ValueError, RecursionError):
            continue
        if isinstance(document, list):
            yield from _objects(path.name, document, _items(text))


class _Pairs(list[tuple[str, object]]):
    """The keys and values of a JSON object, repeated ones too."""


def _objects(file: str, document: list[object], items: list[Node]) -> Iterator[WrittenObject]:
    for index, pairs in enumerate(document):
        if isinstance(pairs, _Pairs):
            node = items[index] if index < len(items) else None
            keys = node.value if isinstance(node, MappingNode) else []
            places = [(key.start_mark.line + 1, key.start_mark.column + 1) for key, _ in keys]
            places = places if len(places) == len(pairs) else [(0, 0)] * len(pairs)
            line = node.start_mark.line + 1 if node is not None else 0
            written = (WrittenKey(name, value, *at) for (name, value), at in zip(pairs, places, strict=True))
            yield WrittenObject(file, index, line, tuple(written))


def _items(text: str) -> list[Node]:
    """The objects as nodes, for their places: JSON is YAML, unless it is written in an unusual way."""
    try:
        root = compose_yaml(text)
    except YAMLError:
        return []
    return root.value if isinstance(root, SequenceNode) else []
