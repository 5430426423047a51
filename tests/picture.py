# SPDX-License-Identifier: Apache-2.0
"""The packages on docs/architecture.md, from the imports and the docstrings.

`python -m tests.picture docs/architecture.md` writes the page anew.
"""

import ast
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- packages: begin; made by `make reference`, do not edit -->", "<!-- packages: end -->"
_BLOCK = re.compile(f"{BEGIN}.*?{END}", re.DOTALL)
_DRAWN = 2
"""Number of name parts of a node: `core.edits`; `core.edits.yaml` belongs to it."""

_SINGLE = "single modules of "

Graph = Mapping[str, frozenset[str]]
"""By node, the nodes that it imports directly."""


def imports() -> Graph:
    """The packages of core and tui; the top-level modules of each are one node, except for the entry point."""
    found = grimp.build_graph("core", "tui", cache_dir=None)
    direct: dict[str, set[str]] = {}
    for module in found.modules:
        below = found.find_modules_directly_imported_by(module)
        direct.setdefault(_node(module), set()).update(map(_node, below))
    graph: Graph = {name: frozenset(others - {name, ""}) for name, others in sorted(direct.items()) if name}
    return _one_node(graph, f"{_SINGLE}tui")


def _one_node(graph: Graph, single: str) -> Graph:
    """Top-level modules are below some packages and above others: those between join their node to avoid a cycle."""

    def reach(name: str) -> set[str]:
        found, ahead = {name}, [name]
        while ahead:
            below = graph[ahead.pop()] - found
            found |= below
            ahead += below
        return found

    between = {name for name in reach(single) - {single} if single in reach(name)}
    label = ", ".join((single, *sorted(between)))

    def named(name: str) -> str:
        return label if name == single or name in between else name

    merged: dict[str, frozenset[str]] = {}
    for name, below in graph.items():
        merged[named(name)] = (merged.get(named(name), frozenset()) | frozenset(map(named, below))) - {named(name)}
    return merged


def _node(module: str) -> str:
    """The node of a module; empty for the roots themselves, which import nothing."""
    top, *rest = module.split(".")[:_DRAWN]
    if not rest:
        return ""
    if rest == ["__main__"] or (ROOT / top / rest[0]).is_dir():
        return f"{top}.{rest[0]}"
    return f"{_SINGLE}{top}"


def reduced(graph: Graph) -> Graph:
    """The graph without imports implied by longer paths. Raises ValueError if the packages form a cycle."""
    reach: dict[str, frozenset[str]] = {}

    def visit(name: str, way: tuple[str, ...]) -> frozenset[str]:
        if name in way:
            raise ValueError(f"a circle: {' -> '.join((*way, name))}")
        if name not in reach:
            reach[name] = graph[name].union(*(visit(one, (*way, name)) for one in graph[name]))
        return reach[name]

    for name in graph:
        visit(name, ())
    return {
        name: frozenset(one for one in below if not any(one in reach[other] for other in below))
        for name, below in graph.items()
    }


def drawing() -> list[str]:
    """A mermaid flowchart; an arrow means "imports"."""
    graph = reduced(imports())
    keys = {name: f"n{number}" for number, name in enumerate(graph)}
    nodes = [f'  {key}["{name}"]' for name, key in keys.items()]
    arrows = [f"  {keys[name]} --> {keys[one]}" for name in graph for one in sorted(graph[name])]
    return ["```mermaid", "flowchart TD", *nodes, *arrows, "```"]


def table() -> list[str]:
    """Every package with the first paragraph of its docstring."""
    rows = []
    for file in sorted([*(ROOT / "core").rglob("__init__.py"), *(ROOT / "tui").rglob("__init__.py")]):
        folder = file.parent.relative_to(ROOT)
        if folder.parts[:3] != ("core", "demo", "tree"):
            text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
            paragraphs = [" ".join(one.split()) for one in text.split("\n\n") if not one.startswith(" ")]
            rows.append((folder.as_posix(), " ".join(paragraphs[:2])))
    return ["| Package | |", "|---|---|", *(f"| `{name}` | {text} |" for name, text in sorted(rows))]


def with_packages(text: str) -> str:
    """The page `text` with its section about packages updated."""
    part = "\n".join([BEGIN, *drawing(), "", *table(), END])
    return _BLOCK.sub(lambda _: part, text)


if __name__ == "__main__":
    page = Path(sys.argv[1])
    page.write_text(with_packages(page.read_text(encoding="utf-8")), encoding="utf-8")
