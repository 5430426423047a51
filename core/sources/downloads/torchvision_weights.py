# SPDX-License-Identifier: Apache-2.0
"""Addresses and sizes of torchvision's weights, read from its own source, which is not imported."""

import ast
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from core.base.errors import TTMatrixError
from core.base.files import read_text
from core.python import parse_python

_MIB = 2**20


class WeightFile(NamedTuple):
    """The facts that torchvision has about one file."""

    address: str
    size: int | None
    """In bytes."""


@lru_cache(maxsize=4)
def torchvision_files(models: Path) -> Mapping[tuple[str, str], WeightFile]:
    """By model and member of its weights, from the directory `models` of torchvision's source.

    The member for `pretrained=True` is empty. Files that cannot be read are skipped.
    """
    found: dict[tuple[str, str], WeightFile] = {}
    for file in sorted(models.rglob("*.py")):
        try:
            tree = parse_python(read_text(file))
        except (TTMatrixError, SyntaxError, ValueError):
            continue
        classes = {one.name: dict(_members(one)) for one in tree.body if isinstance(one, ast.ClassDef)}
        for function in (one for one in tree.body if isinstance(one, ast.FunctionDef)):
            for name, first in _legacy(function):
                members = classes.get(name, {})
                found |= {(function.name, member): file for member, file in members.items()}
                if first in members:
                    found[function.name, ""] = members[first]
    return found


def _members(weights: ast.ClassDef) -> Iterator[tuple[str, WeightFile]]:
    """The members of a class of weights; `DEFAULT` names another of them."""
    found: dict[str, WeightFile] = {}
    for node in weights.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                if file := _file(call):
                    found[name] = file
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Name(id=other)) if other in found:
                found[name] = found[other]
    yield from found.items()


def _file(call: ast.Call) -> WeightFile | None:
    given = {word.arg: word.value for word in call.keywords}
    match given.get("url"), given.get("meta"):
        case ast.Constant(value=str(address)), ast.Dict(keys=keys, values=values):
            sizes = [
                value.value
                for key, value in zip(keys, values, strict=True)
                if isinstance(key, ast.Constant) and key.value == "_file_size" and isinstance(value, ast.Constant)
            ]
            size = next((one for one in sizes if isinstance(one, int | float) and 0 <= one < _MIB), None)
            return WeightFile(address, None if size is None else round(size * _MIB))
    return None


def _legacy(function: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """The class of a model's weights, and the member that `pretrained=True` selects, according to its decorator."""
    for node in function.decorator_list:
        for word in node.keywords if isinstance(node, ast.Call) else ():
            match word:
                case ast.keyword(arg="weights", value=ast.Tuple(elts=[_, ast.Attribute() as member])):
                    yield ast.unparse(member.value), member.attr
