# SPDX-License-Identifier: Apache-2.0
"""YAML text as a tree of nodes that know their exact span, anchor and tag."""

from collections.abc import Iterator, Sequence
from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple

from ruamel.yaml.cyaml import CSafeLoader
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    MappingStartEvent as MappingStart,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from ruamel.yaml.nodes import ScalarNode
from ruamel.yaml.resolver import Resolver

from core.edits.operations import Refused
from core.sources import refuse_unbounded

_DEPTHS = {MappingStartEvent: 1, SequenceStartEvent: 1, MappingEndEvent: -1, SequenceEndEvent: -1}

YamlEvent = Any
"""ruamel's parser events have no types."""


def read_events(text: str, first_line: int = 1) -> list[YamlEvent]:
    """The events of the one node that `text` (without a byte order mark) holds; none for an empty document.

    Raises Refused if it is not valid YAML or holds several documents.
    """
    try:
        refuse_unbounded(text)
        loader = CSafeLoader(text)
        try:
            found = list(iter(loader.get_event, None))
        finally:
            loader.dispose()
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" on line {first_line + mark.line}" if mark else ""
        raise Refused(f"not valid YAML{where}: {getattr(error, 'problem', None) or error}") from error
    later = [event for event in found[2:] if type(event) is DocumentStartEvent]
    if later:
        raise Refused(f"a second YAML document starts on line {first_line + later[0].start_mark.line}")
    # The first two and the last two events are the start and end of stream and document.
    return found[2:-2]


def nodes_in(events: Sequence[YamlEvent]) -> Iterator[tuple[int, int]]:
    """The start and end index in `events` of each of several consecutive nodes."""
    depth = start = 0
    for at, event in enumerate(events, 1):
        depth += _DEPTHS.get(type(event), 0)
        if not depth:
            yield start, at
            start = at


def says_same(one: Sequence[YamlEvent], other: Sequence[YamlEvent]) -> bool:
    """Whether two sequences of events have the same content, whatever their layout and quotes."""
    return len(one) == len(other) and all(map(_same, one, other))


def end_offset(text: str, events: Sequence[YamlEvent]) -> int:
    """Offset after the last character that belongs to `events`.

    libyaml ends a block collection at the token after it, and a block scalar after the blank lines that follow it.
    """
    for event in reversed(events):
        start, end = event.start_mark.index, event.end_mark.index
        if isinstance(event, CollectionEndEvent) and start == end:
            continue
        if isinstance(event, ScalarEvent) and event.style in ("|", ">"):
            return int(start + len(text[start:end].rstrip()))
        return int(end)
    return 0


def _same(one: YamlEvent, other: YamlEvent) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, ScalarEvent):
        if one.value != other.value or one.implicit != other.implicit:
            return False
    elif not isinstance(one, AliasEvent | CollectionStartEvent):
        return True
    elif isinstance(one, AliasEvent):
        return bool(one.anchor == other.anchor)
    # With an explicit tag, `implicit` is always false.
    return bool(one.anchor == other.anchor and one.tag == other.tag)


NULL = "tag:yaml.org,2002:null"
STR = "tag:yaml.org,2002:str"
MAPPING = "tag:yaml.org,2002:map"
SEQUENCE = "tag:yaml.org,2002:seq"
MERGE = "tag:yaml.org,2002:merge"
DASH = "-"
"""The tag of the dash before an item of a list, which is not a real node."""


QUOTES = ("'", '"')
_PLAIN, _QUOTED = (True, False), (False, True)
"""`implicit` of libyaml for scalars whose tag follows from their text, and for those that can only be text."""


class NodeKind(Enum):
    """What a node is."""

    SCALAR = "scalar"
    SEQUENCE = "list"
    MAPPING = "mapping"
    ALIAS = "alias"


class Node(NamedTuple):
    """One value in the text it was parsed from. A tuple, because thousands are made at a time."""

    kind: NodeKind
    start: int
    """Offset of its first character, an anchor or a tag included."""
    end: int
    """Offset after its own last character; libyaml ends a block collection at the next token instead."""
    line: int
    """1-based."""
    tag: str
    """The tag that YAML 1.2 resolves."""
    text: str = ""
    """A scalar's content, an alias's name."""
    style: str = ""
    """A scalar's `'`, `"`, `|` or `>`; `flow` for a collection in brackets or braces; else empty."""
    items: tuple["Node", ...] = ()
    """The items of a list, or the values of a mapping."""
    keys: tuple["Node", ...] = ()
    """The keys of a mapping, one for each item."""
    anchor: str = ""
    tagged: bool = False
    """Whether the tag is explicit."""

    @property
    def is_null(self) -> bool:
        return self.kind is NodeKind.SCALAR and self.tag == NULL

    @property
    def is_absent(self) -> bool:
        """Nothing is written at all, as in `key:`."""
        return self.is_null and self.start == self.end


def parse(text: str, first_line: int = 1) -> Node | None:
    """The one document in `text` (without a byte order mark); None for an empty one.

    Raises Refused if it is not valid YAML or holds several documents.
    """
    events = read_events(text, first_line)
    return build(events, text, first_line) if events else None


def build(events: Sequence[YamlEvent], text: str, first_line: int = 1, origin: int = 0) -> Node:
    """The single node that `events` describe. Its offsets count from `origin`, an offset in `text`. Raises Refused."""
    try:
        return _Builder(iter(events), text, first_line, origin).node()
    except RecursionError as error:
        raise Refused("the YAML nests too deeply") from error


def dash_at(offset: int, line: int) -> Node:
    """The dash before an item of a list, used in place of a key."""
    return Node(NodeKind.SCALAR, offset, offset + 1, line, DASH)


def walk(node: Node) -> Iterator[Node]:
    """`node` and everything below it."""
    yield node
    for child in (*node.keys, *node.items):
        yield from walk(child)


def refuse_shared(*nodes: Node) -> None:
    """Raise Refused if one of `nodes` has an anchor, is an alias, or has an explicit tag."""
    for node in nodes:
        if node.kind is NodeKind.ALIAS:
            raise Refused(f"an alias (*{node.text}) is in the way; edit it by hand", node.line)
        if node.anchor:
            raise Refused(f"an anchor (&{node.anchor}) is in the way; edit it by hand", node.line)
        if node.tagged:
            raise Refused(f"a tag ({node.tag}) is in the way; edit it by hand", node.line)


_RESOLVER = Resolver()


def tag_of(event: YamlEvent) -> str:
    """The tag that YAML 1.2 resolves for the node that starts with `event`."""
    if event.tag:
        return str(event.tag)
    if isinstance(event, ScalarEvent):
        return STR if event.implicit == _QUOTED else _plain_tag(event.value)
    return MAPPING if isinstance(event, MappingStart) else SEQUENCE


@lru_cache(maxsize=4096)
def _plain_tag(text: str) -> str:
    return str(_RESOLVER.resolve(ScalarNode, text, _PLAIN))


class _Builder:
    """Turns the parser's events into nodes; a composed tree would have lost the anchors."""

    def __init__(self, events: Iterator[YamlEvent], text: str, first_line: int, origin: int) -> None:
        self._events = events
        self._text = text
        self._first_line = first_line
        self._origin = origin

    def node(self) -> Node:
        return self._node(next(self._events))

    def _node(self, event: YamlEvent) -> Node:
        if isinstance(event, ScalarEvent):
            return self._scalar(event)
        if isinstance(event, AliasEvent):
            start, end = event.start_mark.index - self._origin, event.end_mark.index - self._origin
            line = self._first_line + event.start_mark.line
            return Node(NodeKind.ALIAS, start, end, line, "", event.anchor)
        return self._collection(event)

    def _scalar(self, event: YamlEvent) -> Node:
        style, tag = event.style or "", event.tag
        end = end_offset(self._text, (event,)) if style in ("|", ">") else event.end_mark.index
        return Node(
            NodeKind.SCALAR,
            event.start_mark.index - self._origin,
            end - self._origin,
            self._first_line + event.start_mark.line,
            tag or tag_of(event),
            event.value,
            style,
            anchor=event.anchor or "",
            tagged=tag is not None,
        )

    def _collection(self, event: YamlEvent) -> Node:
        mapping = isinstance(event, MappingStart)
        children: list[Node] = []
        while not isinstance(following := next(self._events), CollectionEndEvent):
            children.append(self._node(following))
        end = following.end_mark.index - self._origin
        return Node(
            NodeKind.MAPPING if mapping else NodeKind.SEQUENCE,
            event.start_mark.index - self._origin,
            end if event.flow_style or not children else children[-1].end,
            self._first_line + event.start_mark.line,
            tag_of(event),
            style="flow" if event.flow_style else "",
            items=tuple(children[1::2] if mapping else children),
            keys=tuple(children[::2]) if mapping else (),
            anchor=event.anchor or "",
            tagged=event.tag is not None,
        )
