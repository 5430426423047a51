# SPDX-License-Identifier: Apache-2.0
"""YAML text as a tree of nodes that know their exact span, anchor and tag."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from ruamel.yaml.cyaml import CSafeLoader
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    DocumentStartEvent,
    ScalarEvent,
    StreamEndEvent,
    StreamStartEvent,
)
from ruamel.yaml.events import MappingStartEvent as MappingStart
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from core.edits.operations import Refused

NULL = "tag:yaml.org,2002:null"
MERGE = "tag:yaml.org,2002:merge"


class Kind(Enum):
    """What a node is."""

    SCALAR = "scalar"
    SEQUENCE = "list"
    MAPPING = "mapping"
    ALIAS = "alias"


@dataclass(frozen=True, slots=True)
class Node:
    """One value in the text it was parsed from."""

    kind: Kind
    start: int
    """Offset of its first character, an anchor or a tag included."""
    end: int
    """Offset after its own last character; libyaml ends a block collection at the next token instead."""
    line: int
    """1-based."""
    tag: str
    """What YAML 1.2 resolves it to."""
    text: str = ""
    """A scalar's content, an alias's name."""
    style: str = ""
    """A scalar's `'`, `"`, `|` or `>`; `flow` for a collection in brackets or braces; else empty."""
    items: tuple["Node", ...] = ()
    """Of a list, or the values of a mapping."""
    keys: tuple["Node", ...] = ()
    """Of a mapping, one for each item."""
    anchor: str = ""
    tagged: bool = False
    """Whether a tag is written out."""

    @property
    def is_null(self) -> bool:
        return self.kind is Kind.SCALAR and self.tag == NULL

    @property
    def is_absent(self) -> bool:
        """Nothing is written at all, as in `key:`."""
        return self.is_null and self.start == self.end


def parse(text: str, first_line: int = 1) -> Node | None:
    """The one document in `text` (without a byte order mark); None for an empty one.

    Raises Refused where it is not valid YAML or holds several documents.
    """
    try:
        loader = CSafeLoader(text)
        try:
            return _Builder(loader, text, first_line).document()
        finally:
            loader.dispose()
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" on line {first_line + mark.line}" if mark else ""
        raise Refused(f"not valid YAML{where}: {getattr(error, 'problem', None) or error}") from error
    except RecursionError as error:
        raise Refused("the YAML nests too deeply") from error


def walk(node: Node) -> Iterator[Node]:
    """`node` and everything below it."""
    yield node
    for child in (*node.keys, *node.items):
        yield from walk(child)


def refuse_shared(*nodes: Node) -> None:
    """Raise Refused where one of `nodes` is tied to another place, or has a tag written out."""
    for node in nodes:
        if node.kind is Kind.ALIAS:
            raise Refused(f"line {node.line}: an alias (*{node.text}) is in the way; edit it by hand")
        if node.anchor:
            raise Refused(f"line {node.line}: an anchor (&{node.anchor}) is in the way; edit it by hand")
        if node.tagged:
            raise Refused(f"line {node.line}: a tag ({node.tag}) is in the way; edit it by hand")


class _Builder:
    """Turns the parser's events into nodes, which keeps anchors that a composed tree has lost."""

    def __init__(self, loader: Any, text: str, first_line: int) -> None:
        self._loader = loader
        self._text = text
        self._first_line = first_line

    def document(self) -> Node | None:
        next_event = self._loader.get_event
        assert isinstance(next_event(), StreamStartEvent)
        if isinstance(next_event(), StreamEndEvent):
            return None
        root = self._node(next_event())
        next_event()
        extra = next_event()
        if isinstance(extra, DocumentStartEvent):
            line = self._first_line + extra.start_mark.line
            raise Refused(f"a second YAML document starts on line {line}")
        return root

    def _node(self, event: Any) -> Node:
        if isinstance(event, ScalarEvent):
            return self._scalar(event)
        if isinstance(event, AliasEvent):
            start, end = event.start_mark.index, event.end_mark.index
            line = self._first_line + event.start_mark.line
            return Node(Kind.ALIAS, start, end, line, "", self._text[start + 1 : end])
        return self._collection(event)

    def _scalar(self, event: Any) -> Node:
        start, end = event.start_mark.index, event.end_mark.index
        tag = event.tag or self._loader.resolve(ScalarNode, event.value, event.implicit)
        if event.style in ("|", ">"):
            # A block scalar's mark runs on to the next token.
            end = start + len(self._text[start:end].rstrip())
        return Node(
            Kind.SCALAR,
            start,
            end,
            self._first_line + event.start_mark.line,
            str(tag),
            event.value,
            event.style or "",
            anchor=event.anchor or "",
            tagged=event.tag is not None,
        )

    def _collection(self, event: Any) -> Node:
        mapping = isinstance(event, MappingStart)
        children: list[Node] = []
        while not isinstance(following := self._loader.get_event(), CollectionEndEvent):
            children.append(self._node(following))
        tag = event.tag or self._loader.resolve(MappingNode if mapping else SequenceNode, None, event.implicit)
        return Node(
            Kind.MAPPING if mapping else Kind.SEQUENCE,
            event.start_mark.index,
            following.end_mark.index if event.flow_style or not children else children[-1].end,
            self._first_line + event.start_mark.line,
            str(tag),
            style="flow" if event.flow_style else "",
            items=tuple(children[1::2] if mapping else children),
            keys=tuple(children[::2]) if mapping else (),
            anchor=event.anchor or "",
            tagged=event.tag is not None,
        )
