# SPDX-License-Identifier: Apache-2.0
"""Replace a list written one item a line: items that stay keep their lines, comments included."""

from core.edits.nodes import Kind, Node
from core.edits.operations import Refused
from core.edits.scalars import field_text, scalar_text


def replace_block_list(text: str, key: Node, node: Node, value: object, newline: str) -> str:
    """`text` with the block list at `node`, which is the value of `key`, set to `value`.

    Raises Refused where that would lose a comment or something it does not understand.
    """
    name = key.text
    if not isinstance(value, list | tuple) or not value:
        return _on_one_line(text, key, node, value)
    if any(item.kind is not Kind.SCALAR or item.style in ("|", ">") for item in node.items):
        raise Refused(f"line {node.line}: {name} holds more than plain items; edit it by hand")
    start = text.rfind("\n", 0, node.start) + 1
    dash = text[start : node.start]
    if dash.strip(" "):
        raise Refused(f"line {node.line}: {name} does not start on a line of its own; edit it by hand")
    segments, end = _segments(text, start, node)
    lines = [_take(segments, item) or f"{dash}- {scalar_text(item)}{newline}" for item in value]
    body = "".join(line if line.endswith("\n") else line + newline for line in lines)
    if not text[:end].endswith("\n"):
        body = body.removesuffix(newline)
    return text[:start] + body + text[end:]


def _on_one_line(text: str, key: Node, node: Node, value: object) -> str:
    newline = text.find("\n", node.end)
    if "#" in text[key.end : newline if newline >= 0 else len(text)]:
        raise Refused(f"line {node.line}: the list of {key.text} may hold comments; edit it by hand")
    colon = text.index(":", key.end)
    return f"{text[: colon + 1]} {field_text(key.text, value)}{text[node.end :]}"


def _segments(text: str, start: int, node: Node) -> tuple[list[tuple[str, str]], int]:
    """Each item's text with its lines and the comment lines above it; and where the last line ends."""
    found: list[tuple[str, str]] = []
    for item in node.items:
        newline = text.find("\n", item.end)
        end = len(text) if newline < 0 else newline + 1
        found.append((item.text, text[start:end]))
        start = end
    return found, start


def _take(segments: list[tuple[str, str]], item: object) -> str:
    for index, (value, lines) in enumerate(segments):
        if value == item:
            del segments[index]
            return lines
    return ""
