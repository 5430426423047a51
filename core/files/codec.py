# SPDX-License-Identifier: Apache-2.0
"""Values as JSON and back by their annotations: what a type says is what its files hold, in the order of its fields.

Fields that a reader does not know are passed over, and those that a file lacks take their default: so files of older
and of newer versions are read.
"""

import json
from collections.abc import Mapping
from datetime import date, datetime, time
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from core.errors import TTMatrixError
from core.files.replace import read_text

T = TypeVar("T")

_AS_THEY_ARE = (datetime, date, time)
"""Types that YAML has and JSON lacks: the code that writes such a value says how."""


class Malformed(ValueError):
    """What was read does not have the expected form."""

    def __init__(self, problem: str, place: str = "") -> None:
        """`place` is a JSON path such as `$.edits[0].after`; empty: all of it."""
        super().__init__(f"{place}: {problem}" if place else problem)
        self.problem = problem
        self.place = place


class FormatError(TTMatrixError):
    """A file that cannot be understood: which one, at which place, and what to do about it."""

    def __init__(self, file: Path, cause: Malformed, hint: str) -> None:
        super().__init__(f"Cannot read {file}", str(cause), hint)
        self.file = file
        self.place = cause.place


def plain(value: object) -> Any:
    """`value` as JSON can hold it: dataclasses by field, tuples and sets as lists, enums and paths as text."""
    return msgspec.to_builtins(value, builtin_types=_AS_THEY_ARE, str_keys=True, enc_hook=_encoded)


def parsed(text: str | bytes) -> Any:
    """What JSON says. Raises Malformed for a text that is none, or that is nested deeper than anything of ours."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"it is not JSON: {error}") from error


def typed(raw: object, kind: type[T]) -> T:
    """Plain data as a value of `kind`; nothing is converted that could be a mistake. Raises Malformed."""
    try:
        return msgspec.convert(raw, kind, dec_hook=_decoded)
    except msgspec.ValidationError as error:
        problem, _, place = str(error).partition(" - at ")
        raise Malformed(problem, place.strip("`")) from error


def reshaped(value: object, kind: type[T]) -> T:
    """`value` as a value of another class whose fields bear the same names, through all its parts."""
    return msgspec.convert(value, kind, from_attributes=True, dec_hook=_decoded)


def decoded(text: str | bytes, kind: type[T]) -> T:
    """The value of `kind` that JSON says. Raises Malformed."""
    return typed(parsed(text), kind)


def read_as(file: Path, kind: type[T], hint: str) -> T:
    """The value of `kind` in a file of JSON. Raises FormatError with `hint`, and TTMatrixError as `read_text` does."""
    try:
        return decoded(read_text(file), kind)
    except Malformed as error:
        raise FormatError(file, error, hint) from error


def packed(value: object) -> bytes:
    """`value` as MessagePack, for caches: smaller and several times faster than JSON, for no eyes.

    Raises UnicodeEncodeError where a text holds a byte that was no UTF-8.
    """
    return msgspec.msgpack.encode(value, enc_hook=_encoded)


def unpacked(data: bytes, kind: type[T]) -> T:
    """What `packed` was given. Raises Malformed."""
    try:
        return msgspec.msgpack.decode(data, type=kind, dec_hook=_decoded)
    except msgspec.DecodeError as error:
        raise Malformed(str(error)) from error


def _encoded(value: object) -> object:
    match value:
        case Path():
            return str(value)
        case Mapping():
            return dict(value)
    raise NotImplementedError(f"{type(value).__name__} has no form in JSON")


_path = lru_cache(Path)
"""Of thousands of runs nearly all have the same ones."""


def _decoded(kind: type, value: object) -> object:
    if kind is object:
        return value
    if kind is Path and isinstance(value, str):
        return _path(value)
    raise TypeError(f"Expected `{kind.__name__}`, got `{type(value).__name__}`")
