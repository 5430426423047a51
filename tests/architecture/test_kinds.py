# SPDX-License-Identifier: Apache-2.0
"""Code asks a kind of rows, and does not ask which kind it is: a new kind is one module of `core/kinds`."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
_NAMES = {"MODEL_KIND", "OP_KIND", "HANDWRITTEN_KIND", "PLACEHOLDER_KIND"}
_OWN = ("core/kinds/", "core/matrix/row_kinds.py")
_MAY = {
    "core/ops/tabulation.py": "makes the rows of op cases",
    "core/handwritten/tabulation.py": "makes those of hand-written tests",
    "core/matrix/placeholder_rows.py": "makes those of placeholders",
    "core/matrix/matrix.py": "the rows of model tests are the matrix itself",
    "core/matrix/query/kinds.py": "a field that is new in the schema of a checkout is one of entries",
    "core/matrix/view/view.py": "rows of several kinds are shown as model tests are",
    "core/matrix/view/columns.py": "markers of entries are another column than marks of rows",
    "core/matrix/view/saved.py": "the name of the columns of model tests in a file of before there were kinds",
    "core/runs/planning/": "the kind of a run, not of a row",
    "core/states/state.py": "the file of a cached state has a part for each of two kinds",
    "core/cli/": "records and words of commands that are older than kinds",
    "tui/app/start.py": "which rows the first frame does not wait for",
    "tui/view_models/report.py": "the report on ops leads to its rows",
    "tui/screens/matrix/extraction.py": "what is extracted from a model are op cases",
}


def _named(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        if (isinstance(node, ast.Name) and node.id in _NAMES) or (
            isinstance(node, ast.Attribute) and node.attr in _NAMES
        ):
            yield node.lineno


def test_kinds_are_named_only_where_their_rows_are_made() -> None:
    found = [
        f"{name}:{line}"
        for top in ("core", "tui")
        for file in sorted((ROOT / top).rglob("*.py"))
        if not (name := file.relative_to(ROOT).as_posix()).startswith((*_OWN, *_MAY, "core/demo/tree/"))
        for line in _named(ast.parse(file.read_text("utf-8")))
    ]
    assert not found, f"ask the kind instead (`core.kinds.Kind`): {', '.join(found)}"


def test_every_exception_is_used() -> None:
    idle = []
    for name in _MAY:
        files = [ROOT / name] if name.endswith(".py") else sorted((ROOT / name).rglob("*.py"))
        if not any(any(_named(ast.parse(file.read_text("utf-8")))) for file in files):
            idle.append(name)
    assert not idle
