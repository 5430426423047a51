# SPDX-License-Identifier: Apache-2.0
"""Names are followed through the files of the tree, and classes are ordered as Python orders them."""

import ast
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, strategies as st

from core.sources.evaluator.tree import TreeNames
from core.sources.evaluator.values import External, Lazy, TreeClass, Unknown


def _tree(root: Path, files: dict[str, str]) -> TreeNames:
    for name, source in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(source)
    return TreeNames(root)


def _class(tree: TreeNames, path: str, name: str = "C") -> TreeClass:
    found = tree.lookup(path, name)
    assert isinstance(found, TreeClass)
    return found


@pytest.mark.parametrize(
    "line",
    [
        "from ...b.pytorch.loader import C as X",
        "from tt_forge_models.b.pytorch.loader import C as X",
        "from third_party.tt_forge_models.b.pytorch.loader import C as X",
        "from ...b.pytorch import C as X",
        "from ...b.pytorch.again import D as X",
    ],
)
def test_an_import_leads_to_where_the_class_is(tmp_path: Path, line: str) -> None:
    files = {
        "a/pytorch/loader.py": line,
        "b/pytorch/loader.py": "class C: ...",
        "b/pytorch/__init__.py": "from .loader import C",
        "b/pytorch/again.py": "from . import C as D",
    }
    found = _class(_tree(tmp_path, files), "a/pytorch/loader.py", "X")
    assert (found.path, found.name) == ("b/pytorch/loader.py", "C")


@pytest.mark.parametrize(
    ("line", "full_name"),
    [
        ("from dataclasses import replace as x", "dataclasses.replace"),
        ("import dataclasses as x", "dataclasses"),
        ("import tt_forge_models.config as x", "tt_forge_models.config"),
        ("from ....above import x", "above.x"),
    ],
)
def test_what_comes_from_outside_goes_by_its_full_name(tmp_path: Path, line: str, full_name: str) -> None:
    assert _tree(tmp_path, {"a/pytorch/loader.py": line}).lookup("a/pytorch/loader.py", "x") == External(full_name)


def test_a_builtin_unless_the_file_binds_the_name(tmp_path: Path) -> None:
    tree = _tree(tmp_path, {"a.py": "", "b.py": "any = 1"})
    assert tree.lookup("a.py", "any") == External("builtins.any")
    found = tree.lookup("b.py", "any")
    assert isinstance(found, Lazy)
    assert ast.unparse(found.node) == "1"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("", "a.py does not bind x"),
        ("x = 1\nx = 2", "x is bound or changed more than once"),
        ("class D:\n    @classmethod\n    def x(cls): ...\nfrom .gone import x", "There is no gone.py"),
        ("from .bad import x", "bad.py cannot be parsed"),
        ("from .null import x", "null.py cannot be"),
        ("from .latin import x", "latin.py cannot be parsed"),
    ],
)
def test_what_cannot_be_seen_is_said(tmp_path: Path, source: str, reason: str) -> None:
    tree = _tree(tmp_path, {"a.py": source, "bad.py": "x = (", "null.py": "x = 1\0"})
    (tmp_path / "latin.py").write_bytes(b"x = '\xe9'")
    for _ in range(2):  # the second answer comes from the cache
        with pytest.raises(Unknown, match=reason):
            tree.lookup("a.py", "x")


def test_a_file_is_read_once(tmp_path: Path) -> None:
    tree = _tree(tmp_path, {"a.py": "x = 1"})
    assert isinstance(tree.lookup("a.py", "x"), Lazy)
    (tmp_path / "a.py").unlink()
    assert tree.lookup("a.py", "len") == External("builtins.len")


def test_super_starts_behind_the_class_it_is_in(tmp_path: Path) -> None:
    source = "class A:\n    x = 1\nclass B(A):\n    x = 2\nclass C(B):\n    x = 3\n"
    tree = _tree(tmp_path, {"a.py": source})
    found = _class(tree, "a.py")
    owners = [tree.attribute(found, "x")[0].name]
    owners += [tree.attribute(found, "x", after=_class(tree, "a.py", name))[0].name for name in "CB"]
    assert owners == ["C", "B", "A"]
    with pytest.raises(Unknown, match="C has no x"):
        tree.attribute(found, "x", after=_class(tree, "a.py", "A"))


def test_a_base_from_outside_may_have_the_attribute(tmp_path: Path) -> None:
    source = "from abc import ABC\nfrom x import Base\nclass A(ABC):\n    y = 1\nclass C(Base, A): ...\nclass D(A, Base): ...\n"
    tree = _tree(tmp_path, {"a.py": source})
    assert tree.attribute(_class(tree, "a.py", "D"), "y")[0].name == "A"
    with pytest.raises(Unknown, match=r"C inherits from x\.Base"):
        tree.attribute(_class(tree, "a.py"), "y")


@pytest.mark.parametrize(
    "source",
    ["class C(C): ...", "class C(D): ...\nclass D(C): ...", "B = make()\nclass C(B): ...", "class C(Gone): ..."],
)
def test_bases_that_cannot_be_known(tmp_path: Path, source: str) -> None:
    tree = _tree(tmp_path, {"a.py": source})
    with pytest.raises(Unknown):
        tree.ancestors(_class(tree, "a.py"))


@pytest.mark.parametrize(
    ("source", "is_enum", "prints_value", "is_text"),
    [
        ("from .config import StrEnum\nclass C(StrEnum): ...", True, True, False),
        ("from enum import StrEnum\nclass C(StrEnum): ...", True, True, True),
        ("from enum import Enum\nclass C(str, Enum): ...", True, False, True),
        ("from enum import Enum\nclass C(Enum): ...", True, False, False),
        ("from enum import Enum\nclass C(str, Enum):\n    def __eq__(self, other): ...", True, False, None),
        ("from other import StrEnum\nclass C(StrEnum): ...", True, True, None),
        ("from .config import StrEnum\nclass C(StrEnum):\n    def __str__(self): ...", True, False, False),
        ("class C: ...", False, False, False),
    ],
)
def test_enums(tmp_path: Path, source: str, is_enum: bool, prints_value: bool, is_text: bool | None) -> None:
    config = "from enum import Enum\nclass StrEnum(Enum):\n    def __str__(self): return self.value\n"
    tree = _tree(tmp_path, {"a.py": source, "config.py": config})
    found = _class(tree, "a.py")
    assert (tree.is_enum(found), tree.prints_value(found), tree.is_text(found)) == (is_enum, prints_value, is_text)


_HIERARCHY = st.lists(st.lists(st.integers(0, 5), max_size=3, unique=True), min_size=1, max_size=6)


@given(_HIERARCHY)
def test_classes_are_ordered_as_python_orders_them(wanted: list[list[int]]) -> None:
    bases = [[f"C{base}" for base in chosen if base < number] for number, chosen in enumerate(wanted)]
    source = "\n".join(f"class C{number}({', '.join(names)}): ..." for number, names in enumerate(bases))
    last = f"C{len(bases) - 1}"
    built: dict[str, type] = {}
    order: list[str] | None = []
    for number, names in enumerate(bases):
        try:
            built[f"C{number}"] = type(f"C{number}", tuple(built[name] for name in names), {})
        except (TypeError, KeyError):
            continue
    order = [one.__name__ for one in built[last].__mro__[:-1]] if last in built else None
    with TemporaryDirectory() as directory:
        tree = _tree(Path(directory), {"a.py": source})
        try:
            found: list[str] | None = [one.name for one in tree.ancestors(_class(tree, "a.py", last))]
        except Unknown:
            found = None
    assert found == order
