# SPDX-License-Identifier: Apache-2.0
"""Loaders with one piece of dtype handling removed, made independently of the code that must find it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

_OVERRIDE = "dtype_override"
_CASTS = frozenset({"to", "type", "cast_input_to_type"})


@dataclass(frozen=True, slots=True)
class Mutation:
    """A source text with a part removed."""

    line: int
    missing: str
    source: str


def mutations(source: str) -> Iterator[Mutation]:
    """Every way to remove one `dtype=` of a constructor or one cast to the override, outside `load_model`."""
    tree = ast.parse(source)
    for function in ast.walk(tree):
        if (
            isinstance(function, ast.FunctionDef)
            and "load_model" not in function.name
            and not _holds_functions(function)
        ):
            aware = _aware(function)
            for node in ast.walk(function):
                yield from _without_keyword(source, node, aware)
                yield from _without_cast(source, node, aware)


def _holds_functions(function: ast.FunctionDef) -> bool:
    return any(isinstance(one, ast.FunctionDef) for statement in function.body for one in ast.walk(statement))


def _aware(function: ast.FunctionDef) -> set[str]:
    """The override, a parameter `dtype`, and local variables that choose between these and a default."""
    aware = {_OVERRIDE}
    aware |= {arg.arg for arg in (*function.args.args, *function.args.kwonlyargs) if arg.arg == "dtype"}
    for node in ast.walk(function):
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.IfExp | ast.BoolOp)
            and _mentions(node.value, aware)
        ):
            aware |= {one.id for one in node.targets if isinstance(one, ast.Name) and "dtype" in one.id}
    return aware


def _mentions(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(one, ast.Name) and one.id in names for one in ast.walk(node))


def _without_keyword(source: str, node: ast.AST, aware: set[str]) -> Iterator[Mutation]:
    if not isinstance(node, ast.Call) or not ast.unparse(node.func).startswith("torch."):
        return
    for keyword in node.keywords:
        if keyword.arg == "dtype" and _mentions(keyword.value, aware):
            start, end = _span(source, keyword)
            head, tail = source[:start], source[end:]
            if tail.lstrip().startswith(",") and not head.rstrip().endswith(","):
                tail = tail.lstrip()[1:].lstrip()
            elif not tail.lstrip().startswith(","):
                head = head.rstrip().removesuffix(",")
            else:
                tail = tail.lstrip()[1:]
                head = head.rstrip() if tail.startswith(("\n", "\r")) else head
            yield Mutation(node.lineno, source[start:end], head + tail)


def _without_cast(source: str, node: ast.AST, aware: set[str]) -> Iterator[Mutation]:
    """Remove a cast statement with its guard, or the cast inside an expression."""
    if isinstance(node, ast.If) and len(node.body) == 1 and not node.orelse and _is_cast_statement(node.body[0], aware):
        if isinstance(node.test, ast.Compare | ast.Name) and _mentions(node.test, aware):
            yield _without_lines(source, node)
    elif isinstance(node, ast.If | ast.For | ast.FunctionDef) and len(node.body) > 1:
        for statement in node.body:
            if _is_cast_statement(statement, aware):
                yield _without_lines(source, statement)
    elif isinstance(node, ast.Call) and (inner := _cast_value(node, aware)) is not None:
        start, end = _span(source, node)
        first, last = _span(source, inner)
        yield Mutation(node.lineno, source[start:end], source[:start] + source[first:last] + source[end:])


def _is_cast_statement(statement: ast.stmt, aware: set[str]) -> bool:
    """`x = x.to(dtype_override)` and `x = cast_input_to_type(x, dtype_override)`."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return False
    inner = _cast_value(statement.value, aware)
    return inner is not None and ast.unparse(inner) == ast.unparse(statement.targets[0])


def _cast_value(call: ast.Call, aware: set[str]) -> ast.expr | None:
    """The value that a call casts to the override."""
    if not any(
        isinstance(one, ast.Name) and one.id in aware for one in [*call.args, *(k.value for k in call.keywords)]
    ):
        return None
    match call.func:
        case ast.Attribute(value=value, attr=name) if name in _CASTS:
            return value
        case ast.Name(id=name) if name in _CASTS:
            return call.args[0]
    return None


def _without_lines(source: str, statement: ast.stmt) -> Mutation:
    lines = source.splitlines(keepends=True)
    first, last = statement.lineno - 1, statement.end_lineno or statement.lineno
    gone = "".join(lines[first:last])
    return Mutation(statement.lineno, gone.strip(), "".join(lines[:first] + lines[last:]))


def _span(source: str, node: ast.expr | ast.keyword) -> tuple[int, int]:
    """Offsets in characters; the files are read with line feeds only."""
    lines = source.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)

    def offset(line: int, column: int) -> int:
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return offset(node.lineno, node.col_offset), offset(end_line, end_column)
