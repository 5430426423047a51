# SPDX-License-Identifier: Apache-2.0
"""Replace a list: unchanged items keep their bytes, in brackets or one a line with their comments."""

import re
from collections.abc import Mapping, Sequence

from core.edits.operations import Refused
from core.edits.yaml.field_order import ordered
from core.edits.yaml.meaning import meaning, meaning_of
from core.edits.yaml.nodes import QUOTES, Node, NodeKind, walk

# Words that start with a letter are never numbers, and words with a slash are never dates.
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.+/-]*|[0-9][A-Za-z0-9_.+-]*/[A-Za-z0-9_.+/-]*")
_RESERVED = frozenset({"true", "false", "yes", "no", "on", "off", "y", "n", "null"})
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_QUOTED_FIELDS = frozenset({"reason"})


def field_text(name: str, value: object, like: str = "") -> str:
    """`value` as the value of field `name`: `reason` is always quoted, a list is in flow style.

    `like` is the quote of the replaced text (`'`, `"` or empty); the new text keeps it if possible.
    """
    if isinstance(value, list | tuple):
        return list_text(value, like)
    return scalar_text(value, like or ('"' if name in _QUOTED_FIELDS else ""))


def list_text(values: Sequence[object], like: str = "") -> str:
    """A flow list on one line."""
    return "[" + ", ".join(scalar_text(value, like) for value in values) + "]"


def is_nested(value: object) -> bool:
    """Whether a value is more than a scalar or a list of scalars; null counts as more, also in a list."""
    inner = value if isinstance(value, list | tuple) else ()
    return value is None or isinstance(value, Mapping) or any(item is None or _is_collection(item) for item in inner)


def _is_collection(value: object) -> bool:
    return isinstance(value, Mapping | list | tuple)


def flow_text(value: object, *, given: bool = False) -> str:
    """Any value on one line, in brackets and braces. Keys are in the order of `meaning.meaning_of`."""
    if value is None:
        return "null"
    if isinstance(value, Mapping):
        names = list(value) if given else ordered(list(value))
        return "{" + ", ".join(f"{scalar_text(name)}: {flow_text(value[name], given=given)}" for name in names) + "}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(flow_text(item, given=True) for item in value)}]"
    return scalar_text(value)


def has_comment(text: str, start: int, node: Node) -> bool:
    """Whether `text` has a comment between `start` and the end of `node`, outside of quoted texts."""
    done = []
    for one in sorted(walk(node), key=lambda one: one.start):
        if one.kind is NodeKind.SCALAR:
            done.append(text[start : one.start])
            start = one.end
    return "#" in "".join([*done, text[start : node.end]])


def scalar_text(value: object, like: str = "") -> str:
    """One scalar as text. Raises TypeError for a value that an entry cannot hold, null included."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float_text(value)
    if not isinstance(value, str):
        raise TypeError(f"no YAML text for {type(value).__name__}")
    if not like and _is_plain(value):
        return value
    if like == "'" and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    if value.isprintable():
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return '"' + "".join(map(_escaped, value)) + '"'


def _is_plain(text: str) -> bool:
    return _PLAIN.fullmatch(text) is not None and text.lower() not in _RESERVED


def _float_text(value: float) -> str:
    text = repr(value)
    mantissa, exponent, power = text.partition("e")
    # YAML 1.1 reads 1e-05 as text: it requires a point.
    return f"{mantissa}.0e{power}" if exponent and "." not in mantissa else text


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def replace_list(text: str, key: Node, node: Node, value: object, newline: str) -> str:
    """`text` with the list at `node`, which is the value of `key`, set to `value`.

    Raises Refused if that would lose a comment or something it does not understand.
    """
    flow = node.style == "flow"
    if not isinstance(value, list | tuple) or not value:
        return (_in_place if flow else _on_one_line)(text, key, node, value)
    return _flow(text, key, node, value) if flow else _block(text, key, node, value, newline)


def _flow(text: str, key: Node, node: Node, value: Sequence[object]) -> str:
    """Replace a flow list: a separator between the same two items stays, any other one is a copy of the first."""
    _refuse_comments(text, key, node)
    if not node.items:
        return _in_place(text, key, node, value)
    quote = shared_quote(node.items)
    sources = _matched(node, value)
    between = [text[left.end : right.start] for left, right in zip(node.items, node.items[1:], strict=False)]
    done = [text[node.start : node.items[0].start]]
    last: int | None = None
    for at, (item, source) in enumerate(zip(value, sources, strict=True)):
        if at:
            follows = source is not None and last is not None and source == last + 1
            done.append(between[last] if follows and last is not None else between[0] if between else ", ")
        found = None if source is None else node.items[source]
        done.append(scalar_text(item, quote) if found is None else text[found.start : found.end])
        last = source
    done.append(text[node.items[-1].end : node.end])
    return text[: node.start] + "".join(done) + text[node.end :]


def _block(text: str, key: Node, node: Node, value: Sequence[object], newline: str) -> str:
    name = key.text
    if any(item.kind is not NodeKind.SCALAR or item.style in ("|", ">") for item in node.items):
        raise Refused(f"{name} contains more than plain values; edit it by hand", node.line)
    start = text.rfind("\n", 0, node.start) + 1
    dash = text[start : node.start]
    if dash.strip(" "):
        raise Refused(f"{name} does not start on a line of its own; edit it by hand", node.line)
    quote = shared_quote(node.items)
    segments, end = _segments(text, start, node)
    lines = [
        f"{dash}- {scalar_text(item, quote)}{newline}" if source is None else segments[source]
        for item, source in zip(value, _matched(node, value), strict=True)
    ]
    body = "".join(line if line.endswith("\n") else line + newline for line in lines)
    if not text[:end].endswith("\n"):
        body = body.removesuffix(newline)
    return text[:start] + body + text[end:]


def shared_quote(nodes: Sequence[Node]) -> str:
    """The quote that all `nodes` have; empty if they have none or differ."""
    styles = {node.style for node in nodes}
    style = styles.pop() if len(styles) == 1 else ""
    return style if style in QUOTES else ""


def _in_place(text: str, key: Node, node: Node, value: object) -> str:
    _refuse_comments(text, key, node)
    return text[: node.start] + field_text(key.text, value, shared_quote(node.items)) + text[node.end :]


def _on_one_line(text: str, key: Node, node: Node, value: object) -> str:
    newline = text.find("\n", node.end)
    if "#" in text[key.end : newline if newline >= 0 else len(text)]:
        raise Refused(f"the list of {key.text} may hold comments; edit it by hand", node.line)
    colon = text.index(":", key.end)
    return f"{text[: colon + 1]} {field_text(key.text, value)}{text[node.end :]}"


def _refuse_comments(text: str, key: Node, node: Node) -> None:
    inside = text[node.start : node.end]
    if "\n" in inside and "#" in inside:
        raise Refused(f"{key.text} is a list over several lines that may hold comments", node.line)


def _segments(text: str, start: int, node: Node) -> tuple[list[str], int]:
    """Each item's lines with the comment lines above it, and the offset where the last line ends."""
    found: list[str] = []
    for item in node.items:
        newline = text.find("\n", item.end)
        end = len(text) if newline < 0 else newline + 1
        found.append(text[start:end])
        start = end
    return found, start


def _matched(node: Node, value: Sequence[object]) -> list[int | None]:
    """For each item of `value`, the index of the first unused equal item of `node`."""
    free = dict(enumerate(map(meaning, node.items)))
    found: list[int | None] = []
    for item in map(meaning_of, value):
        source = next((index for index, present in free.items() if present == item), None)
        if source is not None:
            del free[source]
        found.append(source)
    return found
