# SPDX-License-Identifier: Apache-2.0
"""What the syntax tree of one module tells."""

import pytest

from core.python import Imported, read_module

SOURCE = """
import os
from ...base import ForgeModel as Base, Other
try:
    from .src import helper
except ImportError:
    helper = None

ALL = {Variant.A: 1, "plain": 2, **more}

class Variant(base.StrEnum):
    A = "a-value"
    B: str = "b"
    C = 3

if True:
    class ModelLoader(Base):
        _VARIANTS = ALL
        def load_inputs(self): ...
        async def load_inputs_decode(self): ...

class Inline(ModelLoader):
    _VARIANTS = {Variant.A: 1, Variant.B: 2}
"""


def test_classes_imports_and_dicts() -> None:
    facts = read_module(SOURCE, "loader.py")
    assert set(facts.classes) == {"Variant", "ModelLoader", "Inline"}
    assert facts.classes["Variant"].members == {"A": "a-value", "B": "b"}
    assert facts.classes["Variant"].bases == ("StrEnum",)
    assert facts.classes["ModelLoader"].methods == {"load_inputs", "load_inputs_decode"}
    assert facts.classes["ModelLoader"].variant_keys == "ALL"
    assert facts.classes["Inline"].variant_keys == (("Variant", "A"), ("Variant", "B"))
    assert facts.classes["Variant"].variant_keys is None
    assert facts.variant_dicts == {"ALL": (("Variant", "A"), ("", "plain"))}
    assert facts.imports["Base"] == Imported(3, "base", "ForgeModel", line=3)
    assert facts.imports["helper"] == Imported(1, "src", "helper", guarded=True, line=5)
    assert facts.defined == {"os", "Base", "Other", "helper", "ALL", "Variant", "ModelLoader", "Inline"}
    assert not facts.open_ended


@pytest.mark.parametrize("source", ["class (", "x = '\0'"])
def test_what_python_cannot_parse_is_said(source: str) -> None:
    with pytest.raises((SyntaxError, ValueError)):
        read_module(source, "loader.py")


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("a, (b, *c) = x", {"a", "b", "c"}),
        ("import p.q.r\nimport s as t", {"p", "t"}),
        ("for i in x:\n    j = 1\nelse:\n    k = 2", {"i", "j", "k"}),
        ("with open(x) as f:\n    g: int = 1", {"f", "g"}),
        ("try:\n    a = 1\nexcept E:\n    b = 2\nfinally:\n    c = 3", {"a", "b", "c"}),
        ("def f():\n    inner = 1", {"f"}),
        ("class C:\n    inner = 1", {"C"}),
        ("declared: int", set()),
    ],
)
def test_names_a_module_binds(source: str, names: set[str]) -> None:
    assert read_module(source, "m.py").defined == names


@pytest.mark.parametrize("source", ["from x import *", "def __getattr__(name): ..."])
def test_modules_that_can_have_any_name(source: str) -> None:
    assert read_module(source, "m.py").open_ended
