# SPDX-License-Identifier: Apache-2.0
"""One expectation file as text with the place of every entry, and what belongs to an entry."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from ruamel.yaml.events import MappingStartEvent, ScalarEvent

from core.edits.operations import Refused
from core.edits.yaml.nodes import QUOTES, Node, YamlEvent, build, end_offset, nodes_in, read_events
from core.sources import ROOT_KEY

BOM = "\ufeff"

# A key that is commented out, with the fields below it, is an entry of its own.
_COMMENTED_KEY = re.compile(r"#(\s*)\S+/(?:pytorch|jax)\S*:\s*(?:#.*)?$")


@dataclass(frozen=True, slots=True)
class Block:
    """One entry: the span of its lines from the key to the last value, and what the parser saw there."""

    id: str
    start: int
    end: int
    key_start: int
    """Offset of the key, after its indent."""
    line: int
    """1-based, of the key."""
    key: Sequence[YamlEvent]
    value: Sequence[YamlEvent]

    def nodes(self, text: str) -> tuple[Node, Node]:
        """Key and value with offsets from `start`. Raises Refused where they nest too deeply."""
        return build(self.key, text, origin=self.start), build(self.value, text, origin=self.start)


@dataclass(frozen=True, slots=True)
class Document:
    """A file without its byte order mark. Offsets count characters of `text`."""

    text: str
    bom: str
    newline: str
    frame: tuple[Sequence[YamlEvent], Sequence[YamlEvent]]
    """The events before and after the value of `test_config`."""
    entries: Sequence[YamlEvent]
    """The start of the mapping of entries, or the null in its place."""
    header_end: int
    """Offset after the line of the `test_config` key."""
    end: int
    """Offset at which an entry goes that is to be the last."""
    root: str
    """The top-level key above the entries."""
    blocks: tuple[Block, ...]
    indent: int
    """Column of the keys."""
    step: int
    """Spaces from a key to its fields."""


def read_document(text: str, root: str = ROOT_KEY) -> Document:
    """Parse `text`, whose entries are below the key `root`. Raises Refused where none of them could be edited."""
    body = text.removeprefix(BOM)
    events = read_events(body)
    if not events or not _is_block_mapping(events[0]):
        raise Refused(f"the file has no top-level key {root}")
    # Offsets of nodes between the start and the end of the top-level mapping.
    spans = [(start + 1, end + 1) for start, end in nodes_in(events[1:-1])]
    pairs = zip(spans[::2], spans[1::2], strict=True)
    found = [(key, value) for key, value in pairs if _text(events[key[0]]) == root]
    if len(found) != 1:
        many = f"the top-level key {root} {len(found)} times" if found else f"no top-level key {root}"
        raise Refused(f"the file has {many}")
    (key_at, _), (start, stop) = found[0]
    first = events[start]
    absent = isinstance(first, ScalarEvent) and first.start_mark.index == first.end_mark.index
    if not absent and not _is_block_mapping(first):
        line = first.start_mark.line + 1
        raise Refused(f"{root} must be a mapping with one entry below the other", line)
    blocks = tuple(_blocks(body, events[start + 1 : stop - 1]))
    indent = blocks[0].key_start - blocks[0].start if blocks else 2
    header_end = _line_end(body, events[key_at].end_mark.index)
    return Document(
        body,
        text[: len(text) - len(body)],
        "\r\n" if body.count("\r\n") * 2 > body.count("\n") else "\n",
        (events[:start], events[stop:]),
        events[start : start + 1],
        header_end,
        _entries_end(body, blocks[-1].end if blocks else header_end),
        root,
        blocks,
        indent,
        _step(body, blocks, indent),
    )


def quote_of(document: Document, field: str) -> str:
    """The quote that most texts of `field`, or most items of its lists, have in this file; empty: none."""
    counts: Counter[str] = Counter()
    for block in document.blocks:
        events = block.value
        for at, event in enumerate(events):
            if type(event) is ScalarEvent and event.value == field:
                following = (one for one in events[at + 1 : at + 3] if type(one) is ScalarEvent)
                counts.update(one.style or "" for one in islice(following, 1))
    most = counts.most_common(1)
    return most[0][0] if most and most[0][0] in QUOTES else ""


def extent(document: Document, index: int) -> tuple[int, int]:
    """Span of entry `index` with the comments that belong to it.

    Above: the comment lines that touch its key, without banners and entries that are commented out.
    Below: the comment lines that are deeper than its key.
    """
    block, blocks = document.blocks[index], document.blocks
    floor = _below(document, blocks[index - 1], block.start) if index else document.header_end
    limit = blocks[index + 1].start if index + 1 < len(blocks) else len(document.text)
    return _above(document.text, floor, block.start), _below(document, block, limit)


def spacing(document: Document) -> int:
    """Blank lines that most entries of the file have before them."""
    gaps = Counter(
        sum(not line.strip() for line in document.text[before.end : block.start].split("\n")[:-1])
        for before, block in zip(document.blocks, document.blocks[1:], strict=False)
    )
    return gaps.most_common(1)[0][0] if gaps else 1


def lines_between(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Spans of the lines from `start` to `end`, both at line starts or at the end of the text."""
    while start < end:
        stop = _line_end(text, start)
        yield start, stop
        start = stop


def _blocks(text: str, entries: Sequence[YamlEvent]) -> Iterator[Block]:
    spans = list(nodes_in(entries))
    for (key_at, key_end), (value_at, value_end) in zip(spans[::2], spans[1::2], strict=True):
        key, value = entries[key_at:key_end], entries[value_at:value_end]
        mark = key[0].start_mark
        start = text.rfind("\n", 0, mark.index) + 1
        end = _line_end(text, max(end_offset(text, key), end_offset(text, value)))
        yield Block(_text(key[0]), start, end, mark.index, mark.line + 1, key, value)


def _is_block_mapping(event: YamlEvent) -> bool:
    return isinstance(event, MappingStartEvent) and not event.flow_style


def _text(event: YamlEvent) -> str:
    return str(event.value) if isinstance(event, ScalarEvent) else ""


def _step(text: str, blocks: tuple[Block, ...], indent: int) -> int:
    for block in blocks:
        if _is_block_mapping(block.value[0]):
            first = int(block.value[1].start_mark.index)
            return max(first - text.rfind("\n", 0, first) - 1 - indent, 1)
    return 2


def _entries_end(text: str, last: int) -> int:
    """After the comments that end the file; before anything else that follows."""
    end = last
    for start, stop in lines_between(text, last, len(text)):
        line = text[start:stop].strip()
        if line.startswith("#"):
            end = stop
        elif line:
            return last
    return end


def _above(text: str, floor: int, start: int) -> int:
    lines: list[int] = []
    top = start
    while top > floor:
        before = text.rfind("\n", 0, top - 1) + 1
        if not text[before:top].lstrip(" ").startswith("#"):
            break
        lines.append(before)
        top = before
    lines.reverse()
    theirs = _foreign([text[line : _line_end(text, line)].strip() for line in lines])
    return [*lines, start][theirs]


def _foreign(comments: list[str]) -> int:
    """How many of the comment lines above a key belong to something else."""
    count = 0
    fields_deeper_than: int | None = None
    for index, comment in enumerate(comments):
        body = comment[1:]
        if match := _COMMENTED_KEY.match(comment):
            fields_deeper_than = len(match[1])
            count = index + 1
        elif fields_deeper_than is not None and len(body) - len(body.lstrip()) > fields_deeper_than:
            count = index + 1
        else:
            fields_deeper_than = None
            if len(body) > 2 and not any(map(str.isalnum, body)):
                count = index + 1
    return count


def _below(document: Document, block: Block, limit: int) -> int:
    text, end = document.text, block.end
    for start, stop in lines_between(text, block.end, limit):
        line = text[start:stop]
        bare = line.lstrip(" ")
        if bare.startswith("#") and len(line) - len(bare) > block.key_start - block.start:
            end = stop
        elif bare.strip():
            break
    return end


def _line_end(text: str, offset: int) -> int:
    end = text.find("\n", offset)
    return len(text) if end < 0 else end + 1
