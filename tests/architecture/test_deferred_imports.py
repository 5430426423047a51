# SPDX-License-Identifier: Apache-2.0
"""Imports stand at the top of a file. What is imported later is listed here, with what that saves whom."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
_OWN = ("core/payload", "core/demo/tree")
"""Code of other interpreters, and data."""
_SCREENS = ("tui",)
"""The app imports its screens, and what they show, when they are opened."""

LATER = {
    ("core/ci/markers.py", "_pytest.mark.expression"): "pytest takes 45 ms, and only what evaluates markers needs it",
    ("core/cli/command_demo.py", "core.cli.demo_walk"): "310 ms that `ttmatrix demo` opens the app without",
    ("core/cli/context.py", "core.providers"): "20 ms that commands save whose arguments name no model",
    ("core/cli/dispatch.py", "core.cli.complete"): "75 ms that only a shell that completes a word waits for",
    ("core/cli/dispatch.py", "core.cli.context"): "12 ms, and packages that the first frame does not show",
    ("core/cli/dispatch.py", "core.forked"): "2 ms of `--help`, which needs no second process",
    ("core/doctor/preparation.py", "core.doctor.doctor"): "32 ms: the process that checks needs it, who starts it not",
    ("core/matrix/cache/index_cache.py", "core.matrix.indexing"): "20 ms that a start with a cache does without",
    ("core/matrix/view/saved.py", "filelock"): "15 to 20 ms of the first frame, which reads views and saves none",
    ("core/settings.py", "tomllib"): "5 ms of every start of those who have set nothing",
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
        if not str(relative := path.relative_to(ROOT)).startswith((*_OWN, *_SCREENS))
        for module in _deferred(path)
    }
    assert found == LATER.keys()
