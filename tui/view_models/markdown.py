# SPDX-License-Identifier: Apache-2.0
"""The Markdown of reports as styled text: headings, lists, code and diffs, without the markup."""

from collections.abc import Iterable

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.text import Text

from core.base.text import printable

# Rich's own renderer draws boxes and uses the colours of Pygments: neither suits our themes, nor `--ascii`.
_PARSER = MarkdownIt("commonmark")
_LISTS = {"bullet_list_open": 1, "ordered_list_open": 1, "bullet_list_close": -1, "ordered_list_close": -1}
_INDENT = "  "


def rendered(source: str) -> Text:
    """Markdown as styled text; fenced text is unchanged, and lines of a diff are coloured.

    A paragraph is one line, which the view wraps; blank lines between parts are those of the source.
    """
    text, at, style, bullet, depth = Text(), 0, "", "", 0
    for token in _PARSER.parse(printable(source)):
        depth += _LISTS.get(token.type, 0)
        if token.type == "heading_open":
            style = "bold underline" if token.tag == "h1" else "bold"
        elif token.type == "list_item_open":
            bullet = f"{_INDENT * (depth - 1)}{f'{token.info}.' if token.info else '•'} "
        elif token.map is not None and (token.content or token.type == "fence"):
            start, end = token.map
            text.append("\n" * (start - at))
            text.append(bullet)
            inline = token.type == "inline"
            text.append(_inline(token.children or (), style, _INDENT * depth) if inline else _lines(token.content))
            at, style, bullet = end, "", ""
            if inline:
                text.append("\n")
    return text


def _inline(tokens: Iterable[Token], style: str, indent: str) -> Text:
    """The text of a block with code, emphasis and links; `indent` begins its further lines."""
    text, styles, address, words = Text(style=style), [""], "", ""
    for token in tokens:
        if token.nesting > 0:
            styles.append({"strong_open": "bold", "em_open": "italic"}.get(token.type, ""))
            address, words = str(token.attrs.get("href", "")), ""
        elif token.nesting < 0:
            styles.pop()
            if token.type == "link_close" and words != address:
                text.append(f" ({address})")
        else:
            said = {"softbreak": " ", "hardbreak": f"\n{indent}"}.get(token.type, token.content)
            text.append(said, "italic" if token.type == "code_inline" else styles[-1])
            words += said
    return text


def _lines(content: str) -> Text:
    """Text that is not changed: a fence, an indented block, HTML."""
    text = Text()
    for line in content.splitlines():
        text.append(f"{_INDENT}{line}\n", _diff_style(line))
    return text


def _diff_style(line: str) -> str:
    if line.startswith(("+++", "---", "@@")):
        return "dim"
    return {"+": "green", "-": "red"}.get(line[:1], "")
