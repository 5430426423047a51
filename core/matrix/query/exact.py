# SPDX-License-Identifier: Apache-2.0
"""Query terms that select exactly the tests with one given text in a field."""

import os
import re
from collections.abc import Iterable

from core.matrix.query.kinds import NONE
from core.matrix.query.query import Query
from core.matrix.query.terms import TEXT, Node, Operator, Term, negation

_SPECIAL = re.compile(r"[\\.^$*+?{}\[\]|()]")


def plain(text: str) -> Node:
    """The term for a part of the id, whatever letters it has."""
    return Term(TEXT, (text,))


def named(field: str, text: str) -> Node:
    """The term for a text of a field with a closed vocabulary, in which a whole name has priority over parts."""
    return Term(field, (text.lower() or NONE,))


def written(field: str, text: str, others: Iterable[str]) -> Node:
    """The term for a whole text of a free-text field that also has the texts `others`."""
    return _matching(field, f"{_SPECIAL.sub(_escaped, text)}$", text, others) if text else _empty(field)


def nothing_beside(field: str, text: str) -> Node:
    """The term for having no text except `text` in a free-text field."""
    return negation(Term(field, (f"^(?!{_SPECIAL.sub(_escaped, text)}$)",), Operator.MATCHES))


MOST_NAMED = 300
"""A query by name for more tests than this would take long to read."""


def exactly(ids: Iterable[str]) -> Query:
    """The query for the tests with these ids, at least one, with what they share once; cases of letters are alike."""
    found = sorted(set(ids))
    start = os.path.commonprefix(found)  # noqa: RUF071 - of texts, letter by letter
    rests = [id[len(start) :] for id in found]
    end = os.path.commonprefix([rest[::-1] for rest in rests])[::-1]  # noqa: RUF071
    middles = "|".join(_SPECIAL.sub(_escaped, rest[: len(rest) - len(end)]) for rest in rests)
    pattern = "".join(
        (_SPECIAL.sub(_escaped, start), f"({middles})" if len(found) > 1 else "", _SPECIAL.sub(_escaped, end))
    )
    return Query((Term("id", (f"^{pattern}$",), Operator.MATCHES),))


def beginning(field: str, text: str, others: Iterable[str]) -> Node:
    """The term for the texts of a free-text field that begin with `text`; `others` begin differently."""
    return _matching(field, _SPECIAL.sub(_escaped, text), text, others)


def _matching(field: str, pattern: str, text: str, others: Iterable[str]) -> Node:
    # Patterns ignore case, which rarely matters; where it does, they are made exact.
    folded = text.lower()
    if any(other != text and other.lower() == folded for other in others):
        pattern = f"(?-i:{pattern})"
    return Term(field, (f"^{pattern}",), Operator.MATCHES)


def _empty(field: str) -> Node:
    return negation(Term(field, (".",), Operator.MATCHES))


def _escaped(match: re.Match[str]) -> str:
    return f"\\{match[0]}"
