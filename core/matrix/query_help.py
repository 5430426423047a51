# SPDX-License-Identifier: Apache-2.0
"""How queries are written, as rows of help: the grammar, the fields there are, and what their values can be."""

from dataclasses import dataclass

from core.matrix.fields import FIELDS


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the help: what is written, and what it means."""

    title: str
    rows: tuple[tuple[str, str], ...]


_OPERATORS = (
    ("a b", "both"),
    ("a or b", "either; binds less than a space"),
    ("!a", "not a; also: not a"),
    ("!(a or b)", "parentheses group"),
    ("status:xfail,skip", "a field that has one of the values"),
    ('reason~"out of .*memory"', "a field in which a regular expression is found, case aside"),
    ('"two words"', 'text with spaces, parentheses or commas; \\" is a quote'),
)

_VALUES = (
    ("NAME", "one of the field's names or any part of some; none where it can be empty"),
    ("TEXT", "any part of the text, case aside"),
    ("NUMBER", "0.99   <0.99   <=0.99   >0.98   >=0.98   0.97..0.99   none"),
)


def help_sections() -> tuple[Section, ...]:
    """The whole help, short enough for one screen."""
    fields = tuple((f"{one.name}:{one.metavar}" if one.name else one.metavar, one.help) for one in FIELDS)
    return (
        Section("operators", _OPERATORS),
        Section("fields", fields),
        Section("values", _VALUES),
    )


def help_text() -> str:
    """The help as lines of text in two columns."""
    sections = help_sections()
    width = max(len(written) for section in sections for written, _ in section.rows)
    lines = []
    for section in sections:
        lines += [f"query {section.title}:", *(f"  {written:{width}}  {means}" for written, means in section.rows), ""]
    return "\n".join(lines[:-1])
