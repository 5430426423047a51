# SPDX-License-Identifier: Apache-2.0
"""Parse YAML files to nodes within bounds: one that is too large or too deep must not block everything."""

import re

from ruamel.yaml.cyaml import CSafeLoader
from ruamel.yaml.error import YAMLError as YAMLError
from ruamel.yaml.events import CollectionEndEvent, CollectionStartEvent
from ruamel.yaml.nodes import MappingNode, Node, SequenceNode

MOST_CHARACTERS = 2 * 2**20
"""The longest file. Upstream's longest has 120 thousand."""
_MOST_DEPTH = 64
_MOST_NODES = 1_000_000
"""The most nodes of a file, counting those that aliases repeat."""
_FEW_BRACKETS = 1000
# A mapping or list may begin on the line of its parent, or one column further to the right. The first of the signs is
# apart from the others: `re` then looks for it alone, eight times as fast.
_MANY_BEGIN = re.compile(rf"[-?:][ \t]+(?:[-?:][ \t]+){{{_MOST_DEPTH // 2 - 1}}}")
_FAR_RIGHT = "\n" + " " * _MOST_DEPTH
_ALIAS = re.compile(r"(?:^|[\s\[{,:-])\*[^\s,\[\]{}*]", re.MULTILINE)


class OutOfBounds(YAMLError):
    """The text may be YAML, but is beyond the bounds of length, depth or number."""


def compose_yaml(text: str) -> Node | None:
    """The node tree of the one document in `text`; None for an empty one. Raises YAMLError, and its OutOfBounds."""
    refuse_unbounded(text)
    loader = CSafeLoader(text)
    try:
        node: Node | None = loader.get_single_node()
    finally:
        loader.dispose()
    if node is not None and _ALIAS.search(text):
        _Counted().size(node)
    return node


def refuse_unbounded(text: str) -> None:
    """Raise OutOfBounds if a parser would take very long for `text`."""
    if len(text) > MOST_CHARACTERS:
        raise too_long(len(text))
    many_brackets = text.count("[") + text.count("{") > _FEW_BRACKETS
    if many_brackets or _FAR_RIGHT in text or text.startswith(_FAR_RIGHT[1:]) or _MANY_BEGIN.search(text):
        _refuse_deep(text)


def too_long(length: int) -> OutOfBounds:
    """The error for a file of that length."""
    return OutOfBounds(f"it has {length:,} characters; at most {MOST_CHARACTERS:,} are read")


def _refuse_deep(text: str) -> None:
    """Run the parser only while the nesting is not too deep: with each token it examines all open levels."""
    loader = CSafeLoader(text)
    depth = 0
    try:
        while (event := loader.get_event()) is not None:
            depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
            if depth > _MOST_DEPTH:
                line = event.start_mark.line + 1
                raise OutOfBounds(f"it nests more than {_MOST_DEPTH} deep on line {line}")
    finally:
        loader.dispose()


class _Counted:
    """Counts nodes as often as aliases repeat them."""

    def __init__(self) -> None:
        self._known: dict[int, int] = {}

    def size(self, node: Node) -> int:
        """The number of nodes from `node` on. Raises OutOfBounds for too many, or for a node within itself."""
        known = self._known.get(id(node))
        if known == 0:
            raise OutOfBounds("an alias refers to itself")
        if known is not None:
            return known
        self._known[id(node)] = 0
        size = 1 + sum(map(self.size, _children(node)))
        if size > _MOST_NODES:
            raise OutOfBounds(f"its aliases make more than {_MOST_NODES:,} values of it")
        self._known[id(node)] = size
        return size


def _children(node: Node) -> list[Node]:
    if isinstance(node, MappingNode):
        return [one for pair in node.value for one in pair]
    return list(node.value) if isinstance(node, SequenceNode) else []
