# SPDX-License-Identifier: Apache-2.0
"""Read the `tags` property that tt-xla's runner writes: `str` of a dictionary (spec 4.6)."""

import ast
import json
import math
import re
from collections.abc import Mapping

_MOST_CHARACTERS = 1_000_000
_NOT_FINITE = {"nan": math.nan, "inf": math.inf}
_AS_JSON = {"None": "null", "True": "true", "False": "false", "nan": "NaN", "inf": "Infinity"}
_JSON_NAMES = ("true", "false", "null", "NaN", "Infinity")
_STRING = re.compile(r"""('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")""")
_MARK = "'"
_DECODE = json.JSONDecoder(strict=False).decode


def parse_tags(text: str) -> Mapping[str, object]:
    """The value of the property; empty where it is no dictionary. `nan` and `inf` may stand bare in it."""
    if len(text) > _MOST_CHARACTERS:
        return {}
    try:
        # Nearly always JSON but for its quotes and names, and that is read twenty times as fast as Python.
        value = _DECODE(_as_json(text))
    except (ValueError, SyntaxError, RecursionError):
        value = _python_value(text)
    return {str(key): one for key, one in value.items()} if isinstance(value, dict) else {}


def _as_json(text: str) -> str:
    """`text` as JSON where it is a literal that JSON has too. Raises ValueError or SyntaxError where it is none."""
    if '"' in text or "\\" in text:
        pieces, glue = _STRING.split(text), ""
        pieces[1::2] = map(_json_string, pieces[1::2])
    else:
        # No string holds a quote then, so what stands between two is a string and all else is not.
        pieces, glue = text.split("'"), '"'
    # Behind the strings no quote is left, so one can stand for each of them.
    outside = _MARK.join(pieces[::2])
    if any(name in outside for name in _JSON_NAMES):
        raise ValueError("a name that Python does not know")
    for name, word in _AS_JSON.items():
        outside = outside.replace(name, word)
    pieces[::2] = outside.split(_MARK)
    return glue.join(pieces)


def _json_string(literal: str) -> str:
    if literal[0] == '"' or "\\" in literal or '"' in literal:
        return json.dumps(ast.literal_eval(literal))
    return f'"{literal[1:-1]}"'


def _python_value(text: str) -> object:
    try:
        return ast.literal_eval(_Finite().visit(ast.parse(text.strip(), mode="eval")))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


class _Finite(ast.NodeTransformer):
    """Puts numbers in the place of the names that `repr` gives to those without digits."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.copy_location(ast.Constant(_NOT_FINITE[node.id]), node) if node.id in _NOT_FINITE else node
