# SPDX-License-Identifier: Apache-2.0
"""Completion of a query while it is typed: names of fields and their values."""

import re
from dataclasses import dataclass
from itertools import islice

from core.base.errors import QueryError
from core.matrix.query.context import Scope
from core.matrix.query.fields import BY_NAME, FIELDS
from core.matrix.query.terms import Term

# A run of characters without spaces and parentheses, except within quotes, which may be open.
_STRETCH = re.compile(r'(?:[^\s"()]|"(?:[^"\\]|\\.)*(?:"|\\?\Z))+|[\s()]', re.DOTALL)
_FIELD_AND_VALUES = re.compile(r"(?P<field>[A-Za-z_][A-Za-z_0-9]*):(?:.*,)?[<>=]*(?P<value>[^,]*)", re.DOTALL)
_BEFORE_VALUE = frozenset(":,<>=")
"""Characters directly before a value."""
_MOST_VALUES = 40
"""As many as fill a screen."""
_WORD_START = re.compile(r"(?<![^\W_])(?=[^\W_])")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A text to replace the range from `start` to `end` (0-based, end excluded)."""

    text: str
    start: int
    end: int
    help: str


def complete(scope: Scope, text: str, cursor: int, most: int | None = None) -> list[Suggestion]:
    """Completions of the word that ends at `cursor`, best first, ignoring case.

    A value is also found by the beginning of any word in it (`status:xf` offers `xfail`). Nothing is offered in quotes.
    If no letter of a value is typed yet, at most `most` are offered; None: all of them.
    """
    stretches = [match[0] for match in _STRETCH.finditer(text[:cursor])]
    word = stretches[-1].lstrip("!") if stretches and not re.fullmatch(r"[\s()]", stretches[-1]) else ""
    if '"' in word or "~" in word:
        return []
    match = _FIELD_AND_VALUES.fullmatch(word)
    if match is None:
        start = cursor - len(word)
        names = [field for field in FIELDS if field.name and field.name.startswith(word.lower())]
        return [Suggestion(f"{field.name}:", start, cursor, field.help) for field in names]
    typed = match["value"]
    values = _values(scope, match["field"].lower(), typed.lower(), None if typed else most)
    return [Suggestion(written, cursor - len(typed), cursor, help) for written, help in values.items()]


def completed(scope: Scope, text: str) -> str:
    """`text` with its last word completed; empty if no word is begun or nothing completes it.

    After a field's name and colon, the first of its values is used.
    """
    for suggestion in complete(scope, text, len(text)):
        typed = text[suggestion.start :]
        if (
            (typed or text[-1:] in _BEFORE_VALUE)
            and suggestion.text.lower().startswith(typed.lower())
            and len(suggestion.text) > len(typed)
        ):
            return text + suggestion.text[len(typed) :]
    return ""


def so_far(text: str, error: QueryError) -> str:
    """`text` without what `error` says has no value: `a status:` -> `a`, `status:xfail,` -> `status:xfail`."""
    end = error.column + len(error.token)
    before_comma = error.token[:-1] if error.token.endswith(",") else ""
    return text[: error.column] + before_comma + text[end:]


def values_wanted(scope: Scope, text: str) -> str:
    """`status: expected_passing, ...` if `text` ends right before a value of a field with a list of values."""
    if text[-1:] not in _BEFORE_VALUE:
        return ""
    offered = complete(scope, text, len(text), _MOST_VALUES + 1)
    values = [suggestion.text for suggestion in offered if not suggestion.text.endswith(":")]
    name = re.split(r"[\s()!]", text)[-1].partition(":")[0]
    shown = values[:_MOST_VALUES] + (["..."] if len(values) > _MOST_VALUES else [])
    return f"{name}: {', '.join(shown)}" if values else ""


def _values(scope: Scope, name: str, typed: str, most: int | None) -> dict[str, str]:
    """The values of a field that begin with `typed`, then those with a later word that does, as written in a query.

    Each is mapped to the whole value that it means.
    """
    field = BY_NAME.get(name)
    known = field.completions(scope) if field and (not field.needs or field.needs in scope.learned) else ()
    values = [text for text in islice(known, most) if typed in text.lower()]
    found = {_written(text): text for text in values if text.lower().startswith(typed)}
    if typed:
        inner = [
            (text[at:], text) for text in values for at in _word_starts(text) if text[at:].lower().startswith(typed)
        ]
        for rest, text in sorted(inner, key=lambda pair: len(pair[0])):
            found.setdefault(_written(rest), text)
    return found


def _word_starts(text: str) -> list[int]:
    return [match.start() for match in _WORD_START.finditer(text)]


def _written(value: str) -> str:
    """A value as written in a query."""
    return str(Term("x", (value,))).removeprefix("x:")


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the help: what to write, and what it means."""

    title: str
    rows: tuple[tuple[str, str], ...]


_OPERATORS = (
    ("a b", "both"),
    ("a or b", "either; a space binds more tightly"),
    ("!a", "not a; also: not a, and of a field: -status:xfail"),
    ("!op:add", "also rows that have no op; !op:none: those with an op"),
    ("!(a or b)", "parentheses group"),
    ("status:xfail,skip", "a field that has one of the values"),
    ('reason~"out of .*memory"', "a field that a regular expression matches, ignoring case"),
    ('"two words"', 'text with spaces, parentheses or commas; \\" is a quote'),
)

_VALUES = (
    ("NAME", "a value of the field or a part of one; none if the field can be empty"),
    ("TEXT", "any part of the text, ignoring case"),
    ("NUMBER", "0.99   <0.99   <=0.99   >0.98   >=0.98   0.97..0.99   none"),
)


def help_sections() -> tuple[Section, ...]:
    """The complete help, short enough for one screen."""
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
