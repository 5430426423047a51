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
_TOKEN = re.compile(r"""'([^'\\\n"]*)'|('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")|\b([A-Za-z_]\w*)\b""")


def parse_tags(text: str) -> Mapping[str, object]:
    """The value of the property; empty where it is no dictionary. `nan` and `inf` may stand bare in it."""
    if len(text) > _MOST_CHARACTERS:
        return {}
    try:
        # Nearly always JSON but for its quotes and names, and that is read twenty times as fast as Python.
        value = json.loads(_TOKEN.sub(_json_token, text), strict=False)
    except (ValueError, RecursionError):
        value = _python_value(text)
    return {str(key): one for key, one in value.items()} if isinstance(value, dict) else {}


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
