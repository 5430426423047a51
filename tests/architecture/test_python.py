# SPDX-License-Identifier: Apache-2.0
"""Python is read in one place: nobody else parses it, and who looks at a syntax tree elsewhere has a reason."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
_HOME = ROOT / "core/python"
_OWN = ("core/payload", "core/demo/tree")
"""Code of other interpreters, and data."""
_LOOK = {
    "core/doctor/presets.py",
    "core/runs/junit.py",
    "core/sources/downloads/torchvision_weights.py",
    "core/sources/handwritten/collect.py",
    "core/sources/handwritten/lost.py",
    "core/sources/schema_read.py",
}
"""Modules that look at syntax trees, each with its reason in docs/architecture.md. Only ever take one away."""
_LOOKS = re.compile(r"^(?:import|from) (?:ast|symtable|tokenize|inspect)\b", re.MULTILINE)
_PARSES = re.compile(r"\bast\.parse\(|\bsymtable\.symtable\(")


def _elsewhere() -> Iterator[tuple[str, str]]:
    """All other modules, by path, with their texts."""
    for file in (one for package in ("core", "tui") for one in sorted((ROOT / package).rglob("*.py"))):
        path = file.relative_to(ROOT).as_posix()
        if not path.startswith(_OWN) and _HOME not in file.parents:
            yield path, file.read_text(encoding="utf-8")


def test_only_one_package_parses_python() -> None:
    lines = ((path, number, line) for path, text in _elsewhere() for number, line in enumerate(text.splitlines(), 1))
    found = [f"{path}:{number}" for path, number, line in lines if _PARSES.search(line)]
    assert found == [], "use parse_python, Program or Resolver of core.python"


def test_who_looks_at_a_syntax_tree_has_a_reason() -> None:
    found = {path for path, text in _elsewhere() if _LOOKS.search(text)}
    assert found == _LOOK, "values, calls, imports and places of a checkout's Python come from core.python"
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    names = {path.removesuffix(".py").replace("/", ".") for path in _LOOK}
    assert {name for name in names if f"`{name}`" not in page} == set()
