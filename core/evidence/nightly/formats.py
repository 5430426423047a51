# SPDX-License-Identifier: Apache-2.0
"""The page of a nightly as text, as Markdown that can be pasted as it is, and as HTML that loads nothing."""

import re
from collections.abc import Iterator, Sequence
from html import escape

from core.base.text import is_page, one_line
from core.evidence.nightly.night import Night
from core.evidence.nightly.page import Line, Link, against, headline, sections

MOST_LINES = 80
"""Of Markdown; what is left out of a section is folded, in one line."""
_SHOWN_TESTS = 3
_MOST_CHARACTERS = 300
_MOST_OF_ALL = 60_000
"""Characters: an issue may have 65,536."""
_FRAME = 200
"""Characters of a fold without its lines."""
_AT = "@\N{ZERO WIDTH SPACE}"
"""Nobody is called by what a log has."""
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")


def text(night: Night) -> Iterator[str]:
    """Lines for a terminal."""
    yield headline(night)
    yield night.run.url
    yield against(night)
    for section in sections(night):
        yield ""
        yield f"{section.title}: {len(section.lines)}"
        for line in section.lines:
            head = " ".join(filter(None, (f"[{line.area}]" if line.area else "", line.text, line.said)))
            yield f"  {_cut(head)}"
            if line.note:
                yield f"    {_cut(line.note)}"
            for link in line.links[: _SHOWN_TESTS + 2]:
                yield f"    {_cut(link.text)}{f'  {link.url}' if link.url else ''}"
            if len(line.links) > _SHOWN_TESTS + 2:
                yield f"    and {len(line.links) - _SHOWN_TESTS - 2} more; --json lists all of them"


def markdown(night: Night) -> str:
    """At most 80 lines of Markdown, and no more than an issue takes."""
    found = sections(night)
    lines = [f"## {_md(headline(night))}", "", f"{_md(against(night))} [The run]({night.run.url})", ""]
    left = MOST_LINES - len(lines) - 4 * len(found)
    folds: list[tuple[int, str, list[str]]] = []
    for at, section in enumerate(found):
        # What one section does not need, the ones after it have.
        room = 0 if section.folded else max(1, left // max(1, sum(not one.folded for one in found[at:])))
        shown = section.lines[:room]
        left -= len(shown)
        lines.append(f"**{_md(section.title)}** ({len(section.lines)})")
        lines += [f"- {_md_line(line)}" for line in shown]
        if len(section.lines) > room or any(len(line.links) > _SHOWN_TESTS for line in shown):
            title = "the rest" if shown else f"{section.title}: {len(section.lines)}"
            lines += ["", ""]
            rest = [*_hidden_tests(shown), *map(_folded_line, section.lines[room:])]
            folds.append((len(lines) - 1, title, rest))
        lines.append("")
    spare = _MOST_OF_ALL - sum(len(line) + 1 for line in lines)
    for at, (place, title, rest) in enumerate(folds):
        lines[place] = _fold(title, rest, spare // (len(folds) - at))
        spare -= len(lines[place])
    return "\n".join(lines).rstrip("\n") + "\n"


def _fold(title: str, folded: Sequence[str], most: int) -> str:
    """Lines that are shown when somebody asks for them, in at most so many characters."""
    shown, left = 0, most - _FRAME
    while shown < len(folded) and (left := left - len(folded[shown]) - len("<br>")) >= 0:
        shown += 1
    more = [f"and {len(folded) - shown} more; <code>ttmatrix nightly</code> has them"] * (shown < len(folded))
    return f"<details><summary>{escape(title)}</summary>{'<br>'.join([*folded[:shown], *more])}</details>"


def _hidden_tests(lines: Sequence[Line]) -> Iterator[str]:
    """The tests that a line does not name."""
    for line in lines:
        for link in line.links[_SHOWN_TESTS:]:
            yield f"<code>{escape(_cut(line.said or line.text))}</code>: {_html_link(link)}"


def _folded_line(line: Line) -> str:
    return _html_line(line).replace("@", _AT)


def _md_line(line: Line) -> str:
    area = f"**{_md(line.area)}** " if line.area else ""
    links = ", ".join(map(_md_link, line.links[:_SHOWN_TESTS]))
    more = f" and {len(line.links) - _SHOWN_TESTS} more" if len(line.links) > _SHOWN_TESTS else ""
    said = _code(line.said) if line.said else ""
    parts = (_md(_cut(line.text)), said, f"{links}{more}", f"({_md(_cut(line.note))})" if line.note else "")
    return area + " — ".join(filter(None, parts))


def _md_link(link: Link) -> str:
    return f"[{_code(link.text)}]({link.url})" if is_page(link.url) else _code(link.text)


def _code(text: str) -> str:
    return f"`{_cut(text).replace('`', chr(39))}`"


def _md(text: str) -> str:
    """Text from outside, which must not become markup, nor call anybody."""
    return _SPECIAL.sub(r"\\\1", one_line(text)).replace("&", "&amp;").replace("@", _AT)


def html_body(night: Night) -> Iterator[str]:
    """The lines of an HTML page below its title, which loads nothing."""
    yield f'<p>{escape(against(night))} <a href="{escape(night.run.url)}">The run</a></p>'
    for section in sections(night):
        items = "".join(f"<li>{_html_line(line)}</li>" for line in section.lines)
        title = f"{escape(section.title)} ({len(section.lines)})"
        if section.folded:
            yield f"<details><summary>{title}</summary><ul>{items}</ul></details>"
        else:
            yield f"<h2>{title}</h2><ul>{items}</ul>"


def _html_line(line: Line) -> str:
    area = f"<b>{escape(line.area)}</b> " if line.area else ""
    said = f"<code>{escape(_cut(line.said))}</code>" if line.said else ""
    note = f"({escape(_cut(line.note))})" if line.note else ""
    links = ", ".join(map(_html_link, line.links))
    return area + " ".join(filter(None, (escape(_cut(line.text)), said, links, note)))


def _html_link(link: Link) -> str:
    text = f"<code>{escape(_cut(link.text))}</code>"
    return f'<a href="{escape(link.url)}">{text}</a>' if is_page(link.url) else text


def _cut(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= _MOST_CHARACTERS else f"{line[: _MOST_CHARACTERS - 1]}…"
