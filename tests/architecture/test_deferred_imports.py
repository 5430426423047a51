# SPDX-License-Identifier: Apache-2.0
"""Imports are at the top of a file. What is imported later is listed here, with what that saves whom.

Packages of ours need none of this: their faces load a module when a name of it is first used (`core.base.lazy`).
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_OWN = ("core/payload", "core/demo/tree")
"""Code of other interpreters, and data."""

LATER = {
    ("core/ci/markers.py", "_pytest.mark.expression"): (45, "`doctor`, `verdicts`: only -m and -k of CI jobs need it"),
    ("core/cli/command_demo.py", "core.cli.demo_walk"): (310, "`demo`, which opens the app"),
    ("core/cli/dispatch.py", "core.cli.complete"): (75, "every command: only a shell that completes a word needs it"),
    ("core/cli/dispatch.py", "core.cli.context"): (2, "`--help` and the first frame"),
    ("core/cli/dispatch.py", "core.base.fork"): (2, "`--help`"),
    ("core/matrix/cache/index_cache.py", "core.matrix.indexing"): (20, "`list` and the first frame, with a cache"),
    ("core/matrix/view/saved.py", "filelock"): (17, "`list` and the first frame, which save no view"),
    ("core/ops/rows.py", "core.ops.tabulation"): (
        90,
        "`list` and the first frame of checkouts with op manifests, with a cache",
    ),
    ("core/base/settings.py", "tomllib"): (4, "every command and the first frame of those who have set nothing"),
    ("core/base/text.py", "msgspec"): (7, "`list` and the first frame, which print no JSON"),
    ("tui/app/start.py", "ctypes"): (1.5, "the first frame: memory is settled behind it"),
    ("tui/app/start.py", "watchfiles"): (4, "the first frame: the checkout is watched from then on"),
    ("tui/screens/matrix/tests.py", "tui.screens.matrix.case_menu"): (70, "the first frame, which shows no dialog"),
    ("tui/screens/matrix/tests.py", "tui.screens.matrix.entry_menu"): (70, "the first frame, which shows no dialog"),
    ("tui/screens/matrix/tests.py", "tui.screens.matrix.placeholder_menu"): (
        70,
        "the first frame, which shows no dialog",
    ),
    ("tui/screens/matrix/tests.py", "tui.screens.matrix.set_fields"): (70, "the first frame, which shows no dialog"),
    ("tui/screens/matrix/views.py", "tui.screens.matrix.columns"): (50, "the first frame, which shows no dialog"),
    ("tui/screens/matrix/views.py", "tui.screens.matrix.saved"): (50, "the first frame, which shows no dialog"),
}
"""By file and module: milliseconds and where they are saved, each measured by itself, after all that is loaded there.

A first frame takes 190, `list` on the sample 115, `--help` 70. Dialogs share most of what they load.
"""


_INDENTED = re.compile(r"(^[ \t]+|[:;][ \t]*)(import|from)[ \t]", re.MULTILINE)
"""What an import within a function looks like, and some other text: files without it are not parsed."""


def _deferred(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    if not _INDENTED.search(text):
        return
    for function in ast.walk(ast.parse(text)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.Import):
                    yield from (alias.name for alias in node.names)
                elif isinstance(node, ast.ImportFrom):
                    yield node.module or "."


@pytest.mark.slow("every file is parsed")
def test_imports_are_at_the_top() -> None:
    found = {
        (str(relative), module)
        for package in ("core", "tui")
        for path in sorted((ROOT / package).rglob("*.py"))
        if not str(relative := path.relative_to(ROOT)).startswith(_OWN)
        for module in _deferred(path)
    }
    assert found == LATER.keys()
