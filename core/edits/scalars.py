# SPDX-License-Identifier: Apache-2.0
"""YAML text of one value in upstream's style (spec 2.6), read alike by YAML 1.1 and YAML 1.2."""

import re
from collections.abc import Sequence

# Words that start with a letter are never numbers, and with a slash inside they are never dates.
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.+/-]*|[0-9][A-Za-z0-9_.+-]*/[A-Za-z0-9_.+/-]*")
_RESERVED = frozenset({"true", "false", "yes", "no", "on", "off", "y", "n", "null"})
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_QUOTED_FIELDS = frozenset({"reason"})


def field_text(name: str, value: object, like: str = "") -> str:
    """`value` as the value of field `name`: `reason` is always quoted, a list is in flow style.

    `like` is the quote that the replaced text had (`'`, `"` or empty); text keeps it where it can.
    """
    if isinstance(value, list | tuple):
        return list_text(value, like)
    return scalar_text(value, like or ('"' if name in _QUOTED_FIELDS else ""))


def list_text(values: Sequence[object], like: str = "") -> str:
    """A flow list on one line."""
    return "[" + ", ".join(scalar_text(value, like) for value in values) + "]"


def scalar_text(value: object, like: str = "") -> str:
    """One scalar. Raises TypeError for what has no place in an entry, null included."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _float_text(value)
    if not isinstance(value, str):
        raise TypeError(f"no YAML text for {type(value).__name__}")
    if not like and _is_plain(value):
        return value
    if like == "'" and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    if value.isprintable():
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return '"' + "".join(map(_escaped, value)) + '"'


def _is_plain(text: str) -> bool:
    return _PLAIN.fullmatch(text) is not None and text.lower() not in _RESERVED


def _float_text(value: float) -> str:
    text = repr(value)
    mantissa, exponent, power = text.partition("e")
    # YAML 1.1 reads 1e-05 as text: it wants a point.
    return f"{mantissa}.0e{power}" if exponent and "." not in mantissa else text


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
