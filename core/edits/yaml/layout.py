# SPDX-License-Identifier: Apache-2.0
"""New text in the style of the file around it: an entry, a case, or a field with its nested values."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.edits.yaml.field_order import ordered
from core.edits.yaml.values import field_text, flow_text, is_nested, scalar_text


def _no_quote(_: str) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Layout:
    """The style of the file around an entry."""

    newline: str = "\n"
    step: int = 2
    """Spaces from a key to the keys below it."""
    line: int = 1
    """Line of the entry's key, for messages."""
    quote_of: Callable[[str], str] = _no_quote
    """The quote that the file uses for texts of a field, by the field's name; empty: none."""
    nested: bool = False
    """Whether a field may hold mappings, and lists of these."""

    def text_of(self, name: str, value: object) -> str:
        """`value` as the new value of field `name`, on one line."""
        if is_nested(value):
            return flow_text(value)
        return field_text(name, value, self.quote_of(name) if isinstance(value, str | list | tuple) else "")


def new_entry(identifier: str, fields: Mapping[str, object], indent: int, layout: Layout) -> str:
    """The text of a new entry, with upstream's order of fields and a final line end."""
    lines = block_lines(scalar_text(identifier), fields, indent, layout)
    return "".join(f"{line}{layout.newline}" for line in lines)


def new_item(fields: Mapping[str, object], indent: int, layout: Layout) -> str:
    """The text of a new item of a list."""
    lines = _item_lines(fields, indent, layout, ordered(list(fields)))
    return "".join(f"{line}{layout.newline}" for line in lines)


def block_lines(
    label: str, value: object, indent: int, layout: Layout, name: str = "", *, given: bool = False
) -> list[str]:
    """The lines of a key with its value, without line ends. `given`: keep the order of the keys in mappings."""
    if isinstance(value, Mapping) and value:
        lines = [f"{' ' * indent}{label}:"]
        for inner in list(value) if given else ordered([str(key) for key in value]):
            below = indent + layout.step
            lines += block_lines(scalar_text(inner), value[inner], below, layout, inner, given=given)
        return lines
    if isinstance(value, list | tuple) and any(isinstance(item, Mapping) and item for item in value):
        below = indent + layout.step
        return [f"{' ' * indent}{label}:", *(line for item in value for line in _item_lines(item, below, layout))]
    return [f"{' ' * indent}{label}: {layout.text_of(name, value)}"]


def _item_lines(item: object, indent: int, layout: Layout, names: Sequence[str] = ()) -> list[str]:
    """The lines of one item of a list; the keys of a mapping are in the order of `names`, else in their own order."""
    dash = f"{' ' * indent}- "
    if not isinstance(item, Mapping) or not item:
        return [dash + flow_text(item)]
    column, given = indent + len("- "), not names
    lines = [
        line
        for name in names or item
        for line in block_lines(scalar_text(name), item[name], column, layout, name, given=given)
    ]
    return [dash + lines[0][column:], *lines[1:]]


PLAIN = Layout()
"""The layout if nothing is known about the file."""
