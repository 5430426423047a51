# SPDX-License-Identifier: Apache-2.0
"""Where Python raises, the same exception is said, with its line; where it does not, none is."""

import traceback
from pathlib import Path

import pytest

from core.python import Program, Raised, Resolver

HEAD = """
import abc, dataclasses, enum
from dataclasses import dataclass, field
from typing import Optional, TYPE_CHECKING
class StrEnum(enum.Enum):
    def __str__(self): return self.value
class Variant(StrEnum):
    A = "a"
    B = "b"
class Text(str, enum.Enum):
    ONE = "one"
class Open(type):
    def __getattr__(cls, name): return name
class Any(metaclass=Open): ...
class Base(abc.ABC):
    NAMES = {Variant.A: "first"}
    @abc.abstractmethod
    def load(self): ...
    @classmethod
    def named(cls, variant): return cls.NAMES[variant]
class Whole(Base):
    def load(self): return 1
class Part(Base): ...
class Above(Whole):
    @classmethod
    def named(cls, variant): return super().named(variant) + "!"
@dataclass(frozen=True)
class Config:
    name: str
    size: int = 1
    def __post_init__(self):
        if self.size < 0: raise ValueError("too small")
def pick(variant):
    if variant == Variant.B: raise KeyError("b")
    return variant.value
def later(): return not_yet
""".strip()


def read(root: Path, source: str) -> Raised | None:
    (root / "m.py").write_text(f"{HEAD}\n{source}\n")
    return Program(Resolver(root)).module("m.py").raised


def run(root: Path, source: str) -> tuple[str, int] | None:
    """The exception that Python itself raises, and the line of it."""
    name = str(root / "m.py")
    try:
        exec(compile(f"{HEAD}\n{source}\n", name, "exec"), {"__name__": "m"})
    except Exception as error:  # noqa: BLE001 - any of them is the answer
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == name]
        return type(error).__name__, lines[-1] or 0
    return None


RAISING = [
    "x = Variant.C",
    "x = {\n    Variant.A: 1,\n    Variant.C: 2,\n}",
    "class Loader(Base):\n    DEFAULT = Variant.C",
    "class Loader(Base):\n    def load(self, variant: Optional[Variants] = None): ...",
    "def load(variant) -> Nothing: ...",
    "x: Nothing = 1",
    "x = nobody",
    "class Loader(Nobody): ...",
    "@nobody\ndef f(): ...",
    "def f(x=nobody): ...",
    "later()\nnot_yet = 1",
    "x = Base.NOTHING",
    "x = Base.named(Variant.B)",
    "x = Above.named(Variant.B)",
    "x = Part()",
    "x = Config()",
    "x = Config('a', 1, 2)",
    "x = Config('a', length=1)",
    "x = Config('a', size=-1)",
    "x = pick(Variant.B)",
    "x = pick(None)",
    "x = pick()",
    "x = pick(1, 2)",
    "x = pick(variant=Variant.A, other=1)",
    "x = Variant('c')",
    "x = Variant['C']",
    "x = [1, 2][2]",
    "x = {'a': 1}['b']",
    "x = 1 / 0",
    "x = 'a' + 1",
    "x = 1 < 'a'",
    "x = -'a'",
    "x = [(1, 2).index(3)]",
    "x = (1).x",
    "x = 'a'.nothing",
    "assert Variant.A is Variant.B",
    "raise ImportError('no')",
    "if True:\n    raise ValueError",
    "for x in (1, 0):\n    1 / x",
    "x = [1 / y for y in (1, 0)]",
    "try:\n    x = Variant.C\nexcept KeyError:\n    x = None",
    "try:\n    x = Variant.C\nexcept AttributeError:\n    raise RuntimeError('no')",
    "if TYPE_CHECKING:\n    from nowhere import Name\ndef f(x: Name): ...",
    "class A:\n    x = 1\n    class B:\n        y = x",
    "stray",
]
FINE = [
    "x = Variant.A",
    "x = Any.thing",
    "x = Text.ONE.upper()",
    "x = {'one': 1}[Text.ONE]",
    "x = Base.named(Variant.A)",
    "x = Above.named(Variant.A)",
    "x = Whole()",
    "x = Config('a', size=2)",
    "x = dataclasses.replace(Config('a'), name='b').name",
    "x = pick(Variant.A)",
    "not_yet = 1\nlater()",
    "def f():\n    return nobody",
    "x = lambda: nobody",
    "def f(x: 'Nothing'): ...",
    "def f():\n    x: Nothing = 1",
    "x: 'Nothing' = 1",
    "try:\n    x = Variant.C\nexcept AttributeError:\n    x = None",
    "try:\n    x = nobody\nexcept (KeyError, NameError) as error:\n    x = None",
    "try:\n    x = 1 / 0\nexcept Exception:\n    pass",
    "x = getattr(Variant, 'C', None)",
    "x = hasattr(Variant, 'C')",
    "globals()['made'] = 1\nx = made",
    "def f():\n    global made\n    made = 1\nf()\nx = made",
    "setattr(Base, 'NOTHING', 1)\nx = Base.NOTHING",
    "Base.NOTHING = 1\nx = Base.NOTHING",
    "match 1:\n    case made: pass\nx = made",
    "x = [y for y in (1, 2) if y]",
    "x = __file__ if False else __name__",
    "class A:\n    x = 1\n    y = x",
    "if TYPE_CHECKING:\n    from nowhere import Name\ndef f(x: 'Name'): ...",
    "x = type(Variant.A) is Variant",
    "x = isinstance(None, type(None))",
    "x = (y := 1)\nz = y",
    "import os.path\nx = os.sep",
    "class Made(Base, metaclass=abc.ABCMeta):\n    def load(self): ...\nx = Made()",
    "class Given(enum.Enum):\n    A = 1\n    @classmethod\n    def _missing_(cls, value): return cls.A\nx = Given(5)",
    "class Fields:\n    x: int\n    y: int = 2\nx = Fields.y",
    "@dataclass\nclass Kept:\n    x: int = field(default=3)\n    y: list = field(default_factory=list)\nx = Kept().x",
]


@pytest.mark.parametrize("source", RAISING)
def test_what_python_raises_is_said(tmp_path: Path, source: str) -> None:
    raised = read(tmp_path, source)
    assert raised is not None
    assert (raised.exception, raised.line) == run(tmp_path, source)
    assert raised.path == "m.py"
    assert raised.text.startswith(f"raises {raised.exception} at m.py:{raised.line}")


@pytest.mark.parametrize("source", FINE)
def test_what_python_runs_is_not_said_to_raise(tmp_path: Path, source: str) -> None:
    assert run(tmp_path, source) is None
    assert read(tmp_path, source) is None


@pytest.mark.parametrize(
    "source",
    [
        "from somewhere import Base as Other\nclass Loader(Other): ...\nx = Loader.NOTHING",
        "from somewhere import *\nx = nobody",
        "from somewhere import flag\nif flag:\n    x = Variant.C",
        "from somewhere import flag\nif flag:\n    made = 1\nx = made",
        "from somewhere import change\n@change\nclass Loader: ...\nx = Loader.NOTHING",
        "from somewhere import names\nx = names[1].other",
        "import somewhere\nx = somewhere.thing(1)[2]",
        "from somewhere import key\nx = {key: 1}['a']",
        "while True: pass",
        "def f(): return f()\nf()",
        "from __future__ import annotations\nx: Nothing = 1\ndef f(x: Nothing): ...",
    ],
)
def test_what_depends_on_more_than_the_code_is_not_said_to_raise(tmp_path: Path, source: str) -> None:
    (tmp_path / "m.py").write_text(source if "__future__" in source else f"{HEAD}\n{source}\n")
    assert Program(Resolver(tmp_path)).module("m.py").raised is None


def test_what_an_imported_module_raises_is_raised_where_it_is_used(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("from .other import THERE, x\nlist(THERE)\n")
    (tmp_path / "other.py").write_text("THERE = 1\n\nx = nobody\n")
    raised = Program(Resolver(tmp_path)).module("m.py").raised
    assert raised == Raised("NameError", "name 'nobody' is not defined", "other.py", 3)


@pytest.mark.parametrize(
    ("source", "exception"),
    [
        ("from .other import gone\nx = gone", "ImportError"),
        ("from .gone import x as y\nx = y", "ModuleNotFoundError"),
        ("from ..other import x as y\nx = y", "ImportError"),
        ("try:\n    from .other import gone\nexcept ImportError:\n    gone = None\nx = gone", ""),
        ("from . import other\nx = other.there", ""),
        ("from .made import anything\nx = anything", ""),
    ],
)
def test_imports_of_the_tree(tmp_path: Path, source: str, exception: str) -> None:
    (tmp_path / "m.py").write_text(source)
    (tmp_path / "other.py").write_text("there = 1\n")
    (tmp_path / "made.py").write_text("def __getattr__(name): return 1\n")
    raised = Program(Resolver(tmp_path)).module("m.py").raised
    assert (raised.exception if raised else "") == exception


def test_a_method_of_a_model_that_is_called_eval_binds_no_names(tmp_path: Path) -> None:
    source = "def load(model):\n    model.eval()\n    # eval mode\n    return model.vars\n"
    assert (raised := read(tmp_path, f"{source}X = not_there\n")) is not None and raised.exception == "NameError"
    assert read(tmp_path, f"{source}exec('not_there = 1')\nX = not_there\n") is None
    assert read(tmp_path, f"{source}globals()['not_there'] = 1\nX = not_there\n") is None
