# SPDX-License-Identifier: Apache-2.0
"""Code asks a kind of rows, and does not ask which kind it is: a new kind is one module of `core/kinds`."""

import ast
from collections.abc import Iterator
from pathlib import Path

from core.matrix import KINDS

ROOT = Path(__file__).parents[2]
_NAMES = {"MODEL_KIND", "OP_KIND", "HANDWRITTEN_KIND", "PLACEHOLDER_KIND", "BENCHMARK_KIND"}
_FUNCTIONS = {"OP_CASE", "HANDWRITTEN", "PLACEHOLDER"}
"""Members of `Function`, by which results and runs say of what kind they are."""
_NOT_OURS = ("core/kinds/", "core/matrix/row_kinds.py", "core/demo/tree/", "core/payload/")
_MAY = {
    "core/ops/tabulation.py": (1, "makes the rows of op cases"),
    "core/handwritten/reading.py": (1, "makes those of hand-written tests"),
    "core/matrix/placeholder_rows.py": (1, "makes those of placeholders"),
    "core/matrix/matrix.py": (2, "the rows of model tests are the matrix itself"),
    "core/matrix/universe.py": (1, "of which function an id of a placeholder is"),
    "core/matrix/query/kinds.py": (1, "a field that is new in the schema of a checkout is one of entries"),
    "core/matrix/view/columns.py": (1, "markers of entries are another column than marks of rows"),
    "core/domain/model.py": (2, "the functions of tests that stand beside those of models say so themselves"),
    "core/ci/markers.py": (3, "what pytest marks a placeholder with"),
    "core/ci/jobs.py": (2, "what CI gives a placeholder, and what it leaves out"),
    "core/evidence/analysis/performance.py": (1, "a report of performance names no row: of which one it is"),
    "core/evidence/perf_reports.py": (1, "the same"),
    "core/evidence/reports/classify.py": (1, "reads of which kind a result is"),
    "core/evidence/reports/op_cases.py": (1, "makes results of op cases"),
    "core/evidence/store.py": (3, "the results of op cases in the store"),
    "core/runs/planning/own_tests.py": (1, "makes runs of tests beside those of models"),
    "core/runs/planning/op_batches.py": (1, "makes runs of op cases"),
    "core/states/state.py": (2, "the file of a cached state has a part for each of two kinds"),
    "core/cli/command_list.py": (2, "universes are of model tests"),
    "tui/view_models/report.py": (1, "the report on ops leads to its rows"),
    "tui/screens/matrix/extraction.py": (1, "what is extracted from a model are op cases"),
}
"""How often a file may name a kind, and why. The numbers may only fall."""


def _named(tree: ast.AST) -> Iterator[int]:
    return (node.lineno for node in ast.walk(tree) if isinstance(node, ast.expr) and _names_kind(node))


def _names_kind(node: ast.expr) -> bool:
    match node:
        case ast.Name(id=name):
            return name in _NAMES
        case ast.Attribute(value=ast.Name(id="Function"), attr=name):
            return name in _FUNCTIONS
        case ast.Attribute(attr=name):
            return name in _NAMES
        case ast.Compare(left=left, comparators=others):
            return _compares_kind([left, *others])
        case _:
            return False


def _compares_kind(sides: list[ast.expr]) -> bool:
    """Whether something called `kind` is compared with the name of one."""
    ours = any(getattr(one, "attr", getattr(one, "id", "")) == "kind" for one in sides)
    return ours and any(isinstance(one, ast.Constant) and one.value in KINDS for one in sides)


def test_kinds_are_named_where_there_is_a_reason_and_ever_less() -> None:
    found = {
        name: lines
        for top in ("core", "tui")
        for file in sorted((ROOT / top).rglob("*.py"))
        if not (name := file.relative_to(ROOT).as_posix()).startswith(_NOT_OURS)
        and (lines := [*_named(ast.parse(file.read_text("utf-8")))])
    }
    allowed = {name: count for name, (count, _) in _MAY.items()}
    more = {name: lines for name, lines in found.items() if len(lines) > allowed.get(name, 0)}
    assert not more, f"ask the kind instead (`core.kinds.Kind`): {more}"
    fewer = {name: len(found.get(name, ())) for name, count in allowed.items() if len(found.get(name, ())) < count}
    assert not fewer, f"lower the number in _MAY, so that it stays as low: {fewer}"


def test_each_way_to_name_a_kind_counts() -> None:
    text = """
from core.matrix import OP_KIND, row_kinds
if kind == OP_KIND or kind == row_kinds.MODEL_KIND: pass
if row.kind == "op" or "benchmark" != kind: pass
if spec.function is Function.OP_CASE or spec.function is Function.JAX: pass
if verdict == "op" or kind == "device": pass
"""
    assert sorted(_named(ast.parse(text))) == [3, 3, 4, 4, 5]
