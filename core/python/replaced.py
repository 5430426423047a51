# SPDX-License-Identifier: Apache-2.0
"""Keys of a table that a later one replaces: members of an enum with the same value are one member."""

import ast
import re
from collections.abc import Iterator, Mapping

from core.python.syntax import parse_python
from core.python.undefined import Undefined

_MEMBER = re.compile(rb"^[ \t]+\w+[ \t]*=[ \t]*([\"'][^\"'\n]*[\"'])", re.MULTILINE)
_KEY = re.compile(rb"^[ \t]+(\w+\.\w+)[ \t]*:", re.MULTILINE)


def replaced_keys(source: bytes, table: str) -> tuple[Undefined, ...]:
    """Each member of an enum that a later key of the dict `table` replaces, with that key and its line."""
    members, keys = _MEMBER.findall(source), _KEY.findall(source)
    # Mostly all of them differ: then nothing is parsed.
    if len(members) == len(set(members)) and len(keys) == len(set(keys)):
        return ()
    tree = parse_python(source)
    enums = {node.name: _members(node) for node in tree.body if isinstance(node, ast.ClassDef)}
    return tuple(lost for node in ast.walk(tree) if _is_table(node, table) for lost in _replaced(node, enums))


def _members(node: ast.ClassDef) -> dict[str, str]:
    """The members of an enum that are texts."""
    found: dict[str, str] = {}
    for one in node.body:
        match one:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(value))):
                found[name] = value
            case _:
                pass
    return found


def _is_table(node: ast.AST, table: str) -> bool:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name == table
        case _:
            return False


def _replaced(node: ast.AST, enums: Mapping[str, Mapping[str, str]]) -> Iterator[Undefined]:
    table = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    seen: dict[tuple[str, str], str] = {}
    for key in table.keys if isinstance(table, ast.Dict) else ():
        match key:
            case ast.Attribute(value=ast.Name(id=enum), attr=name) if name in enums.get(enum, {}):
                value = enum, enums[enum][name]
                if value in seen:
                    yield Undefined(seen[value], name, key.lineno)
                seen[value] = name
            case _:
                pass
