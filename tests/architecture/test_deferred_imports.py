# SPDX-License-Identifier: Apache-2.0
"""Imports stand at the top of a file. What is imported later is listed here, with what that saves whom."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
_OWN = ("core/payload", "core/demo/tree")
"""Code of other interpreters, and data."""
LATER = {
    ("core/ci/markers.py", "_pytest.mark.expression"): "51 ms of `edit`: only expressions of CI jobs need pytest",
    ("core/cli/command_demo.py", "core.cli.demo_walk"): "310 ms that `ttmatrix demo` opens the app without",
    ("core/cli/dispatch.py", "core.cli.complete"): "90 ms of every command: only a shell that completes needs it",
    ("core/cli/dispatch.py", "core.cli.context"): "2 ms of `--help` and of the first frame",
    ("core/cli/dispatch.py", "core.forked"): "2 ms of `--help`",
    ("core/matrix/cache/index_cache.py", "core.matrix.indexing"): "20 ms of `list` where nothing has changed",
    ("core/matrix/view/saved.py", "filelock"): "19 ms of `list` and of the first frame, which save no view",
    (
        "core/runs/execution/conclude.py",
        "core.runs.junit",
    ): "50 of 300 ms of each scheduler's start, where no report is read",
    ("core/settings.py", "tomllib"): "4 ms of every start of those who have set nothing",
    ("tui/app/facts.py", "tui.evidence_service"): "of the first frame, which shows no result",
    ("tui/app/start.py", "ctypes"): "of the first frame",
    ("tui/app/start.py", "watchfiles"): "of the first frame: what watches starts after it",
    ("tui/screens/matrix/tests.py", "tui.screens.matrix.entry_menu"): "of the first frame",
    ("tui/screens/matrix/tests.py", "tui.screens.matrix.set_fields"): "of the first frame",
    ("tui/screens/matrix/views.py", "tui.screens.matrix.columns"): "of the first frame",
    ("tui/screens/matrix/views.py", "tui.screens.matrix.saved"): "of the first frame",
}
"""By file and module: what a person would wait for, of a first frame of 190 ms or a command of 75."""


def _deferred(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.Import):
                    yield from (alias.name for alias in node.names)
                elif isinstance(node, ast.ImportFrom):
                    yield node.module or "."


def test_imports_stand_at_the_top() -> None:
    found = {
        (str(relative), module)
        for package in ("core", "tui")
        for path in sorted((ROOT / package).rglob("*.py"))
        if not str(relative := path.relative_to(ROOT)).startswith(_OWN)
        for module in _deferred(path)
    }
    late, gone = sorted(found - LATER.keys()), sorted(LATER.keys() - found)
    assert late == [], "import its package at the top, or say in LATER who would wait for that how long"
    assert gone == [], "nothing imports it late any more: take it out of LATER"
