# SPDX-License-Identifier: Apache-2.0
"""Replace a list: items that stay keep their bytes, in brackets or one a line with the comments they have there."""

from collections.abc import Sequence

from core.edits.meaning import meaning, meaning_of
from core.edits.nodes import QUOTES, Kind, Node
from core.edits.operations import Refused
from core.edits.scalars import field_text, scalar_text


def replace_list(text: str, key: Node, node: Node, value: object, newline: str) -> str:
    """`text` with the list at `node`, which is the value of `key`, set to `value`.

    Raises Refused where that would lose a comment or something it does not understand.
    """
    flow = node.style == "flow"
    if not isinstance(value, list | tuple) or not value:
        return (_in_place if flow else _on_one_line)(text, key, node, value)
    return _flow(text, key, node, value) if flow else _block(text, key, node, value, newline)


def _flow(text: str, key: Node, node: Node, value: Sequence[object]) -> str:
    """Separators that stay between the same two items stay; the others are what the first one is."""
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
    if any(item.kind is not Kind.SCALAR or item.style in ("|", ">") for item in node.items):
        raise Refused(f"{name} holds more than plain items; edit it by hand", node.line)
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
    """The quote that all `nodes` have; empty where they have none or differ."""
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
    """Each item's lines with the comment lines above it; and where the last line ends."""
    found: list[str] = []
    for item in node.items:
        newline = text.find("\n", item.end)
        end = len(text) if newline < 0 else newline + 1
        found.append(text[start:end])
        start = end
    return found, start


def _matched(node: Node, value: Sequence[object]) -> list[int | None]:
    """For each item of `value` the item of `node` that says the same and is not taken yet."""
    free = dict(enumerate(map(meaning, node.items)))
    found: list[int | None] = []
    for item in map(meaning_of, value):
        source = next((index for index, present in free.items() if present == item), None)
        if source is not None:
            del free[source]
        found.append(source)
    return found
