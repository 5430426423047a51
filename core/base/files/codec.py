# SPDX-License-Identifier: Apache-2.0
"""Values as JSON and back, by their annotations: the type determines what its files contain, in field order.

Unknown fields are ignored and missing fields take their default, so files of older and newer versions can be
read.
"""

import json
import zlib
from collections.abc import Hashable, Mapping
from datetime import date, datetime, time
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec

from core.base.errors import TTMatrixError
from core.base.files.reading import read_text

T = TypeVar("T")
_CHECKSUM_BYTES = 4

_AS_THEY_ARE = (datetime, date, time)
"""Types that YAML has and JSON lacks: the code that writes such a value converts it."""


class Malformed(ValueError):
    """The data does not have the expected form."""

    def __init__(self, problem: str, place: str = "") -> None:
        """`place` is a JSON path such as `$.edits[0].after`; empty: all of it."""
        super().__init__(f"{place}: {problem}" if place else problem)
        self.problem = problem
        self.place = place


class FormatError(TTMatrixError):
    """A file that cannot be understood: which file, which place, and what to do about it."""

    def __init__(self, file: Path, cause: Malformed, hint: str) -> None:
        super().__init__(f"Cannot read {file}", str(cause), hint)
        self.file = file
        self.place = cause.place


def plain(value: object) -> Any:
    """`value` as JSON types: dataclasses by field, tuples and sets as lists, enums and paths as text."""
    return msgspec.to_builtins(value, builtin_types=_AS_THEY_ARE, str_keys=True, enc_hook=_encoded)


def parsed(text: str | bytes) -> Any:
    """The value in a JSON text. Raises Malformed for invalid JSON, or for nesting deeper than ours ever is."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"it is not JSON: {error}") from error


def typed(raw: object, kind: type[T]) -> T:
    """Plain data as a value of `kind`; conversions that could hide a mistake are refused. Raises Malformed."""
    try:
        return msgspec.convert(raw, kind, dec_hook=_decoded)
    except msgspec.ValidationError as error:
        problem, _, place = str(error).partition(" - at ")
        raise Malformed(problem, place.strip("`")) from error


def reshaped(value: object, kind: type[T]) -> T:
    """`value` as another class with the same field names, including nested values."""
    return msgspec.convert(value, kind, from_attributes=True, dec_hook=_decoded)


def decoded(text: str | bytes, kind: type[T]) -> T:
    """The value of `kind` in a JSON text. Raises Malformed."""
    return typed(parsed(text), kind)


def decoded_at_once(text: str | bytes, kind: type[T]) -> T:
    """As `decoded`, faster; some texts that `decoded` understands raise Malformed here, such as those with NaN."""
    try:
        value: T = _decoder(cast(Hashable, kind)).decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
        raise Malformed(str(error)) from error
    return value


@cache
def _decoder(kind: Any) -> "msgspec.json.Decoder[Any]":
    return msgspec.json.Decoder(kind, dec_hook=_decoded)


def read_as(file: Path, kind: type[T], hint: str) -> T:
    """The value of `kind` in a file of JSON. Raises FormatError with `hint`, and TTMatrixError as `read_text` does."""
    try:
        return decoded(read_text(file), kind)
    except Malformed as error:
        raise FormatError(file, error, hint) from error


def packed(value: object) -> bytes:
    """`value` as MessagePack, for caches: smaller and several times faster than JSON, but not readable.

    It begins with a checksum: a damaged cache must not look like another value. Raises UnicodeEncodeError for a text
    with a byte that was not UTF-8.
    """
    data = msgspec.msgpack.encode(value, enc_hook=_encoded)
    return zlib.crc32(data).to_bytes(_CHECKSUM_BYTES) + data


def unpacked(data: bytes, kind: type[T]) -> T:
    """The value that was given to `packed`. Raises Malformed."""
    checksum, data = data[:_CHECKSUM_BYTES], data[_CHECKSUM_BYTES:]
    if zlib.crc32(data).to_bytes(_CHECKSUM_BYTES) != checksum:
        raise Malformed("it is damaged")
    try:
        return msgspec.msgpack.decode(data, type=kind, dec_hook=_decoded)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Malformed(str(error)) from error


def _encoded(value: object) -> object:
    match value:
        case Path():
            return str(value)
        case Mapping():
            return dict(value)
    raise NotImplementedError(f"{type(value).__name__} has no form in JSON")


_path = lru_cache(Path)
"""Thousands of runs share nearly all their paths."""


def _decoded(kind: type, value: object) -> object:
    if kind is object:
        return value
    if kind is Path and isinstance(value, str):
        return _path(value)
    raise TypeError(f"Expected `{kind.__name__}`, got `{type(value).__name__}`")
