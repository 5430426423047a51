# SPDX-License-Identifier: Apache-2.0
"""A package is a room with a door: others use what its `__init__.pyi` names, and nothing behind it."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tui.screens import SCREENS

ROOT = Path(__file__).parents[2]
_OWN = ("core/payload", "core/demo/tree")
"""Code of other interpreters, and data."""
_ROOTS = ("core", "tui")
_SHELVES = (*_ROOTS, "core.base", "core.domain")
"""Packages without a face: everybody imports their modules."""


def _modules() -> dict[str, Path]:
    found = {}
    for package in _ROOTS:
        for path in sorted((ROOT / package).rglob("*.py")):
            relative = path.relative_to(ROOT)
            if not str(relative).startswith(_OWN):
                found[".".join(relative.with_suffix("").parts).removesuffix(".__init__")] = path
    return found


MODULES = _modules()
PACKAGES = {name for name, path in MODULES.items() if path.name == "__init__.py"}


@cache
def _tree(name: str) -> ast.Module:
    return ast.parse(MODULES[name].read_text(encoding="utf-8"))


@cache
def _nodes(tree: ast.Module) -> list[ast.AST]:
    return list(ast.walk(tree))


def _taken(name: str) -> Iterator[tuple[str, str]]:
    """The names that a module imports from modules of ours, each with where it is from."""
    for node in _nodes(_tree(name)):
        if isinstance(node, ast.ImportFrom) and node.module in MODULES:
            yield from ((node.module, one.name) for one in node.names if f"{node.module}.{one.name}" not in PACKAGES)
        elif isinstance(node, ast.Import):
            names = [one.name for one in node.names if one.name in MODULES and one.name not in PACKAGES]
            yield from ((one.rpartition(".")[0], one.rpartition(".")[2]) for one in names)


def _bound(tree: ast.Module) -> dict[str, str]:
    """The packages of ours that a module has as names: `from core.runs import planning`, `import core.matrix`."""
    found: dict[str, str] = {}
    for node in _nodes(tree):
        if isinstance(node, ast.ImportFrom):
            found |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
        elif isinstance(node, ast.Import):
            for one in node.names:
                # `import a.b` gives `a`, `import a.b as c` gives `a.b`.
                root = one.name.partition(".")[0]
                found[one.asname or root] = one.name if one.asname else root
    return {name: module for name, module in found.items() if module in PACKAGES}


def _used(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The attributes of packages that a module uses: `planning.plan_launch`, `core.matrix.describe`."""
    bound = _bound(tree)
    if not bound:
        return

    def package(node: ast.expr) -> str:
        """The package that an expression means; empty: none."""
        if isinstance(node, ast.Name):
            return bound.get(node.id, "")
        inner = package(node.value) if isinstance(node, ast.Attribute) else ""
        return whole if inner and (whole := f"{inner}.{getattr(node, 'attr', '')}") in PACKAGES else ""

    for node in _nodes(tree):
        if isinstance(node, ast.Attribute) and not package(node) and (source := package(node.value)):
            yield source, node.attr


def _hidden(tree: ast.Module) -> set[str]:
    """The names of packages that a function of the module has for something else."""
    bound = _bound(tree).keys()
    if not bound:
        return set()
    names = set()
    for function in _nodes(tree):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            for node in ast.walk(function):
                if isinstance(node, ast.arg):
                    names.add(node.arg)
                elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    names.add(node.id)
    return names & bound


@cache
def _face(package: str) -> set[str]:
    stub = MODULES[package].with_name("__init__.pyi")
    if not stub.exists():
        return set()
    nodes = [node for node in ast.parse(stub.read_text(encoding="utf-8")).body if isinstance(node, ast.ImportFrom)]
    return {alias.name for node in nodes for alias in node.names}


def _inside(module: str, package: str) -> bool:
    return f"{module}.".startswith(f"{package}.")


def _past(module: str, source: str, name: str) -> bool:
    """Whether a module that has `name` from `source` has it from behind a door."""
    package = source if source in PACKAGES else source.rpartition(".")[0]
    return (
        package not in _SHELVES and not _inside(module, package) and not (source in PACKAGES and name in _face(package))
    )


@pytest.mark.slow("every file is parsed")
def test_nobody_reaches_past_a_door() -> None:
    past = [
        f"{module} has {name} from {source}"
        for module in MODULES
        for source, name in (*_taken(module), *_used(_tree(module)))
        if _past(module, source, name)
    ]
    assert past == [], "import it from the package, and name it in the `__init__.pyi` there if it is not yet"


@cache
def _origins(package: str) -> dict[str, str]:
    """The names on the face of a package, each with the module that it is from."""
    stub = MODULES[package].with_name("__init__.pyi")
    if not stub.exists():
        return {}
    found = {}
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module:
            for one in node.names:
                inner = f"{package}.{node.module}"
                found[one.name] = _origins(inner).get(one.name, inner) if inner in PACKAGES else inner
    return found


def _doors(module: str, name: str) -> list[str]:
    """The packages around a module whose face has its name."""
    around = [package for package in PACKAGES if _inside(module, package) and package != module]
    return [package for package in around if _origins(package).get(name) == module]


@pytest.mark.slow("every test file is parsed")
def test_tests_use_doors_too() -> None:
    """So that code can move within its package, and its tests stay as they are. What no face has is theirs to import."""
    past = [
        f"{path.relative_to(ROOT)}: {one.name} from {node.module}, not from {doors[0]}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module in MODULES and node.module not in PACKAGES
        for one in node.names
        if (doors := _doors(node.module, one.name))
    ]
    assert past == []


def test_attributes_of_packages_are_distinguished_from_others() -> None:
    text = """
import core.matrix
import core.matrix.query as asked
from core import runs
from core.runs import planning as plans

def plan(self, ids):
    self.runs.records()
    core.matrix.cache.Cache(core.base.errors)
    return runs.store.RunStore, plans.plan_launch(ids).specs, runs.leases.held, asked.Query.parse
"""
    assert sorted(_used(ast.parse(text))) == [
        ("core.base", "errors"),
        ("core.matrix.cache", "Cache"),
        ("core.matrix.query", "Query"),
        ("core.runs", "leases"),
        ("core.runs.planning", "plan_launch"),
        ("core.runs.store", "RunStore"),
    ]
    assert _past("tui.session", "core.runs", "leases")
    assert not _past("tui.session", "core.runs.store", "RunStore")


@pytest.mark.slow("every file is parsed")
def test_a_name_of_a_package_means_nothing_else() -> None:
    assert {module: hidden for module in MODULES if (hidden := _hidden(_tree(module)))} == {}


@pytest.mark.slow("every file is parsed")
def test_a_face_names_what_others_use() -> None:
    """What a module of its own loads late may be in it, too."""
    used = {(source, name) for module in MODULES for source, name in _taken(module) if not _inside(module, source)}
    used |= {found for module in MODULES for found in _used(_tree(module))}
    used |= {(f"tui.screens.{entry.module}", entry.name) for entry in SCREENS}
    unused = [
        f"{package}: {name}" for package in PACKAGES for name in sorted(_face(package)) if (package, name) not in used
    ]
    assert unused == [], "no other package imports it: take it out of the `__init__.pyi`"


def test_every_package_says_what_it_is_for() -> None:
    for package in PACKAGES:
        assert ast.get_docstring(_tree(package)), package


def test_no_module_has_the_name_of_something_in_the_face() -> None:
    """Once the module is imported, the package's attribute of that name is the module."""
    clashes = [
        f"{package}.{name}" for package in PACKAGES for name in sorted(_face(package)) if f"{package}.{name}" in MODULES
    ]
    assert clashes == [], "rename the module"
