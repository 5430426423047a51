# SPDX-License-Identifier: Apache-2.0
"""What LLM tests are parametrised with, read off their decorators: until 2026-02-18 no constants held it."""

import ast
from collections.abc import Iterator

from core.model import Function
from core.sources.syntax import parse_python

_FIELDS = {
    "run_mode": "llm_modes",
    "parallelism": "llm_parallelisms",
    "mesh_shape": "llm_meshes",
    "sequence_length": "llm_sequence_lengths",
    "batch_size": "llm_batch_sizes",
}


def llm_parameters(text: str) -> dict[str, tuple[object, ...]]:
    """The lists of the LLM test in a test module, by the name of the field of `Schema`.

    What it is not parametrised with is empty: then ids have no such part. A list that is no literal is left out, and
    nothing is told of a module that has no such test or cannot be parsed.
    """
    try:
        tree = parse_python(text)
    except (SyntaxError, ValueError):
        return {}
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == Function.LLM:
            given = dict(_parametrized(statement))
            found = {field: given.get(name, ()) for name, field in _FIELDS.items()}
            return {field: values for field, values in found.items() if values is not None}
    return {}


def _parametrized(function: ast.FunctionDef) -> Iterator[tuple[str, tuple[object, ...] | None]]:
    for decorator in function.decorator_list:
        match decorator:
            case ast.Call(func=ast.Attribute(attr="parametrize"), args=[ast.Constant(value=str(name)), values]):
                yield name, _values(values)
            case _:
                pass


def _values(node: ast.expr) -> tuple[object, ...] | None:
    """The values of a literal list without its nulls, or the ids of its `pytest.param`s; None: it is neither."""
    if not isinstance(node, ast.List | ast.Tuple):
        return None
    found = [_value(item) for item in node.elts]
    if any(isinstance(value, ast.expr) for value in found):
        return None
    return tuple(value for value in found if value is not None)


def _value(node: ast.expr) -> object:
    """A constant, or the id of a `pytest.param`; the node itself where it is neither."""
    if isinstance(node, ast.Constant):
        return node.value
    keywords = node.keywords if isinstance(node, ast.Call) else []
    ids = [one.value for one in keywords if one.arg == "id" and isinstance(one.value, ast.Constant)]
    return ids[0].value if ids else node
