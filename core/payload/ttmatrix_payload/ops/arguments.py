# SPDX-License-Identifier: Apache-2.0
"""Arguments of a case: its list `inputs`, and the keyword arguments in `attrs` and `kwmap`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .cases import Argument, DtypeName, How, Tensor, Value
from .dtypes import device_name, dtype_name, format_name
from .literals import MOST_ELEMENTS, read_literal
from .nodes import Bad, Field, Node, Notes, fields, is_null, items, near, only, scalar, shown, text
from .paths import path_refusal
from .tensor_keys import MOST_TENSORS, no_dtype, read_tensor
from .tokens import MOST_CHARACTERS, NotRead

KINDS = ("tensor", "tensor_list", "value", "py", "file")
_MOST_ARGUMENTS = 256
_MOST_DEPTH = 16
_KEYWORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


def read_inputs(node: Node, dtype: str, notes: Notes) -> tuple[Argument, ...]:
    """The positional arguments. `dtype` is the case's. Each mistake is noted. Raises Bad if there is no list."""
    if node.id == "mapping":
        raise Bad("inputs must be a list with one argument per item", node, "write a dash before each argument")
    read: list[Argument] = []
    for item in items(node, "inputs", _MOST_ARGUMENTS):
        with notes.catch():
            read.append(read_argument(item, dtype, notes))
    return tuple(read)


def read_argument(node: Node, dtype: str, notes: Notes) -> Argument:
    """One item of `inputs`: a mapping with one of `KINDS`. Raises Bad."""
    if node.id != "mapping" or len(node.value) != 1:
        raise Bad(f"an argument must be a mapping with exactly one of {', '.join(KINDS)}", node)
    key, value = node.value[0]
    if key.id != "scalar" or key.value not in KINDS:
        name = str(key.value)[:60] if key.id == "scalar" else "?"
        raise Bad(f"unknown kind of argument {name!r}", key, *near(name, KINDS, How.RENAME))
    if key.value == "tensor":
        return read_tensor(value, dtype, notes)
    if key.value == "tensor_list":
        tensors = items(value, "tensor_list", MOST_TENSORS)
        return tuple(read_tensor(_unwrapped(one), dtype, notes) for one in tensors)
    if key.value == "file":
        return _file(value, notes)
    if key.value == "py":
        return Value(only(read_literal, value, text(value, "py", MOST_CHARACTERS), "py"))
    return Value(read_value(value))


def _unwrapped(node: Node) -> Node:
    """`- tensor: {...}` in a list of tensors is the tensor itself."""
    if node.id == "mapping" and len(node.value) == 1 and node.value[0][0].value == "tensor":
        return node.value[0][1]
    return node


def _file(node: Node, notes: Notes) -> Tensor:
    found: Mapping[str, Field] = {}
    if node.id == "mapping":
        found = fields(node, ("path", "key"), notes, "file")
        if "path" not in found:
            raise Bad("file needs a path", node)
    at = found["path"].value if found else node
    path = text(at, "path", 1024)
    if reason := path_refusal(path):
        raise Bad(reason, at)
    key = text(found["key"].value, "key", 256) if "key" in found else ""
    return Tensor((), "", init="file", file=path, key=key, contiguous=False)


def read_keywords(found: Mapping[str, Field], notes: Notes) -> dict[str, object]:
    """The keyword arguments; `kwmap` takes precedence over `attrs`."""
    keywords: dict[str, object] = {}
    for name in ("attrs", "kwmap"):
        if name in found:
            with notes.catch():
                keywords.update(_keywords(found[name].value, name, notes))
    return keywords


def _keywords(node: Node, what: str, notes: Notes) -> dict[str, object]:
    if node.id != "mapping":
        raise Bad(f"{what} must be a mapping of keyword arguments", node)
    read: dict[str, object] = {}
    for key, value in node.value:
        name = str(key.value) if key.id == "scalar" else ""
        with notes.catch():
            if not _KEYWORD.fullmatch(name):
                raise Bad(f"{shown(name)} is not a name of a keyword argument", key)
            if name in read:
                raise Bad(f"{name} is there twice", key)
            read[name] = _dtype(value) if name == "dtype" else read_value(value)
    return read


def _dtype(node: Node) -> object:
    if is_null(node):
        return None
    value = read_value(node)
    if not isinstance(value, DtypeName):
        raise no_dtype(str(value), node)
    return value


def read_value(node: Node) -> object:
    """A value that is not a tensor. A text is parsed as a literal, a dtype or a device, in this order. Raises Bad."""
    return _value(node, [MOST_ELEMENTS], 0)


def _value(node: Node, left: list[int], depth: int) -> object:
    left[0] -= 1
    if left[0] < 0:
        raise Bad(f"it has more than {MOST_ELEMENTS:,} elements", node)
    if node.id == "sequence":
        if depth >= _MOST_DEPTH:
            raise Bad(f"it nests more than {_MOST_DEPTH} deep", node)
        return [_value(item, left, depth + 1) for item in items(node, "value", MOST_ELEMENTS)]
    if node.id == "mapping":
        raise Bad("must be a single value or a list, not a mapping", node)
    value = scalar(node, "value")
    return text_value(value) if isinstance(value, str) else value


def text_value(written: str) -> object:
    """The value of a text as an argument."""
    if _WORD.fullmatch(written) and written not in _LITERALS:
        # Most texts are plain words, for which the reader of literals can be skipped.
        return _dtype_or_device(written)
    try:
        return read_literal(written)
    except NotRead:
        return _dtype_or_device(written)


_WORD = re.compile(r"[A-Za-z_][\w.:]*")
_LITERALS = frozenset({"None", "True", "False", "Ellipsis", "inf", "nan"})


def _dtype_or_device(written: str) -> object:
    if name := dtype_name(written):
        return DtypeName(name)
    return device_name(written) or format_name(written) or written
