# SPDX-License-Identifier: Apache-2.0
"""A file as text with the span of every entry, including the comments that belong to it."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice, pairwise

from ruamel.yaml.events import AliasEvent, MappingStartEvent, ScalarEvent

from core.edits.operations import Refused
from core.edits.yaml.meaning import Meaning, meaning_at
from core.edits.yaml.nodes import DASH, QUOTES, Node, YamlEvent, build, dash_at, end_offset, nodes_in, read_events
from core.sources import ROOT_KEY

BOM = "\ufeff"

# A commented-out key, with the fields below it, counts as an entry of its own.
_COMMENTED_KEY = re.compile(r"#(\s*)\S+/(?:pytorch|jax)\S*:\s*(?:#.*)?$")


@dataclass(frozen=True, slots=True)
class Block:
    """One entry: the span of its lines from the key to the last value, and the parser's events there.

    An item of a list has its dash in place of a key.
    """

    id: str
    start: int
    end: int
    key_start: int
    """Offset of the key or dash, after its indent."""
    line: int
    """1-based, of the key."""
    key: Sequence[YamlEvent]
    """Empty for an item of a list."""
    value: Sequence[YamlEvent]

    apart: bool = False
    """Whether it is outside the collection of entries: the defaults of a manifest."""

    @property
    def is_item(self) -> bool:
        return not self.key

    def nodes(self, text: str) -> tuple[Node, Node]:
        """Key and value with offsets from `start`. Raises Refused if they nest too deeply."""
        value = build(self.value, text, origin=self.start)
        if self.is_item:
            return dash_at(self.key_start - self.start, self.line), value
        return build(self.key, text, origin=self.start), value

    def meanings(self) -> tuple[Meaning, Meaning]:
        """The meanings of key and value. Raises Refused as `nodes`."""
        return Meaning(DASH) if self.is_item else meaning_at(self.key), meaning_at(self.value)


@dataclass(frozen=True, slots=True)
class Listing:
    """Places in a manifest of op tests, whose cases are items of a list."""

    model: str
    name: str
    """Path of the file."""
    key_end: int
    """Offset after the colon of the key above the cases."""
    empty: bool
    """Whether the list is written as `[]`."""
    apart_at: int
    """Offset of the line at which a block of defaults is inserted."""


@dataclass(frozen=True, slots=True)
class Document:
    """A file without its byte order mark. Offsets count characters of `text`."""

    text: str
    bom: str
    newline: str
    frame: tuple[Sequence[YamlEvent], ...]
    """The events around the entries."""
    entries: Sequence[YamlEvent]
    """The start of the collection of entries, or the null in its place."""
    header_end: int
    """Offset after the line of the key `root` above the entries."""
    end: int
    """Offset at which a new last entry is inserted."""
    blocks: tuple[Block, ...]
    """In file order."""
    indent: int
    """Column of the keys."""
    step: int
    """Spaces from a key to its fields."""
    reread: "Callable[[str], Document]"
    """Reads another text of the same kind."""
    listing: Listing | None = None
    """None: the entries are a mapping."""


def read_document(text: str, root: str = ROOT_KEY) -> Document:
    """Parse `text`, whose entries are below the key `root`. Raises Refused if none of them can be edited."""
    body = text.removeprefix(BOM)
    events = read_events(body)
    if not events or not is_block_mapping(events[0]):
        raise Refused(f"the file has no top-level key {root}")
    # Offsets of nodes between the start and the end of the top-level mapping.
    spans = [(start + 1, end + 1) for start, end in nodes_in(events[1:-1])]
    pairs = zip(spans[::2], spans[1::2], strict=True)
    found = [(key, value) for key, value in pairs if text_of(events[key[0]]) == root]
    if len(found) != 1:
        many = f"the top-level key {root} {len(found)} times" if found else f"no top-level key {root}"
        raise Refused(f"the file has {many}")
    (key_at, _), (start, stop) = found[0]
    first = events[start]
    if not is_absent(first) and not is_block_mapping(first):
        line = first.start_mark.line + 1
        raise Refused(f"{root} must be a mapping with one entry below the other", line)
    _refuse_unreadable(events)
    blocks = tuple(_blocks(body, events[start + 1 : stop - 1]))
    indent = blocks[0].key_start - blocks[0].start if blocks else 2
    header_end = line_end(body, events[key_at].end_mark.index)
    return Document(
        body,
        text[: len(text) - len(body)],
        newline_of(body),
        (events[:start], events[stop:]),
        events[start : start + 1],
        header_end,
        entries_end(body, blocks[-1].end if blocks else header_end),
        blocks,
        indent,
        _step(body, blocks, indent),
        partial(read_document, root=root),
    )


def _refuse_unreadable(events: Sequence[YamlEvent]) -> None:
    """Raise Refused for an alias without its anchor and for an anchor that is defined twice: no parser takes these."""
    anchors: set[str] = set()
    for event in events:
        name = getattr(event, "anchor", None)
        if name is None:
            continue
        line = event.start_mark.line + 1
        if isinstance(event, AliasEvent):
            if name not in anchors:
                raise Refused(f"the alias *{name} has no anchor before it", line)
        elif name in anchors:
            raise Refused(f"the anchor &{name} is defined twice", line)
        anchors.add(name)


def quote_of(document: Document, field: str) -> str:
    """The quote around most texts of `field`, or around most items of its lists, in this file; empty: none."""
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


def spacing(document: Document, otherwise: int = 1) -> int:
    """Blank lines before most entries of the file; `otherwise` if the file does not show it."""
    gaps = Counter(
        sum(not line.strip() for line in document.text[before.end : block.start].split("\n")[:-1])
        for before, block in pairwise(document.blocks)
        if not (before.apart or block.apart)
    )
    return gaps.most_common(1)[0][0] if gaps else otherwise


def newline_of(text: str) -> str:
    """The most frequent line end in `text`."""
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"


def is_absent(event: YamlEvent) -> bool:
    """Whether no value is written, as in `key:`."""
    return isinstance(event, ScalarEvent) and event.start_mark.index == event.end_mark.index


def lines_between(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Spans of the lines from `start` to `end`, both at line starts or at the end of the text."""
    while start < end:
        stop = line_end(text, start)
        yield start, stop
        start = stop


def _blocks(text: str, entries: Sequence[YamlEvent]) -> Iterator[Block]:
    spans = list(nodes_in(entries))
    for (key_at, key_end), (value_at, value_end) in zip(spans[::2], spans[1::2], strict=True):
        key, value = entries[key_at:key_end], entries[value_at:value_end]
        mark = key[0].start_mark
        start = text.rfind("\n", 0, mark.index) + 1
        end = line_end(text, max(end_offset(text, key), end_offset(text, value)))
        yield Block(text_of(key[0]), start, end, mark.index, mark.line + 1, key, value)


def is_block_mapping(event: YamlEvent) -> bool:
    """Whether `event` starts a mapping that is not in braces."""
    return isinstance(event, MappingStartEvent) and not event.flow_style


def text_of(event: YamlEvent) -> str:
    """The content of a scalar; empty for anything else."""
    return str(event.value) if isinstance(event, ScalarEvent) else ""


def _step(text: str, blocks: tuple[Block, ...], indent: int) -> int:
    for block in blocks:
        if is_block_mapping(block.value[0]):
            first = int(block.value[1].start_mark.index)
            return max(first - text.rfind("\n", 0, first) - 1 - indent, 1)
    return 2


def entries_end(text: str, last: int) -> int:
    """The offset after the comments that end the entries, before anything else that follows."""
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
    theirs = _foreign([text[line : line_end(text, line)].strip() for line in lines])
    return [*lines, start][theirs]


def _foreign(comments: list[str]) -> int:
    """The number of comment lines above a key that belong to something else."""
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


def line_end(text: str, offset: int) -> int:
    """Offset after the line that `offset` is on."""
    end = text.find("\n", offset)
    return len(text) if end < 0 else end + 1
