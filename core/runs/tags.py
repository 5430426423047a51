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
_JSON_NAME = re.compile("true|false|null|NaN|Infinity")
_MARK = "'"
_DECODE = json.JSONDecoder(strict=False).decode
_TOKEN = re.compile(r"""'([^'\\\n"]*)'|('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")|\b([A-Za-z_]\w*)\b""")


def parse_tags(text: str) -> Mapping[str, object]:
    """The value of the property; empty where it is no dictionary. `nan` and `inf` may stand bare in it."""
    if len(text) > _MOST_CHARACTERS:
        return {}
    try:
        # Nearly always JSON but for its quotes and names, and that is read twenty times as fast as Python.
        value = _DECODE(_as_json(text))
    except (ValueError, RecursionError):
        value = _python_value(text)
    return {str(key): one for key, one in value.items()} if isinstance(value, dict) else {}


def _as_json(text: str) -> str:
    """`text` as JSON where it is a literal that JSON has too; else something that is none."""
    if "\\" in text or '"' in text:
        return _TOKEN.sub(_json_token, text)
    # Without either no string holds a quote, so what stands between two is a string and all else is not.
    pieces = text.split("'")
    outside = _MARK.join(pieces[::2])
    if _JSON_NAME.search(outside):
        raise ValueError("a name that Python does not know")
    for name, word in _AS_JSON.items():
        outside = outside.replace(name, word)
    pieces[::2] = outside.split(_MARK)
    return '"'.join(pieces)


def _json_token(match: re.Match[str]) -> str:
    plain, quoted, name = match.groups()
    if plain is not None:
        return f'"{plain}"'
    if quoted is not None:
        return json.dumps(ast.literal_eval(quoted))
    # A name that Python's `repr` never writes must not mean anything to JSON either.
    return _AS_JSON.get(name, "?")


def _python_value(text: str) -> object:
    try:
        return ast.literal_eval(_Finite().visit(ast.parse(text.strip(), mode="eval")))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


class _Finite(ast.NodeTransformer):
    """Puts numbers in the place of the names that `repr` gives to those without digits."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.copy_location(ast.Constant(_NOT_FINITE[node.id]), node) if node.id in _NOT_FINITE else node
