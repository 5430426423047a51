# SPDX-License-Identifier: Apache-2.0
"""Edit the text of one entry: the smallest range is replaced, inserted or cut, the rest keeps its bytes."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.edits.operations import Refused
from core.edits.yaml.field_order import ordered, position
from core.edits.yaml.meaning import meaning, meaning_of
from core.edits.yaml.nodes import MERGE, Node, NodeKind, parse, refuse_shared, walk
from core.edits.yaml.values import field_text, replace_list, scalar_text, shared_quote

Nodes = tuple[Node, Node]


def _no_quote(_: str) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Layout:
    """How the file around an entry is written."""

    newline: str = "\n"
    step: int = 2
    """Spaces from a key to the keys below it."""
    line: int = 1
    """Line of the entry's key, for messages."""
    quote_of: Callable[[str], str] = _no_quote
    """The quote that the file has around the text of a field, by the field's name; empty: none."""

    def text_of(self, name: str, value: object) -> str:
        """`value` as the new value of field `name`."""
        return field_text(name, value, self.quote_of(name) if isinstance(value, str | list | tuple) else "")


def set_field(
    text: str, path: Sequence[str], value: object, layout: Layout = Layout(), nodes: Nodes | None = None
) -> str:
    """`text` with the field at `path` set; mappings on the way are created where they are absent.

    `text` is the lines of one entry from its key on, `nodes` its key and value if they are known. The same
    text where the field already has this value.
    Raises Refused where the text cannot be changed safely, with the line that is in the way.
    """
    key, holder = nodes or key_and_value(text, layout.line)
    for depth, name in enumerate(path):
        refuse_shared(holder)
        found = _child(holder, name)
        if found is None:
            new: object = value
            for inner in reversed(path[depth + 1 :]):
                new = {inner: new}
            return _insert(text, key, holder, name, new, layout)
        key, holder = found
    if meaning(holder) == meaning_of(value):
        return text
    return _replace(text, key, holder, value, layout)


def unset_field(text: str, path: Sequence[str], layout: Layout = Layout(), nodes: Nodes | None = None) -> str:
    """`text` without the field at `path`, with the comment on its line; the same text where there is none.

    A mapping whose last field goes stays as an empty key. Raises Refused as `set_field` does.
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
    refuse_shared(*walk(found[1]))
    if outer.style == "flow":
        return _cut_from_flow(text, outer, *found)
    return cut_lines(text, _line_start(text, found[0]), _line_end(text, found[1].end))


def rename_key(text: str, path: Sequence[str], to: str, layout: Layout = Layout(), nodes: Nodes | None = None) -> str:
    """`text` with the key at `path` (empty: the id) called `to`, in the quotes that the old one had."""
    key, holder = nodes or key_and_value(text, layout.line)
    for name in path:
        refuse_shared(holder)
        found = _child(holder, name)
        if found is None:
            raise Refused(f"the entry has no {'.'.join(path)}")
        key, holder = found
    refuse_shared(key)
    return text[: key.start] + scalar_text(to, key.style) + text[key.end :]


def new_entry(identifier: str, fields: Mapping[str, object], indent: int, layout: Layout) -> str:
    """The text of an entry that is not there yet, with upstream's order of fields, ending in a line end."""
    lines = _block_lines(scalar_text(identifier), fields, indent, layout)
    return "".join(f"{line}{layout.newline}" for line in lines)


def key_and_value(text: str, first_line: int = 1) -> Nodes:
    """The one key of an entry's text with its value. Raises Refused where the text is not one entry."""
    root = parse(text, first_line)
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
    return found[0] if found else None


def _replace(text: str, key: Node, node: Node, value: object, layout: Layout) -> str:
    name = key.text
    refuse_shared(*walk(node))
    if node.kind is NodeKind.MAPPING:
        raise Refused(f"{name} is a mapping, it is set one field at a time", node.line)
    if node.style in ("|", ">") and "#" in text[node.start : text.index("\n", node.start)]:
        raise Refused(f"{name} is a block scalar ({node.style}) with a comment; edit it by hand", node.line)
    if node.is_absent:
        return f"{text[: node.start]} {layout.text_of(name, value)}{text[node.end :]}"
    if node.kind is NodeKind.SEQUENCE:
        return replace_list(text, key, node, value, layout.newline)
    return text[: node.start] + field_text(name, value, shared_quote([node])) + text[node.end :]


def _insert(text: str, owner: Node, holder: Node, name: str, value: object, layout: Layout) -> str:
    if holder.style == "flow":
        return _insert_in_flow(text, holder, name, value, layout)
    at = position([key.text for key in holder.keys], name)
    before = holder.items[at - 1].end if at else holder.start if holder.is_absent else owner.end
    indent = _column(text, holder.keys[0]) if holder.keys else _column(text, owner) + layout.step
    lines = _block_lines(scalar_text(name), value, indent, layout, name)
    return _add_lines(text, _line_end(text, before), lines, layout.newline)


def _add_lines(text: str, offset: int, lines: Sequence[str], newline: str) -> str:
    body = newline.join(lines)
    if offset == len(text) and not text.endswith("\n"):
        return text + newline + body
    return text[:offset] + body + newline + text[offset:]


def _block_lines(label: str, value: object, indent: int, layout: Layout, name: str = "") -> list[str]:
    if not isinstance(value, Mapping):
        return [f"{' ' * indent}{label}: {layout.text_of(name, value)}"]
    lines = [f"{' ' * indent}{label}:"]
    for inner in ordered([str(key) for key in value]):
        lines += _block_lines(scalar_text(inner), value[inner], indent + layout.step, layout, inner)
    return lines


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
    if not isinstance(value, Mapping):
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


def _column(text: str, key: Node) -> int:
    return key.start - _line_start(text, key)


def _line_start(text: str, key: Node) -> int:
    start = text.rfind("\n", 0, key.start) + 1
    if text[start : key.start].strip(" "):
        raise Refused(f"{key.text} does not start its line; edit it by hand", key.line)
    return start


def _line_end(text: str, offset: int) -> int:
    end = text.find("\n", offset)
    return len(text) if end < 0 else end + 1
