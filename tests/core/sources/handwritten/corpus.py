# SPDX-License-Identifier: Apache-2.0
"""A small tree of tests, with what pytest and Python allow in parametrizations."""

from collections.abc import Mapping

from tests.core.sources.handwritten.corpus_values import VALUES

FILES: Mapping[str, str] = {
    **VALUES,
    "tests/__init__.py": "",
    "tests/utils.py": """
from enum import Enum, IntEnum, StrEnum as RealStrEnum, auto
from dataclasses import dataclass
from functools import wraps
from typing import NamedTuple
import pytest


class StrEnum(Enum):
    def __str__(self) -> str:
        return self.value


class Category(StrEnum):
    OP_TEST = "op_test"
    GRAPH_TEST = "graph_test"


class Plain(Enum):
    ONE = 1
    TWO = 2
    UNO = 1


class Text(str, Enum):
    A = "a text"


class Real(RealStrEnum):
    B = "real"


class Number(IntEnum):
    SEVEN = 7


class Automatic(Enum):
    X = auto()
    Y = auto()


class Shown(Enum):
    Z = "zed"

    def __repr__(self):
        return f"shown {self.name}"

    @property
    def double(self):
        return self.value * 2

    @classmethod
    def first(cls):
        return cls("zed")

    @staticmethod
    def three():
        return 3


@dataclass
class Case:
    name: str
    shape: tuple = (1, 2)


class Pair(NamedTuple):
    left: int
    right: int


class Own:
    size = 4

    def __init__(self, name, *rest, key="k", **more):
        self.name = name
        self.rest = rest
        self.key = key
        self.more = more

    def __str__(self):
        return f"own-{self.name}-{len(self.rest)}-{self.key}"

    def label(self):
        return self.name.upper()


def parametrize_arch(archs=["single_device"]):
    valid = {"single_device", "llmbox"}
    if set(archs) - valid:
        raise ValueError("no such arch")
    marks = {"single_device": pytest.mark.single_device, "llmbox": pytest.mark.llmbox}
    return pytest.mark.parametrize("arch", [pytest.param(arch, marks=marks[arch]) for arch in archs])


def keeping(function):
    @wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


def failed(reason: str) -> str:
    return f"{Category.OP_TEST}: {reason}"


def run_op_test(*args):
    pass


def run_graph_test_with_random_inputs(*args):
    pass


@pytest.fixture(params=["p", "q"])
def shared(request):
    return request.param


def test_imported():
    pass


def numbers(count):
    for at in range(count):
        if at == 3:
            continue
        yield at
    yield from [90, 91]


NAMES = ["n1", "n2"]


def helper_of_all(a, /, b=0, *, c=1, **rest):
    return a + b + c
""",
    "tests/star.py": """from tests.utils import NAMES, numbers
STAR = [*NAMES, 'n3']
""",
    "tests/package/__init__.py": """
def __getattr__(name):
    if name == "LATE":
        from importlib import import_module

        value = getattr(import_module(f"{__name__}.inner"), name)
        globals()[name] = value
        return value
    raise AttributeError(name)
""",
    "tests/package/inner.py": "LATE = 'late'\n",
    "tests/torch/conftest.py": """
import pytest


@pytest.fixture(autouse=True)
def quiet():
    yield


@pytest.fixture(params=[1, 2], scope="module")
def outer(request):
    return request.param


@pytest.fixture(params=["base"])
def overridden(request):
    return request.param


@pytest.fixture
def through(outer, quiet):
    return outer


@pytest.fixture(name="renamed", params=[None, 3.5], ids=["none", None])
def any_name(request):
    return request.param
""",
    "tests/torch/ops/test_marks.py": """
import contextlib
import unittest
import pytest
from utils import keeping, parametrize_arch, run_graph_test_with_random_inputs, shared, test_imported
from utils import run_op_test as running
from tests.utils import Category

pytestmark = [pytest.mark.module_mark, pytest.mark.skipif(True, reason="always")]
nightly = pytest.mark.nightly
both = pytest.mark.parametrize("x", [1, 2])


@nightly
@pytest.mark.push
@parametrize_arch(["single_device", "llmbox"])
@pytest.mark.record_test_properties(category=Category.GRAPH_TEST, shlo_op_name="stablehlo.add")
def test_graph(arch):
    run_graph_test_with_random_inputs(arch)


@parametrize_arch()
@keeping
@both
def test_wrapped(x, arch):
    pass


def test_shared(shared):
    pass


def test_through(through, renamed):
    pass


@pytest.fixture(params=[10, 20])
def overridden(request, overridden):
    return overridden + request.param


def test_overridden(overridden):
    pass


@pytest.fixture
def passing(overridden):
    return overridden


@pytest.mark.parametrize("overridden", ["mine"])
def test_direct(overridden):
    pass


@pytest.mark.parametrize("outer", ["a", "b"], indirect=True)
def test_indirect(outer, passing):
    pass


@pytest.mark.usefixtures("shared")
def test_used():
    pass


@pytest.mark.class_mark
@pytest.mark.parametrize("k", ["c1", "c2"])
class TestGroup:
    pytestmark = pytest.mark.from_class

    @pytest.fixture(params=["in class"])
    def inside(self, request):
        return request.param

    @pytest.mark.parametrize("m", [1, 2])
    def test_method(self, m, k, inside):
        pass

    @staticmethod
    def test_static(k):
        pass

    @classmethod
    def test_class_method(cls, k):
        pass

    def helper(self):
        pass

    class TestInner:
        def test_deep(self, k):
            pass


class TestDerived(TestGroup):
    def test_more(self, k):
        pass


class TestNotCollected:
    __test__ = False

    def test_hidden(self):
        pass


class TestConstructed:
    def __init__(self):
        pass

    def test_hidden(self):
        pass


class Unit(unittest.TestCase):
    def test_unit(self):
        pass


class NotATest:
    def test_hidden(self):
        pass


def testnounderscore():
    pass


def test_twice():
    pass


@pytest.mark.second
def test_twice():  # noqa: F811
    pass


@contextlib.contextmanager
def test_context():
    yield


test_lambda = lambda: None
test_number = 5
helper_test = None


async def test_async():
    pass


if __name__ == "__main__":
    def test_main():
        pass
""",
    "tests/torch/build/test_left_out.py": "def test_left_out(): pass\n",
    "tests/torch/.hidden/test_left_out.py": "def test_left_out(): pass\n",
    "tests/torch/helpers.py": "def test_no_test_file(): pass\n",
    "tests/torch/other_test.py": "def test_suffix(): pass\n",
    "tests/jax/single/test_relative/__init__.py": "",
    "tests/jax/single/test_relative/shared.py": "KINDS = ['r1', 'r2']\n",
    "tests/jax/single/test_relative/test_it.py": """
import pytest
from . import shared
from .shared import KINDS


@pytest.mark.parametrize("kind", KINDS + shared.KINDS)
def test_relative(kind):
    pass
""",
}
