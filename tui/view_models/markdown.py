# SPDX-License-Identifier: Apache-2.0
"""The Markdown of reports as styled text: headings, lists, code and diffs, without the signs that mark them."""

import re

from rich.text import Text

from core.text import printable

_INLINE = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)]+)\)")
_HEADING = re.compile(r"(#{1,6}) +(.*)")
_ITEM = re.compile(r"( *)[-*] +(.*)")
_FENCE = re.compile(r" *```")


def rendered(source: str) -> Text:
    """Markdown as a person reads it; what is in a fence stays as it is, the lines of a diff coloured."""
    text, fenced = Text(), False
    for line in printable(source).splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        elif fenced:
            text.append(f"  {line}\n", _diff_style(line))
        elif found := _HEADING.match(line):
            text.append(_inline(found[2], "bold underline" if len(found[1]) == 1 else "bold"))
            text.append("\n")
        elif found := _ITEM.match(line):
            text.append(f"{found[1]}• ")
            text.append(_inline(found[2]))
            text.append("\n")
        else:
            text.append(_inline(line))
            text.append("\n")
    return text


def _inline(line: str, style: str = "") -> Text:
    """A line with its code, its strong words and its links."""
    text, end = Text(style=style), 0
    for found in _INLINE.finditer(line):
        text.append(line[end : found.start()])
        code, strong, words, address = found.groups()
        if code is not None:
            text.append(code, "italic")
        elif strong is not None:
            text.append(strong, "bold")
        else:
            text.append(words if words == address else f"{words} ({address})")
        end = found.end()
    text.append(line[end:])
    return text


def _diff_style(line: str) -> str:
    if line.startswith(("+++", "---", "@@")):
        return "dim"
    return {"+": "green", "-": "red"}.get(line[:1], "")
