# SPDX-License-Identifier: Apache-2.0
"""Read upstream's lists from a checkout; missing ones keep the value of the pinned snapshot."""

import ast
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from core.base.files import is_there, read_bytes, read_loosely
from core.domain.model import TEST_MODULE, Finding, Function
from core.python import parse_python
from core.sources.checkout import Checkout
from core.sources.schema import Schema

_FIELDS = {
    "run_mode": "llm_modes",
    "parallelism": "llm_parallelisms",
    "mesh_shape": "llm_meshes",
    "sequence_length": "llm_sequence_lengths",
    "batch_size": "llm_batch_sizes",
}


def llm_parameters(text: str) -> dict[str, tuple[object, ...]]:
    """The lists of the LLM test in a test module, by the name of the field of `Schema`.

    A list is empty if the test is not parametrised with it: then ids have no such part. A list that is not literal is
    left out. The result is empty for a module without such a test, or one that cannot be parsed.
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
    """The values of a literal list without its nulls, or the ids of its `pytest.param`s; None: neither."""
    if not isinstance(node, ast.List | ast.Tuple):
        return None
    found = [_value(item) for item in node.elts]
    if any(isinstance(value, ast.expr) for value in found):
        return None
    return tuple(value for value in found if value is not None)


def _value(node: ast.expr) -> object:
    """A constant, or the id of a `pytest.param`; else the node itself."""
    if isinstance(node, ast.Constant):
        return node.value
    keywords = node.keywords if isinstance(node, ast.Call) else []
    ids = [one.value for one in keywords if one.arg == "id" and isinstance(one.value, ast.Constant)]
    return ids[0].value if ids else node


CONSTANTS = Path("tests/runner/test_config/constants.py")
_CONFTEST = Path("tests/runner/conftest.py")
_HOOK = "def pytest_collection_modifyitems("
_LISTS = (CONSTANTS, _CONFTEST)
"""Files with upstream's lists; the first one that has a list counts."""
SCHEMA_SOURCES = (*_LISTS, Path(TEST_MODULE))
"""All files that a schema is read from."""
_PARAMETER_ID = re.compile(r"""\bid=["'](\w+)["']""")
_MARKER = re.compile(r"\bpytest\.mark\.(\w+)")
_FULL = re.compile(r"""ids=\[["']full["']\]""")
_PLAIN = Schema()

_UPSTREAM_NAMES = {
    "ALLOWED_ARCHES": "archs",
    "ALLOWED_FIELDS": "fields",
    "PLACEHOLDERS_FILENAME": "placeholders_filename",
    "FRAMEWORKS": "config_directories",
    "PARALLELISMS_STANDARD": "parallelisms",
    "PARALLELISMS_LLM": "llm_parallelisms",
    "LLM_MESH_SHAPES": "llm_meshes",
    "RUN_MODES_STANDARD": "modes",
    "RUN_MODES_LLM": "llm_modes",
    "LLM_SEQUENCE_LENGTHS": "llm_sequence_lengths",
    "LLM_BATCH_SIZES": "llm_batch_sizes",
    "TORCH_EXCLUDED_MODEL_DIRS": "excluded_torch_directories",
}


def read_schema(checkout: Checkout) -> tuple[Schema, tuple[Finding, ...]]:
    """The schema of `checkout`. Constants that are absent or not literal keep the built-in value.

    Before there was a file of constants, archs were in the conftest; before there were meshes, LLM ids had no such
    part; before 2026, ids had the part `full`; before November 2025, JAX was not tested and one directory had all
    expectation files. All of that is derived from the checkout's own files.
    """
    found: dict[str, object] = {}
    findings: list[Finding] = []
    for path in reversed(_LISTS):
        literals, problem = _literals(checkout.root / path)
        found.update(literals)
        if problem:
            message = f"Cannot read the lists of upstream, using the built-in ones: {problem}"
            findings.append(Finding("broken-schema", message, path.as_posix()))
    if (checkout.root / CONSTANTS).is_file() and found and "llm_meshes" not in found:
        found["llm_meshes"] = ()
    found = {**_shape_of_ids(checkout.root / TEST_MODULE, found), **found}
    found.update(_markers_of_hook(checkout.root / _CONFTEST))
    return Schema()._replace(**found), tuple(findings)  # type: ignore[arg-type]


def _literals(path: Path) -> tuple[dict[str, object], str]:
    """The constants of one file by the name of the `Schema` field, and why it cannot be read."""
    if not is_there(path):
        return {}, ""
    try:
        tree = parse_python(read_bytes(path))
    except (OSError, SyntaxError, ValueError) as error:
        return {}, str(error)
    found: dict[str, object] = {}
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in _UPSTREAM_NAMES:
                literal = _ordered_literal(value)
                if literal is not None and _fits(_UPSTREAM_NAMES[name], literal):
                    found[_UPSTREAM_NAMES[name]] = literal
            case _:
                pass
    return found, ""


def _shape_of_ids(path: Path, known: Collection[str]) -> dict[str, object]:
    """Further facts about ids from the test module, beyond what is `known`; empty if there is no such module."""
    try:
        text = read_loosely(path)
    except (OSError, UnicodeDecodeError):
        return {}
    without_jax = _has(Function.MODELS, text) and not _has(Function.TORCH, text)
    torch = Function.MODELS if without_jax else Function.TORCH
    return {
        "full_in_ids": _FULL.search(text) is not None,
        "has_llm_tests": _has(Function.LLM, text),
        "has_op_by_op_tests": _has(Function.OP_BY_OP, text),
        "torch_function": torch,
        **_parameters(text, torch, "torch_parameters"),
        # In such a checkout, nothing divided the expectation files.
        **({"jax_parameters": (), "config_directories": ("",)} if without_jax else {}),
        **_parameters(text, Function.JAX, "jax_parameters"),
        **_parameters(text, Function.LLM_DECODE, "decode_parameters"),
        **({} if "llm_batch_sizes" in known else _llm_parameters(text)),
    }


def _llm_parameters(text: str) -> dict[str, object]:
    return {name: values for name, values in llm_parameters(text).items() if not values or _fits(name, values)}


def _has(function: Function, text: str) -> bool:
    return f"def {function}(" in text


def _parameters(text: str, function: Function, field: str) -> dict[str, object]:
    """The parameters in a test's decorators, under the name of the `Schema` field; empty if they are not literal."""
    before, found, _ = text.partition(f"def {function}(")
    lines = before[max(before.rfind("\ndef "), 0) :].splitlines() if found else []
    ids = [id for line in lines if not line.lstrip().startswith("#") for id in _PARAMETER_ID.findall(line)]
    distinct = not any(known.isdisjoint(ids) for known in ({*_PLAIN.parallelisms}, {*_PLAIN.modes}))
    return {field: tuple(ids)} if distinct else {}


def _markers_of_hook(path: Path) -> dict[str, object]:
    """Markers that the conftest's hook adds to those of the entry; empty if a checkout has no such hook."""
    try:
        text = read_loosely(path)
    except (OSError, UnicodeDecodeError):
        return {}
    if _HOOK not in text:
        return {}
    given = set(_MARKER.findall(text))
    hook = text.partition(_HOOK)[2].partition("\ndef ")[0]
    return {
        "group_markers": tuple(name for name in Schema().group_markers if name in given),
        "has_bringup_markers": "bringup_status" in hook,
    }


def _ordered_literal(node: ast.expr) -> object | None:
    """The value of a literal; sets and lists become tuples in the order of the source."""
    if isinstance(node, ast.Set | ast.List | ast.Tuple):
        items = [_ordered_literal(item) for item in node.elts]
        return None if any(item is None for item in items) else tuple(items)
    return node.value if isinstance(node, ast.Constant) else None


def _fits(name: str, value: object) -> bool:
    default = getattr(_PLAIN, name)
    if isinstance(default, tuple):
        kind = type(default[0])
        return isinstance(value, tuple) and all(type(item) is kind for item in value)
    return type(value) is type(default)
