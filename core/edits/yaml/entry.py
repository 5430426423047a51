# SPDX-License-Identifier: Apache-2.0
"""One entry while operations are applied to it: the smallest range of its text changes, along with its meaning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.edits.operations import ALIASES, OVERRIDES, Operation, OpKind, Refused
from core.edits.yaml.document import Block, line_end
from core.edits.yaml.field_order import ordered, position
from core.edits.yaml.layout import PLAIN, Layout, block_lines, new_entry, new_item
from core.edits.yaml.meaning import (
    Meaning,
    as_field,
    at_path,
    emptied,
    meaning,
    meaning_of,
    renamed,
    with_field,
    without_field,
)
from core.edits.yaml.nodes import DASH, MERGE, NULL, Node, NodeKind, dash_at, parse, refuse_shared, walk
from core.edits.yaml.paths import place_of
from core.edits.yaml.values import (
    field_text,
    has_comment,
    is_nested,
    replace_list,
    scalar_text,
    shared_quote,
)

Nodes = tuple[Node, Node]


_UNREAD = Meaning("")


@dataclass(slots=True, eq=False)
class EntryDraft:
    """The state of an entry of a file. Text and meaning are changed independently; `mismatch` compares them."""

    id: str
    text: str
    """The lines from the key to the last value."""
    layout: Layout
    indent: int
    nodes: tuple[Node, Node] | None = None
    """Key and value of `text`, if it is parsed already."""
    key: Meaning = _UNREAD
    meaning: Meaning = _UNREAD
    """What the value must mean; unread until it is needed."""
    index: int | None = None
    """The index of the entry in the document; None: a new entry, inserted at `offset`."""
    offset: int = 0
    apart: bool = False
    """Whether it is outside the collection of entries."""
    above: str = ""
    """Comment lines above an entry that came from another file."""
    below: str = ""
    operations: list[Operation] = field(default_factory=list)
    unset: list[tuple[str, ...]] = field(default_factory=list)

    @classmethod
    def fresh(cls, operation: Operation, indent: int, layout: Layout) -> "EntryDraft":
        """The new entry of an `add` operation."""
        fields = operation.value
        if not isinstance(fields, Mapping):
            raise Refused("an added entry needs a mapping of fields")
        text = new_entry(operation.id, fields, indent, layout)
        key, value = meaning_of(operation.id), meaning_of(fields)
        return cls(operation.id, text, layout, indent, None, key, value, operations=[operation])

    @classmethod
    def fresh_item(cls, operation: Operation, name: str, indent: int, layout: Layout) -> "EntryDraft":
        """The new list item of an `add` operation. Its `name` is one of its fields."""
        if not isinstance(operation.value, Mapping):
            raise Refused("an added case needs a mapping of keys")
        fields = {"name": name, **operation.value}
        text = new_item(fields, indent, layout)
        return cls(operation.id, text, layout, indent, None, Meaning(DASH), meaning_of(fields), operations=[operation])

    @classmethod
    def fresh_apart(cls, id: str, name: str, layout: Layout) -> "EntryDraft":
        """An empty block under the key `name` at the top of a file."""
        empty = Meaning(NULL)
        return cls(id, f"{name}:{layout.newline}", layout, 0, None, meaning_of(name), empty, apart=True)

    @property
    def is_open(self) -> bool:
        """Whether the entry has been opened, so that it may differ from the document."""
        return self.key is not _UNREAD

    def open(self, block: Block, text: str) -> None:
        """Use the parser's result for the document `text`, before the first change. Raises Refused."""
        self.layout = replace(self.layout, line=block.line)
        self.nodes = block.nodes(text)
        self.key, self.meaning = block.meanings()

    def change(self, operation: Operation) -> None:
        """Apply an operation that leaves the entry in its place. Raises Refused, and then changes nothing."""
        if operation.op is OpKind.RENAME and operation.value is None:
            if operation.path or self.key.tag != DASH:
                self._rename(self._as_written(operation).path, str(operation.to))
            else:
                self._name(str(operation.to))
        elif (field := self._field(operation)) is None:
            pass
        elif field.op is OpKind.SET:
            self._rewrite(set_field(self.text, field.path, field.value, self.layout, self.nodes))
            self.meaning = with_field(self.meaning, field.path, meaning_of(field.value))
        else:
            self._unset(field.path)
        self.operations.append(operation)

    def _field(self, operation: Operation) -> Operation | None:
        try:
            return as_field(self.meaning, self._as_written(operation))
        except Refused as refused:
            raise Refused(refused.why, self.layout.line) from refused

    def _as_written(self, operation: Operation) -> Operation:
        """`operation` with the key under the name that the entry uses."""
        other = {**ALIASES, **{name: alias for alias, name in ALIASES.items()}}
        first, *rest = operation.path or ("",)
        if self.key.tag != DASH or first not in other or first in self.meaning.names:
            return operation
        return replace(operation, path=(other[first], *rest)) if other[first] in self.meaning.names else operation

    def _unset(self, path: tuple[str, ...]) -> None:
        self._rewrite(unset_field(self.text, path, self.layout, self.nodes))
        left = without_field(self.meaning, path)
        if left is not self.meaning:
            self.unset.append(path)
        self.meaning = left

    def _name(self, id: str) -> None:
        """Set the name of the case, which is the end of its id."""
        name = id.partition("::")[2]
        self._rewrite(set_field(self.text, ("name",), name, self.layout, self.nodes))
        self.meaning = with_field(self.meaning, ("name",), meaning_of(name))
        self.id = id

    def _rename(self, path: tuple[str, ...], to: str) -> None:
        if not path:
            self._rewrite(rename_key(self.text, path, to, self.layout, self.nodes))
            self.id, self.key = to, meaning_of(to)
            return
        if path[-1] == to:
            return
        target = (*path[:-1], to)
        if emptied(self.meaning, target) == target and any(one[:2] == target for one in self.unset):
            # What this batch has emptied gives way: `settle` would remove it later.
            self._unset(target)
        if at_path(self.meaning, target) is not None:
            taken = (
                f"{to} has overrides already; set their fields" if path[0] == OVERRIDES else f"{to} is there already"
            )
            raise Refused(taken, self.layout.line)
        self._rewrite(rename_key(self.text, path, to, self.layout, self.nodes))
        self.meaning = renamed(self.meaning, path, to)
        self.unset = [(*target, *one[len(path) :]) if one[: len(path)] == path else one for one in self.unset]

    def _rewrite(self, text: str) -> None:
        if text != self.text:
            self.text, self.nodes = text, None

    def settle(self) -> None:
        """Remove overrides that have become empty.

        Not done earlier, so that `unset` and `set` in one batch can replace the last field of an override and keep the
        comment on its key. Raises Refused if no field is left.
        """
        for path in self.unset:
            while (empty := emptied(self.meaning, path)) is not None:
                self._rewrite(unset_field(self.text, empty, self.layout, self.nodes))
                self.meaning = without_field(self.meaning, empty)
        if self.meaning.is_empty:
            raise Refused("no field would be left, which the runner rejects; remove the entry instead")

    def mismatch(self) -> Refused | None:
        """Why the text, parsed again, does not have the wanted meaning; None: it does."""
        try:
            key, value = key_and_value(self.text, self.layout.line)
        except Refused as refused:
            return refused
        if meaning(key) == self.key and meaning(value) == self.meaning:
            return None
        return Refused("the new text would not mean what was asked for; edit the entry by hand")

    def refitted(self, indent: int, layout: Layout) -> "EntryDraft":
        """The same entry with the indent and line ends of another file."""
        by, newline = indent - self.indent, layout.newline
        return replace(
            self,
            text=_refit(self.text, by, newline),
            above=_refit(self.above, by, newline),
            below=_refit(self.below, by, newline),
            layout=replace(layout, line=self.layout.line),
            indent=indent,
            nodes=None,
            index=None,
        )


def set_field(text: str, path: Sequence[str], value: object, layout: Layout = PLAIN, nodes: Nodes | None = None) -> str:
    """`text` with the field at `path` set; missing mappings on the way are created.

    `text` is the lines of one entry from its key on, `nodes` its key and value if they are known. Returns the same text
    if the field already has this value.

    Raises Refused, with the line that is in the way, if the text cannot be changed safely.
    """
    key, holder = nodes or key_and_value(text, layout.line)
    for depth, name in enumerate(path):
        refuse_shared(holder)
        found = _child(holder, name)
        if found is None:
            if holder.kind is NodeKind.SEQUENCE or "#" in name:
                raise Refused(f"the entry has no {'.'.join(path[: depth + 1])}", layout.line)
            new: object = value
            for inner in reversed(path[depth + 1 :]):
                new = {inner: new}
            return _insert(text, key, holder, name, new, layout)
        key, holder = found
    if meaning(holder) == meaning_of(value):
        return text
    if key is holder and (holder.kind is not NodeKind.SCALAR or is_nested(value) or isinstance(value, list | tuple)):
        raise Refused(f"{'.'.join(path)} is an item of a list that is no single value; edit it by hand", holder.line)
    return _replace(text, key, holder, value, layout)


def unset_field(text: str, path: Sequence[str], layout: Layout = PLAIN, nodes: Nodes | None = None) -> str:
    """`text` without the field at `path`, with the comment on its line; the same text if there is none.

    A mapping whose last field is removed stays as an empty key. Raises Refused as `set_field` does.
    """
    _, holder = nodes or key_and_value(text, layout.line)
    found: tuple[Node, Node] | None = None
    outer = holder
    for name in path:
        outer = found[1] if found else holder
        refuse_shared(outer)
        found = _child(outer, name)
        if found is None:
            return text
    if found is None:
        return text
    if outer.kind is NodeKind.SEQUENCE:
        raise Refused(f"{'.'.join(path)} is an item of a list; edit it by hand", found[1].line)
    refuse_shared(*walk(found[1]))
    if outer.style == "flow":
        return _cut_from_flow(text, outer, *found)
    if found[0] is outer.keys[0] and _after_dash(text, found[0]):
        return _cut_after_dash(text, outer, found[1])
    return cut_lines(text, _line_start(text, found[0]), line_end(text, found[1].end))


def rename_key(text: str, path: Sequence[str], to: str, layout: Layout = PLAIN, nodes: Nodes | None = None) -> str:
    """`text` with the key at `path` (empty: the id) renamed to `to`, in the same quotes."""
    key, holder = nodes or key_and_value(text, layout.line)
    for name in path:
        refuse_shared(holder)
        found = _child(holder, name)
        if found is None:
            raise Refused(f"the entry has no {'.'.join(path)}")
        key, holder = found
    refuse_shared(key)
    return text[: key.start] + scalar_text(to, key.style) + text[key.end :]


def key_and_value(text: str, first_line: int = 1) -> Nodes:
    """The only key in an entry's text (for an item, its dash) and its value. Raises Refused if it is not one entry."""
    root = parse(text, first_line)
    if root is not None and root.kind is NodeKind.SEQUENCE and root.style != "flow" and len(root.items) == 1:
        return dash_at(len(text) - len(text.lstrip()), first_line), root.items[0]
    if root is None or root.kind is not NodeKind.MAPPING or len(root.keys) != 1:
        raise Refused(f"the lines from {first_line} on are not one entry by themselves; edit them by hand")
    return root.keys[0], root.items[0]


def cut_lines(text: str, start: int, end: int) -> str:
    """`text` without the lines from `start` to `end`; a missing final newline stays missing."""
    if end == len(text) and not text.endswith("\n"):
        before = text[:start]
        return before[:-2] if before.endswith("\r\n") else before[:-1]
    return text[:start] + text[end:]


def _child(holder: Node, name: str) -> tuple[Node, Node] | None:
    if holder.kind is NodeKind.SEQUENCE and name.isdecimal():
        # The dash of an item serves as its key.
        at = place_of(name, len(holder.items))
        return None if at is None else (holder.items[at], holder.items[at])
    if holder.kind is not NodeKind.MAPPING:
        if holder.is_absent:
            return None
        what = "null" if holder.is_null else f"a {holder.kind.value}"
        raise Refused(f"{what} is where a mapping of fields belongs; edit it by hand", holder.line)
    for key in holder.keys:
        if key.tag == MERGE:
            raise Refused("a merge key (<<) decides here; edit it by hand", key.line)
    found = [pair for pair in zip(holder.keys, holder.items, strict=True) if pair[0].text == name]
    if len(found) > 1:
        lines = " and ".join(str(key.line) for key, _ in found)
        raise Refused(f"{name} is there twice, on lines {lines}; remove one by hand")
    if not found and (at := place_of(name, [key.text for key in holder.keys])) is not None:
        return holder.keys[at], holder.items[at]
    return found[0] if found else None


def _replace(text: str, key: Node, node: Node, value: object, layout: Layout) -> str:
    name = key.text
    refuse_shared(*walk(node))
    if layout.nested and (is_nested(value) or node.items):
        flat = node.kind is NodeKind.SEQUENCE and not is_nested(value)
        if not flat or any(item.kind is not NodeKind.SCALAR for item in node.items):
            return _replace_nested(text, key, node, value, layout)
    if node.kind is NodeKind.MAPPING:
        raise Refused(f"{name} is a mapping, it is set one field at a time", node.line)
    if node.style in ("|", ">") and "#" in text[node.start : text.index("\n", node.start)]:
        raise Refused(f"{name} is a block scalar ({node.style}) with a comment; edit it by hand", node.line)
    if node.is_absent:
        return f"{text[: node.start]} {layout.text_of(name, value)}{text[node.end :]}"
    if node.kind is NodeKind.SEQUENCE:
        return replace_list(text, key, node, value, layout.newline)
    return text[: node.start] + field_text(name, value, shared_quote([node])) + text[node.end :]


def _replace_nested(text: str, key: Node, node: Node, value: object, layout: Layout) -> str:
    """Replace the value in place if it is on the line of its key, in block style if both values have several lines."""
    if "\n" not in text[key.end : node.end] and not (node.is_absent or node.style in ("|", ">")):
        return text[: node.start] + layout.text_of(key.text, value) + text[node.end :]
    if has_comment(text, key.end, node):
        raise Refused(f"{key.text} is over several lines that may hold comments; edit it by hand", node.line)
    colon = text.index(":", key.end) + 1
    if not is_nested(value) or node.style == "flow":
        return f"{text[:colon]} {layout.text_of(key.text, value)}{text[node.end :]}"
    lines = block_lines("", value, _column(text, key), layout, key.text)
    return text[:colon] + "".join(layout.newline + line for line in lines[1:]) + text[node.end :]


def _insert(text: str, owner: Node, holder: Node, name: str, value: object, layout: Layout) -> str:
    if holder.style == "flow":
        return _insert_in_flow(text, holder, name, value, layout)
    at = position([key.text for key in holder.keys], name)
    before = holder.items[at - 1].end if at else holder.start if holder.is_absent else owner.end
    indent = _column(text, holder.keys[0]) if holder.keys else _column(text, owner) + layout.step
    lines = block_lines(scalar_text(name), value, indent, layout, name)
    if not at and holder.keys and _after_dash(text, first := holder.keys[0]):
        body = layout.newline.join([*lines, " " * indent]).lstrip(" ")
        return text[: first.start] + body + text[first.start :]
    return _add_lines(text, line_end(text, before), lines, layout.newline)


def _add_lines(text: str, offset: int, lines: Sequence[str], newline: str) -> str:
    body = newline.join(lines)
    if offset == len(text) and not text.endswith("\n"):
        return text + newline + body
    return text[:offset] + body + newline + text[offset:]


def _insert_in_flow(text: str, holder: Node, name: str, value: object, layout: Layout) -> str:
    _refuse_many_lines(text, holder)
    new = f"{scalar_text(name)}: {_flow_text(name, value, layout)}"
    at = position([key.text for key in holder.keys], name)
    if not holder.keys:
        offset = holder.start + 1
    elif at:
        offset, new = holder.items[at - 1].end, f", {new}"
    else:
        offset, new = holder.keys[0].start, f"{new}, "
    return text[:offset] + new + text[offset:]


def _flow_text(name: str, value: object, layout: Layout) -> str:
    if not isinstance(value, Mapping) or layout.nested:
        return layout.text_of(name, value)
    inner = (f"{scalar_text(key)}: {_flow_text(key, value[key], layout)}" for key in ordered(list(value)))
    return "{" + ", ".join(inner) + "}"


def _cut_from_flow(text: str, holder: Node, key: Node, value: Node) -> str:
    _refuse_many_lines(text, holder)
    at = holder.keys.index(key)
    if at:
        return text[: holder.items[at - 1].end] + text[value.end :]
    end = holder.keys[1].start if len(holder.keys) > 1 else value.end
    return text[: key.start] + text[end:]


def _refuse_many_lines(text: str, holder: Node) -> None:
    if "\n" in text[holder.start : holder.end]:
        raise Refused("a mapping in braces over several lines; edit it by hand", holder.line)


def _cut_after_dash(text: str, holder: Node, value: Node) -> str:
    """Remove the first key of an item: the next key moves behind the dash."""
    if len(holder.keys) == 1:
        raise Refused("no key would be left; remove the case instead", holder.line)
    first, second = holder.keys[:2]
    if "#" in text[value.end : second.start]:
        raise Refused(f"a comment is after {first.text}; edit it by hand", first.line)
    return text[: first.start] + text[second.start :]


def _after_dash(text: str, key: Node) -> bool:
    """Whether a key is on the line of the dash of its item."""
    return text[text.rfind("\n", 0, key.start) + 1 : key.start].strip(" ") == "-"


def _column(text: str, key: Node) -> int:
    if _after_dash(text, key):
        return key.start - text.rfind("\n", 0, key.start) - 1
    return key.start - _line_start(text, key)


def _line_start(text: str, key: Node) -> int:
    start = text.rfind("\n", 0, key.start) + 1
    if text[start : key.start].strip(" "):
        raise Refused(f"{key.text} does not start its line; edit it by hand", key.line)
    return start


def _refit(text: str, by: int, newline: str) -> str:
    lines = text.removesuffix("\n").split("\n") if text else []
    return "".join(_shifted(line.removesuffix("\r"), by) + newline for line in lines)


def _shifted(line: str, by: int) -> str:
    if by >= 0 or not line.strip():
        return " " * by * bool(line.strip()) + line
    if line[:-by].strip(" "):
        # A comment may be further left than the entry, with no spaces to remove.
        return line.lstrip(" ")
    return line[-by:]
