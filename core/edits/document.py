# SPDX-License-Identifier: Apache-2.0
"""One expectation file as text with the place of every entry, and what belongs to an entry."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from core.edits.nodes import Kind, Node, parse
from core.edits.operations import Refused
from core.sources.expectations import ROOT_KEY

BOM = "\ufeff"

# A key that is commented out, with the fields below it, is an entry of its own.
_COMMENTED_KEY = re.compile(r"#(\s*)\S+/(?:pytorch|jax)\S*:\s*(?:#.*)?$")


@dataclass(frozen=True, slots=True)
class Block:
    """One entry: its nodes, and the span of its lines from the key to the last value."""

    key: Node
    value: Node
    start: int
    end: int

    @property
    def id(self) -> str:
        return self.key.text


@dataclass(frozen=True, slots=True)
class Document:
    """A file without its byte order mark. Offsets count characters of `text`."""

    text: str
    bom: str
    newline: str
    root: Node
    """The top-level mapping."""
    header_end: int
    """Offset after the line of the `test_config` key."""
    end: int
    """Offset at which an entry goes that is to be the last."""
    blocks: tuple[Block, ...]
    indent: int
    """Column of the keys."""
    step: int
    """Spaces from a key to its fields."""


def read_document(text: str) -> Document:
    """Parse `text`. Raises Refused where no entry of it could be edited."""
    body = text.removeprefix(BOM)
    root = parse(body)
    if root is None or root.kind is not Kind.MAPPING:
        raise Refused(f"the file has no top-level key {ROOT_KEY}")
    found = [pair for pair in zip(root.keys, root.items, strict=True) if pair[0].text == ROOT_KEY]
    if len(found) != 1:
        many = f"the top-level key {ROOT_KEY} {len(found)} times" if found else f"no top-level key {ROOT_KEY}"
        raise Refused(f"the file has {many}")
    key, entries = found[0]
    if not entries.is_absent and (entries.kind is not Kind.MAPPING or entries.style == "flow"):
        raise Refused(f"line {entries.line}: {ROOT_KEY} must be a mapping with one entry below the other")
    blocks = tuple(_blocks(body, entries))
    indent = blocks[0].key.start - blocks[0].start if blocks else 2
    header_end = _line_end(body, key.end)
    return Document(
        body,
        text[: len(text) - len(body)],
        "\r\n" if body.count("\r\n") * 2 > body.count("\n") else "\n",
        root,
        header_end,
        _entries_end(body, blocks[-1].end if blocks else header_end),
        blocks,
        indent,
        _step(body, blocks, indent),
    )


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


def _blocks(text: str, entries: Node) -> Iterator[Block]:
    for key, value in zip(entries.keys, entries.items, strict=True):
        start = text.rfind("\n", 0, key.start) + 1
        yield Block(key, value, start, _line_end(text, max(key.end, value.end)))


def _step(text: str, blocks: tuple[Block, ...], indent: int) -> int:
    for block in blocks:
        if block.value.kind is Kind.MAPPING and block.value.keys and block.value.style != "flow":
            first = block.value.keys[0].start
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
        if bare.startswith("#") and len(line) - len(bare) > block.key.start - block.start:
            end = stop
        elif bare.strip():
            break
    return end


def _line_end(text: str, offset: int) -> int:
    end = text.find("\n", offset)
    return len(text) if end < 0 else end + 1
