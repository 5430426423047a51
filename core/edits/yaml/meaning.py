# SPDX-License-Identifier: Apache-2.0
"""The meaning of YAML, apart from how it is written, and the meaning that an operation must produce."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ruamel.yaml.events import AliasEvent, CollectionEndEvent, MappingStartEvent, ScalarEvent

from core.edits.operations import OVERRIDES, Operation, OpKind, Refused
from core.edits.yaml.field_order import ordered, position
from core.edits.yaml.nodes import MAPPING, NULL, SEQUENCE, STR, Node, NodeKind, YamlEvent, tag_of
from core.edits.yaml.paths import numbered, place_of

_PREFIX = "tag:yaml.org,2002:"
_BOOL, _INT, _FLOAT = f"{_PREFIX}bool", f"{_PREFIX}int", f"{_PREFIX}float"


class Meaning(NamedTuple):
    """A value in its order, with duplicate keys, and with anchors and aliases by name.

    A tuple, because thousands are made and compared at a time.
    """

    tag: str
    text: str = ""
    items: tuple["Meaning", ...] = ()
    keys: tuple["Meaning", ...] = ()
    anchor: str = ""

    @property
    def names(self) -> list[str]:
        """The keys of a mapping as text."""
        return [key.text for key in self.keys]

    @property
    def is_empty(self) -> bool:
        """Null or a mapping without keys: a mapping looks like either once its last field is gone."""
        return self.tag == NULL or (self.tag == MAPPING and not self.keys)

    @property
    def is_list(self) -> bool:
        return self.tag == SEQUENCE


_END = Meaning("")
"""Ends a collection; no real node has an empty tag."""


def meaning(node: Node) -> Meaning:
    """The meaning of `node`. Numbers, booleans and null are compared by value, everything else by its text."""
    if node.kind is NodeKind.ALIAS:
        return Meaning("*", node.text)
    return Meaning(
        node.tag,
        _canonical(node.tag, node.text),
        tuple(map(meaning, node.items)),
        tuple(map(meaning, node.keys)),
        node.anchor,
    )


def meaning_at(events: Sequence[YamlEvent]) -> Meaning:
    """As `meaning`, for the single node that `events` describe, without building nodes. Raises Refused."""
    try:
        return _meaning_at(iter(events))
    except RecursionError as error:
        raise Refused("the YAML nests too deeply") from error


def _meaning_at(events: Iterator[YamlEvent]) -> Meaning:
    event = next(events)
    if isinstance(event, ScalarEvent):
        tag = tag_of(event)
        text = event.value if tag == STR else _canonical(tag, event.value)
        return Meaning(tag, text, anchor=event.anchor or "")
    if isinstance(event, CollectionEndEvent):
        return _END
    if isinstance(event, AliasEvent):
        return Meaning("*", event.anchor)
    children: list[Meaning] = []
    while (child := _meaning_at(events)) is not _END:
        children.append(child)
    mapping = isinstance(event, MappingStartEvent)
    items, keys = (children[1::2], children[::2]) if mapping else (children, [])
    return Meaning(tag_of(event), "", tuple(items), tuple(keys), event.anchor or "")


def meaning_of(value: object, *, given: bool = False) -> Meaning:
    """The meaning of the Python `value`.

    The keys of a mapping are in upstream's order; in the items of a list, or with `given`, in their own.
    """
    if isinstance(value, Mapping):
        names = list(value) if given else ordered([str(name) for name in value])
        return Meaning(
            MAPPING,
            items=tuple(meaning_of(value[name], given=given) for name in names),
            keys=tuple(Meaning(STR, name) for name in names),
        )
    if isinstance(value, list | tuple):
        return Meaning(SEQUENCE, items=tuple(meaning_of(item, given=True) for item in value))
    if value is None:
        return Meaning(NULL)
    if isinstance(value, bool):
        return Meaning(_BOOL, "true" if value else "false")
    if isinstance(value, int):
        return Meaning(_INT, str(value))
    if isinstance(value, float):
        return Meaning(_FLOAT, repr(value))
    return Meaning(STR, str(value))


def is_scalar(found: Meaning) -> bool:
    """Whether it is text, a number, true or false, without anchor or alias."""
    return found.tag in (_BOOL, _INT, _FLOAT, STR) and not found.anchor


def value_of(found: Meaning) -> object:
    """The Python value: `meaning_of(value_of(found)) == found`, apart from anchors and aliases."""
    match found.tag:
        case t if t == MAPPING:
            return {name: value_of(item) for name, item in zip(numbered(found.names), found.items, strict=True)}
        case t if t == SEQUENCE:
            return list(map(value_of, found.items))
        case t if t == NULL:
            return None
        case t if t == _BOOL:
            return found.text == "true"
        case t if t == _INT:
            return int(found.text)
        case t if t == _FLOAT:
            return float(found.text)
    return found.text


def with_field(entry: Meaning, path: Sequence[str], value: Meaning) -> Meaning:
    """`entry` after `set`: one field replaced, or put where upstream's order has it."""
    name, *rest = path
    if entry.is_empty:
        entry = Meaning(MAPPING, anchor=entry.anchor)
    known = index_of(entry, name)
    present = known is not None
    at = position(entry.names, name) if known is None else known
    if entry.is_list:
        items = (*entry.items[:at], with_field(entry.items[at], rest, value) if rest else value)
        return entry._replace(items=(*items, *entry.items[at + 1 :]))
    inner = entry.items[at] if present else Meaning(MAPPING)
    new = with_field(inner, rest, value) if rest else value
    after = at + present
    return entry._replace(
        items=(*entry.items[:at], new, *entry.items[after:]),
        keys=(*entry.keys[:at], entry.keys[at] if present else Meaning(STR, name), *entry.keys[after:]),
    )


def without_field(entry: Meaning, path: Sequence[str]) -> Meaning:
    """`entry` after `unset`; the same object if there is no such field. A mapping that becomes empty stays."""
    name, *rest = path
    at = index_of(entry, name)
    if at is None or (entry.is_list and not rest):
        return entry
    if rest:
        inner = without_field(entry.items[at], rest)
        if inner is entry.items[at]:
            return entry
        return entry._replace(items=(*entry.items[:at], inner, *entry.items[at + 1 :]))
    return entry._replace(
        items=(*entry.items[:at], *entry.items[at + 1 :]),
        keys=(*entry.keys[:at], *entry.keys[at + 1 :]),
    )


def renamed(entry: Meaning, path: Sequence[str], to: str) -> Meaning:
    """`entry` with the key at `path`, which must exist, renamed to `to`."""
    name, *rest = path
    at = index_of(entry, name)
    assert at is not None
    if rest:
        inner = renamed(entry.items[at], rest, to)
        return entry._replace(items=(*entry.items[:at], inner, *entry.items[at + 1 :]))
    return entry._replace(keys=(*entry.keys[:at], Meaning(STR, to), *entry.keys[at + 1 :]))


def at_path(entry: Meaning, path: Sequence[str]) -> Meaning | None:
    """The value at `path`, None if there is none."""
    for name in path:
        at = index_of(entry, name)
        if at is None:
            return None
        entry = entry.items[at]
    return entry


def index_of(entry: Meaning, part: str) -> int | None:
    """The index of the item of a mapping or list that `part` of a path names; None if there is none."""
    return place_of(part, len(entry.items) if entry.is_list else entry.names)


def emptied(entry: Meaning, path: Sequence[str]) -> tuple[str, ...] | None:
    """The override, or all overrides, that become empty once `path` is removed: `unset` removes them too."""
    for outer in (path[:2], path[:1]):
        found = at_path(entry, outer) if outer[0] == OVERRIDES else None
        if found is not None and found.is_empty:
            return tuple(outer)
    return None


def _canonical(tag: str, text: str) -> str:
    try:
        if tag == _INT:
            return str(int(text.replace("_", ""), 0))
        if tag == _FLOAT:
            return repr(float(text.replace("_", "")))
    except ValueError:
        return text
    if tag == _BOOL:
        return text.lower()
    return "" if tag == NULL else text


def as_field(entry: Meaning, operation: Operation) -> Operation | None:
    """As `field_change`, on the entry's value. Raises Refused if the operation has no target."""
    present = at_path(entry, operation.path)
    if operation.is_override:
        taken = present is not None and not present.is_empty and field_change(present, operation) is not None
        if operation.op is OpKind.ADD and taken:
            raise Refused(f"{operation.path[1]} has overrides already; set their fields")
    elif operation.is_item:
        _refuse_items(present, operation)
    return field_change(present, operation)


def field_change(present: Meaning | None, operation: Operation) -> Operation | None:
    """The `set` or `unset` of one field that does what `operation` asks for; None if it is done already.

    `present` is the value at the operation's path. This is the only place that defines operations on an override or on
    an item of a list; renaming an override involves more than one field. Removing the last item of a list removes the
    field, because upstream reads an empty list as none (docs/rules.md 2.2). In an override the empty list stays,
    because it hides the list of the entry.
    """
    if operation.op in (OpKind.SET, OpKind.UNSET):
        return operation
    if operation.is_override:
        if operation.op is OpKind.REMOVE:
            return replace(operation, op=OpKind.UNSET)
        return None if present == meaning_of(operation.value) else replace(operation, op=OpKind.SET)
    items = _items(present)
    wanted = _changed(items, operation)
    if wanted == items:
        return None
    if not wanted and operation.path[0] != OVERRIDES:
        return replace(operation, op=OpKind.UNSET, value=None, to=None)
    values = list(map(value_of, wanted))
    one = present is not None and is_scalar(present) and len(values) == 1
    return replace(operation, op=OpKind.SET, value=values[0] if one else values, to=None)


def _items(present: Meaning | None) -> list[Meaning]:
    """The items of a list; a value that is not a list is the only item."""
    if present is None or present.is_empty:
        return []
    return list(present.items) if present.is_list else [present]


def _changed(items: list[Meaning], operation: Operation) -> list[Meaning]:
    item = meaning_of(operation.value)
    match operation.op:
        case OpKind.ADD:
            return items if item in items else [*items, item]
        case OpKind.REMOVE:
            return [one for one in items if one != item]
        case _:
            to = meaning_of(operation.to)
            return [to if one == item else one for one in items if one != to] if item in items else items


def _refuse_items(present: Meaning | None, operation: Operation) -> None:
    """Raise Refused if the list has items that are not plain, or lacks the item to be renamed."""
    name, items = ".".join(operation.path), _items(present)
    if not all(map(is_scalar, items)):
        raise Refused(f"{name} is not a list of plain items; edit it by hand")
    if operation.op is OpKind.RENAME and {meaning_of(operation.value), meaning_of(operation.to)}.isdisjoint(items):
        raise Refused(f"{name} has no item {operation.value}")
