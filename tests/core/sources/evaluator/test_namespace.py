# SPDX-License-Identifier: Apache-2.0
"""What a name means is read only where there is one answer."""

import ast

import pytest

from core.python import Imported
from core.sources.evaluator.namespace import Bound, ClassSource, Unclear, read_namespace


def _read(source: str) -> dict[str, Bound]:
    return read_namespace(ast.parse(source).body)


def _class(source: str) -> ClassSource:
    bound = _read(source)["C"]
    assert isinstance(bound, ClassSource)
    return bound


def test_assignments_are_stored_as_expressions() -> None:
    names = _read("'docs'\na = 1\nb: int = 2\nc: int\npass\n")
    assert {name: ast.unparse(node) for name, node in names.items() if isinstance(node, ast.expr)} == {
        "a": "1",
        "b": "2",
    }
    assert set(names) == {"a", "b"}


def test_imports_by_local_name() -> None:
    assert _read("from ..x.y import a as b, c\nimport os.path\nimport dataclasses as d\n") == {
        "b": Imported(2, "x.y", "a"),
        "c": Imported(2, "x.y", "c"),
        "os": Imported(0, "os", ""),
        "d": Imported(0, "dataclasses", ""),
    }


def test_the_same_import_twice_is_one_binding() -> None:
    assert _read("from x import a\nfrom x import a\n") == {"a": Imported(0, "x", "a")}


@pytest.mark.parametrize(
    "source",
    [
        "a = 1\na = 2\n",
        "from x import a\nfrom y import a\n",
        "try:\n    from x import a\nexcept ImportError:\n    a = None\n",
        "if flag:\n    a = 1\nelse:\n    a = 2\n",
        "if flag:\n    a = 1\n",
        "a = {}\na.update(b=1)\n",
        "a = {}\na['b'] = 1\n",
        "a = 1\na += 1\n",
        "for a in (1, 2):\n    pass\n",
        "a, b = 1, 2\n",
        "with open('x') as a:\n    pass\n",
        "a = 1\ndel a\n",
        "def a(): ...\n",
        "async def a(): ...\n",
        "@property\ndef a(self): ...\n",
        "@cache\n@classmethod\ndef a(cls): ...\n",
    ],
)
def test_what_only_running_would_tell_is_unclear(source: str) -> None:
    assert isinstance(_read(source)["a"], Unclear)


def test_a_single_import_in_a_branch_counts() -> None:
    assert _read("if TYPE_CHECKING:\n    from x import a\n") == {"a": Imported(0, "x", "a")}


def test_what_runs_only_as_a_script_changes_nothing() -> None:
    names = _read("a = 1\nif __name__ == '__main__':\n    a = 2\n    a.run()\n")
    assert isinstance(names["a"], ast.Constant)


def test_a_class_has_bases_names_and_fields() -> None:
    read = _class("class C(A, b.B):\n    x: int\n    y: str = 'y'\n    z: ClassVar[int] = 1\n    w = 2\n")
    assert [ast.unparse(base) for base in read.bases] == ["A", "b.B"]
    assert set(read.names) == {"y", "z", "w"}
    assert read.fields == ("x", "y")


@pytest.mark.parametrize("decorator", ["classmethod", "staticmethod"])
def test_methods_that_are_called_on_a_class_stay(decorator: str) -> None:
    assert isinstance(_class(f"class C:\n    @{decorator}\n    def f(cls): ...\n").names["f"], ast.FunctionDef)


@pytest.mark.parametrize(
    ("body", "harmless"),
    [
        ("pass", True),
        ("'docs'", True),
        ("print(f'odd: {type(self.variant)}')", True),
        ("self.source = 1", False),
        ("raise TypeError", False),
        ("setattr(self, 'source', 1)", False),
        ("self.fields['source'] = 1", False),
        ("del self.source", False),
    ],
)
def test_a_post_init_counts_where_it_may_change_a_field(body: str, harmless: bool) -> None:
    read = _class(f"class C:\n    def __post_init__(self):\n        {body}\n")
    assert ("__post_init__" not in read.names) is harmless
