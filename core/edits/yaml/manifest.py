# SPDX-License-Identifier: Apache-2.0
"""A manifest of op tests as a document: its entries are the cases and the block of defaults (docs/ops.md)."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import PurePosixPath

from ruamel.yaml.events import MappingStartEvent, ScalarEvent, SequenceStartEvent

from core.edits.operations import ALIASES, Refused
from core.edits.yaml.document import (
    BOM,
    Block,
    Document,
    Listing,
    entries_end,
    is_absent,
    is_block_mapping,
    line_end,
    newline_of,
    text_of,
)
from core.edits.yaml.nodes import YamlEvent, end_offset, nodes_in, read_events
from core.edits.yaml.paths import numbered

CASES = "cases"
DEFAULTS = ("defaults", "default")
"""Possible keys of the block of defaults; a new block gets the first one."""
_STEP = 2
_Pairs = Sequence[tuple[int, int, int]]
"""For each key of a mapping: its index in the events, and those at which its value starts and ends."""


@lru_cache(maxsize=8)
def read_manifest(text: str, name: str) -> Document:
    """Parse the manifest `text`. `name` is its path. Raises Refused if none of it can be edited.

    The id of a case is `model::name`, as of a row (`core.ops`), and `model::name#2` for the second one of that name;
    the id of the block of defaults is the model.
    """
    body = text.removeprefix(BOM)
    events = read_events(body)
    if not events or not is_block_mapping(events[0]):
        raise Refused(f"the file has no top-level key {CASES}")
    pairs = _pairs(events, 0, len(events))
    found = {one: [pair for pair in pairs if text_of(events[pair[0]]) == one] for one in (CASES, "model", "op")}
    for one, many in found.items():
        if len(many) > 1:
            raise Refused(f"the file has the top-level key {one} {len(many)} times")
    if not found[CASES]:
        raise Refused(f"the file has no top-level key {CASES}")
    key_at, start, stop = found[CASES][0]
    first, key_end = events[start], body.index(":", events[key_at].end_mark.index) + 1
    empty = isinstance(first, SequenceStartEvent) and stop - start == 2
    listed = isinstance(first, SequenceStartEvent) and (empty or not first.flow_style)
    if not listed and not is_absent(first):
        raise Refused(f"{CASES} must be a list with one case below the other", first.start_mark.line + 1)
    if empty and "#" in body[key_end : end_offset(body, events[start:stop])]:
        raise Refused(f"a comment is in the empty list of {CASES}; edit it by hand", first.start_mark.line + 1)
    header_end = line_end(body, max(key_end, end_offset(body, events[start:stop]) if empty else 0))
    said = {one: text_of(events[many[0][1]]) if many else "" for one, many in found.items()}
    model = said["model"] or PurePosixPath(name).stem
    cases = list(_cases(body, events[start + 1 : stop - 1], header_end, model, said["op"]))
    blocks = [one for one in pairs if text_of(events[one[0]]) in DEFAULTS]
    defaults = [_defaults(body, events, blocks[0], model)] if len(blocks) == 1 else []
    around = _without(events, [(start, stop), *((one[0], one[2]) for one in blocks if defaults)])
    last = cases[-1].end if cases else header_end
    indent = cases[0].key_start - cases[0].start if cases else _STEP
    home = found["model"][0][2] if found["model"] else None
    apart_at = body.rfind("\n", 0, events[pairs[0][0]].start_mark.index) + 1
    if home is not None:
        apart_at = line_end(body, end_offset(body, events[:home]))
    return Document(
        body,
        text[: len(text) - len(body)],
        newline_of(body),
        (around,),
        events[start : start + 1],
        header_end,
        entries_end(body, last),
        tuple(sorted((*cases, *defaults), key=lambda one: one.start)),
        indent,
        _STEP,
        partial(read_manifest, name=name),
        Listing(model, name, key_end, empty, apart_at),
    )


def _pairs(events: Sequence[YamlEvent], start: int, stop: int) -> _Pairs:
    """The keys and values of the mapping from `start` to `stop` in `events`."""
    spans = [(one + start + 1, other + start + 1) for one, other in nodes_in(events[start + 1 : stop - 1])]
    return [(key[0], *value) for key, value in zip(spans[::2], spans[1::2], strict=True)]


def _without(events: Sequence[YamlEvent], spans: Sequence[tuple[int, int]]) -> list[YamlEvent]:
    left: list[YamlEvent] = []
    position = 0
    for start, stop in sorted(spans):
        left += events[position:start]
        position = stop
    return [*left, *events[position:]]


def _cases(text: str, events: Sequence[YamlEvent], start: int, model: str, op: str) -> Iterator[Block]:
    end, line, before = start, 1, 0
    spans = list(nodes_in(events))
    names = (_name(events[first:last]) or op for first, last in spans)
    # A case without any name still has a number.
    ids = numbered(f"{model}::{name or f'#{at}'}" for at, name in enumerate(names, 1))
    for (first, last), id in zip(spans, ids, strict=True):
        value = events[first:last]
        dash = _dash(text, end)
        end = line_end(text, max(dash, end_offset(text, value)))
        line, before = line + text.count("\n", before, dash), dash
        begin = text.rfind("\n", 0, dash) + 1
        yield Block(id, begin, end, dash, line, (), value)


def _dash(text: str, offset: int) -> int:
    """Offset of the next dash, which only blank lines and comments may precede."""
    while True:
        stop = line_end(text, offset)
        line = text[offset:stop].strip()
        if line and not line.startswith("#"):
            break
        if stop == len(text):
            raise Refused("a case has no dash of its own; edit it by hand")
        offset = stop
    dash = offset + len(text[offset:stop]) - len(text[offset:stop].lstrip())
    if text[dash] != "-":
        raise Refused("a case has no dash of its own; edit it by hand", text.count("\n", 0, dash) + 1)
    return dash


def _name(value: Sequence[YamlEvent]) -> str:
    """The name of a case: its `name`, else its op."""
    if not isinstance(value[0], MappingStartEvent):
        return ""
    said: dict[str, str] = {}
    for key, start, _ in _pairs(value, 0, len(value)):
        if isinstance(value[start], ScalarEvent):
            said.setdefault(text_of(value[key]), text_of(value[start]))
    return said.get("name") or said.get("op") or ""


def _defaults(text: str, events: Sequence[YamlEvent], pair: tuple[int, int, int], model: str) -> Block:
    key, start, stop = pair
    mark, value = events[key].start_mark, events[start:stop]
    begin = text.rfind("\n", 0, mark.index) + 1
    end = line_end(text, max(events[key].end_mark.index, end_offset(text, value)))
    return Block(model, begin, end, mark.index, mark.line + 1, events[key : key + 1], value, apart=True)


def canonical(fields: Mapping[str, object]) -> dict[str, object]:
    """`fields` of a case with each key under the first of its names."""
    return {ALIASES.get(name, name): value for name, value in fields.items()}
