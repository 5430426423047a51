# SPDX-License-Identifier: Apache-2.0
"""YAML text as the flat list of its parser's events: all that a whole file needs before one entry is looked at."""

from collections.abc import Iterator, Sequence
from typing import Any

from ruamel.yaml.cyaml import CSafeLoader
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from core.edits.operations import Refused
from core.sources.yaml_syntax import refuse_unbounded

_DEPTHS = {MappingStartEvent: 1, SequenceStartEvent: 1, MappingEndEvent: -1, SequenceEndEvent: -1}

Event = Any
"""ruamel's parser events carry no types of their own."""


def read_events(text: str, first_line: int = 1) -> list[Event]:
    """The events of the one node that `text` (without a byte order mark) holds; none for an empty document.

    Raises Refused where it is not valid YAML or holds several documents.
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
    # Around the node stand the starts and ends of stream and document.
    return found[2:-2]


def nodes_in(events: Sequence[Event]) -> Iterator[tuple[int, int]]:
    """Where each of several nodes that follow each other starts and ends in `events`."""
    depth = start = 0
    for at, event in enumerate(events, 1):
        depth += _DEPTHS.get(type(event), 0)
        if not depth:
            yield start, at
            start = at


def says_same(one: Sequence[Event], other: Sequence[Event]) -> bool:
    """Whether two stretches of events have the same content, whatever their layout and quotes."""
    return len(one) == len(other) and all(map(_same, one, other))


def end_offset(text: str, events: Sequence[Event]) -> int:
    """Offset after the last character that belongs to `events`.

    libyaml ends a block collection at the token after it, and a block scalar behind the blank lines after it.
    """
    for event in reversed(events):
        start, end = event.start_mark.index, event.end_mark.index
        if isinstance(event, CollectionEndEvent) and start == end:
            continue
        if isinstance(event, ScalarEvent) and event.style in ("|", ">"):
            return int(start + len(text[start:end].rstrip()))
        return int(end)
    return 0


def _same(one: Event, other: Event) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, ScalarEvent):
        if one.value != other.value or one.implicit != other.implicit:
            return False
    elif not isinstance(one, AliasEvent | CollectionStartEvent):
        return True
    elif isinstance(one, AliasEvent):
        return bool(one.anchor == other.anchor)
    # With a tag written out nothing is implicit.
    return bool(one.anchor == other.anchor and one.tag == other.tag)
