# SPDX-License-Identifier: Apache-2.0
"""Files that others write are read through one door, which refuses devices, pipes and what is endless."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
_OWN = {
    "core/matrix/cache_file.py": "our own cache, of this user alone",
    "core/base/lazy.py": "our own stubs, a third of the time that a Path takes",
    "core/base/files/reading.py": "the door",
    "core/base/work.py": "/proc",
    "core/base/processes.py": "/proc",
    "tui/commands/index.py": "our own index",
    "tui/terminal/state.py": "/proc",
    "tui/web/server.py": "our own page",
}
"""Modules that read what nobody else writes."""
_OPENING = frozenset({"read_text", "read_bytes"})
_READING = frozenset({"r", "rb", "rt"})


def _readings(tree: ast.Module) -> Iterator[int]:
    """Lines that read a file by a method of Path or the builtin open."""
    taken = {
        one.asname or one.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for one in node.names
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        match node.func:
            case ast.Attribute(value=ast.Name(id="files" | "core"), attr=_):
                continue
            case ast.Attribute(attr=name) if name in _OPENING:
                yield node.lineno
            case ast.Attribute(attr="open", value=value) if not isinstance(value, ast.Name) or value.id not in _MODULES:
                if _mode(node, 0) in _READING:
                    yield node.lineno
            case ast.Name(id="open") if "open" not in taken and _mode(node, 1) in _READING:
                yield node.lineno
            case _:
                pass


_MODULES = frozenset({"os", "tarfile", "zipfile", "webbrowser", "files"})


def _mode(call: ast.Call, position: int) -> str:
    """The mode of a call of open; without one it reads, but then it may be the open of something else."""
    given = call.args[position : position + 1] or [one.value for one in call.keywords if one.arg == "mode"]
    match given:
        case [ast.Constant(value=str(mode))]:
            return mode
        case _:
            return "r" if position == 1 or any(one.arg == "encoding" for one in call.keywords) else ""


def test_files_are_read_through_one_door() -> None:
    found = []
    for path in sorted(path for package in ("core", "tui") for path in (ROOT / package).rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(("core/payload/", "core/demo/tree/")) and name not in _OWN:
            found += [f"{name}:{line}" for line in _readings(ast.parse(path.read_text(encoding="utf-8")))]
    assert found == [], "use read_text, read_bytes, read_loosely, opened or open_regular of core.base.files"
