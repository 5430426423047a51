# SPDX-License-Identifier: Apache-2.0
"""A package is a room with a door: others import what its `__init__.pyi` names, and nothing behind it."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
_OWN = ("core/payload", "core/demo/tree")
"""Code of other interpreters, and data."""


def _modules() -> dict[str, Path]:
    found = {}
    for package in ("core", "tui"):
        for path in sorted((ROOT / package).rglob("*.py")):
            relative = path.relative_to(ROOT)
            if not str(relative).startswith(_OWN):
                found[".".join(relative.with_suffix("").parts).removesuffix(".__init__")] = path
    return found


MODULES = _modules()
PACKAGES = {name for name, path in MODULES.items() if path.name == "__init__.py"}


def _imports(name: str) -> Iterator[tuple[str, str]]:
    """The modules of ours that a module imports from, with the names it takes."""
    for node in ast.walk(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module in MODULES:
            yield from ((node.module, alias.name) for alias in node.names)


def _face(package: str) -> set[str]:
    stub = MODULES[package].with_name("__init__.pyi")
    if not stub.exists():
        return set()
    nodes = [node for node in ast.parse(stub.read_text(encoding="utf-8")).body if isinstance(node, ast.ImportFrom)]
    return {alias.name for node in nodes for alias in node.names}


def _inside(module: str, package: str) -> bool:
    return f"{module}.".startswith(f"{package}.")


def test_nobody_imports_past_a_door() -> None:
    past = [
        f"{module} imports {name} from {source}"
        for module in MODULES
        for source, name in _imports(module)
        if (package := source if source in PACKAGES else source.rpartition(".")[0]) not in ("core", "tui")
        and not _inside(module, package)
        and not (source in PACKAGES and name in _face(package))
    ]
    assert past == []


def test_a_face_names_what_others_use() -> None:
    used = {(source, name) for module in MODULES for source, name in _imports(module) if not _inside(module, source)}
    unused = [
        f"{package}: {name}" for package in PACKAGES for name in sorted(_face(package)) if (package, name) not in used
    ]
    assert unused == []


def test_every_package_says_what_it_is_for() -> None:
    for package in PACKAGES:
        assert ast.get_docstring(ast.parse(MODULES[package].read_text(encoding="utf-8"))), package
