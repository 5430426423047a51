# SPDX-License-Identifier: Apache-2.0
"""What cannot be known without running a test module is reported, and nothing is executed."""

from pathlib import Path

import pytest

from core.sources.handwritten import Suite, read_suite
from tests.core.sources.handwritten.test_suite import write

HEAD = """
import enum, functools, itertools, os, random, subprocess
import jax, numpy as np, torch, pytest
from somewhere import anything, Base
from somewhere import gone
from tests.star_of_outside import late

class Base2(Base): pass
class Given(Base2, enum.Enum):
    A = 1
class Made:
    def __new__(cls): return object()
class Loud:
    def __str__(self): return str(anything)
def forever():
    while True: pass
def deep(n): return deep(n + 1)
async def later(): return 1
def raises(): raise ValueError("x")
def doubted(values):
    if anything: pass
def given(values): anything(values); return values
LIST = [1, 2]
anything(LIST)
SURE = [1, 2]
torch.manual_seed(SURE)
TAINTED = [3]
doubted(TAINTED)
match 1:
    case 1: MATCHED = [1]
if anything: BRANCH = [1]
with anything as inside: WITH = [inside]
del SURE[0]
CUT = [1]
CUT[5] = 2
x = y = lambda: CUT
*starred, = [1, 2]
class UNKNOWN_BASE(anything().x): y = 1
class DOUBT:
    values = [1]
anything(DOUBT.values)
class Holder:
    def __init__(self): self.values = [1]
held = Holder()
anything(held)
class UNCLEAR(gone): pass
class Bare: pass
@gone
def bad(): return 1
PARTIAL = functools.partial(deep)
try:
    unset = anything.values
except Exception:
    unset = None
NESTED = [deep(0)][0]
AUG = [[1]]
AUG[0] += [2]
test_bad = given
given.attribute = 1
"""


def read(root: Path, body: str) -> Suite:
    files = {
        "tests/__init__.py": "",
        "tests/star_of_outside.py": "from somewhere_else import *\nfrom tests.star_of_outside import missing\n",
        "tests/torch/test_it.py": f"{HEAD}\n{body}\n",
    }
    return read_suite(write(root, files))


def one(root: Path, values: str) -> str:
    """Why the parameters of a test with these values are not known; else its ids."""
    suite = read(root, f"@pytest.mark.parametrize('a', {values})\ndef test_a(a): pass")
    assert {one.kind for one in suite.findings} <= {"missing-fixture"}
    tests = [test for test in suite.tests if test.name == "test_a"]
    return tests[0].unknown or " ".join(test.id for test in tests)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ("anything()", "somewhere.anything"),
        ("[anything]", "somewhere.anything"),
        ("[anything.inner()]", "somewhere.anything.inner"),
        ("[Given.A]", "prints its members"),
        ("LIST", "code that is not followed"),
        ("TAINTED", "code that is not followed"),
        ("given([1])", "code that is not followed"),
        ("SURE", "code that is not followed"),
        ("MATCHED", "not followed: Match"),
        ("BRANCH", "asks whether something is true"),
        ("WITH", "bound by with"),
        ("CUT", "code that is not followed"),
        ("starred", "unpacks what is not known"),
        ("[1, 2], ids=anything", "somewhere.anything"),
        ("[1, 2], ids=anything()", "the ids are not known"),
        ("[1, 2], ids=[anything(), 'b']", "somewhere.anything"),
        ("[1], ids=lambda v: anything(v)", "somewhere.anything"),
        ("[anything()], ids=str", "somewhere.anything"),
        ("[Loud()], ids=str", "somewhere.anything"),
        ("[torch.nn.functional.logsigmoid]", "not known without importing"),
        ("[torch.float32 == 1]", "compares what is not known"),
        ("[jax.numpy.ndarray], ids=str", "not known without importing"),
        ("[pytest.param(1, id=anything())]", "the id of a set"),
        ("[pytest.param(1, marks=anything())]", "a mark is not known"),
        ("range(10**9)", "too much"),
        ("[1] * 10**9", "too much"),
        ("['x' * 10**9]", "too much"),
        ("[9**9**9]", "too much"),
        ("[1 << 10**9]", "too much"),
        ("list(itertools.product(range(1000), repeat=9))", "too many combinations"),
        ("list(itertools.combinations(range(60), 30))", "too many combinations"),
        ("[f'{1:10000000000}']", "formats what is not known"),
        ("[forever()]", "loops too often"),
        ("[deep(0)]", "nest too deeply"),
        ("[later()]", "asynchronous"),
        ("[1 + anything]", "an operator is applied"),
        ("[anything < 1]", "compares what is not known"),
        ("[anything is 1]", "asks whether two values are one"),
        ("[1 in anything]", "membership"),
        ("[anything[0]]", "a part of what is not known"),
        ("x()", "code that is not followed"),
        ("[{anything(): 1}]", "anything"),
        ("[(1).real]", "the attribute real"),
        ("['{}'.format(1)]", "formats a text"),
        ("['%d' % 1]", "formats a text with %"),
        ("[sorted([anything, anything])]", "sorts what is not known"),
        ("sorted([anything, anything])", "sorts what is not known"),
        ("max([anything])", "compares what is not known"),
        ("[sum([anything])]", "adds what is not known"),
        ("[int(anything)]", "makes a number"),
        ("list({1, 2})", "no order"),
        ("[{1, 2}], ids=str", "no order"),
        ("{**anything}", "unpacks what is no dict"),
        ("given(**anything)", "unpacks what is not known"),
        ("given(*anything)", "iterates over what is not known"),
        ("[x async for x in anything]", "asynchronously"),
        ("[len(anything)]", "length of what is not known"),
        ("[isinstance(anything, int)]", "the type of what is not known"),
        ("[(yield)]", "not evaluated"),
        ("[functools.reduce(max, [1])]", "functools.reduce"),
        ("[Given(2)]", "no such member"),
        ("['a'.join(anything)]", "iterates over what is not known"),
        ("5", "iterates over what is not known"),
        ("[UNKNOWN_BASE.x]", "a base that is not known"),
        ("[DOUBT.values[0]]", "code that is not followed"),
        ("['a' % 1 % 2]", "formats a text with %"),
        ("[b'a' % 1]", "formats a text with %"),
        ("{x for x in [anything()]}", "a member that is not known"),
        ("{[1], 2}", "unhashable"),
        ("list(Made)", "iterates over Made"),
        ("[''.join(['x' * 9000] * 3)], ids=repr", "more than 10000"),
        ("[given], ids=str", "the text of given"),
        ("[Loud], ids=str", "the text of Loud"),
        ("['a'.split(given)]", "calls split with"),
        ("range('a')", "a range of what is not known"),
        ("[].append(1)", "iterates over what is not known"),
        ("(5)()", "calls what is not known"),
        ("bad()", "somewhere.gone decorates"),
        ("[9 ** 99 * 9 ** 99 * 9 ** 999 * 9 ** 999]", "too much"),
        ("[itertools.count(1)], ids=str", "itertools.count"),
        ("[UNCLEAR.x]", "has no x"),
        ("[Given.A], ids=repr", "is not known"),
        ("[f'{1:q}']", "formatting fails"),
        ("[list.x]", "not known without importing"),
        ("[torch.Storage]", "not known without importing"),
        ("[torch.add == torch.nn.functional.add]", "are one is not known"),
        ("[Bare(1).nothing]", "has no nothing"),
        ("[unset.values]", "is bound in a branch"),
        ("[1, 2], ids=5", "calls what is not known"),
        ("[given.nothing]", "the attribute nothing"),
        ("[NESTED]", "too deeply"),
        ("[late]", "somewhere_else"),
        ("AUG", "code that is not followed"),
    ],
)
def test_reasons(tmp_path: Path, values: str, reason: str) -> None:
    assert reason in one(tmp_path, values)


@pytest.mark.parametrize(
    ("values", "ids"),
    [
        ("[torch.float32, torch.half, torch.strided]", "a0 a1 a2"),
        ("[torch.float, torch.long], ids=str", "torch.float32 torch.int64"),
        ("[torch.abs, torch.nn.ReLU, jax.lax.add, np.float32, jax.numpy.bfloat16]", "abs ReLU add float32 bfloat16"),
        ("[torch.inf, np.pi, jax.numpy.newaxis]", "inf 3.141592653589793 None"),
        ("[torch.randn(2).to(torch.bfloat16) * 2, np.zeros(3), torch.tensor([1])]", "a0 a1 a2"),
        ("[np.float32], ids=str", "<class 'numpy.float32'>"),
        (
            "[torch.abs == torch.abs, torch.abs == torch.exp, torch.half == torch.float16, torch.abs == given]",
            "True0 False0 True1 False1",
        ),
        ("[Made()]", "a0"),
        ("[anything(), anything()], ids=['x', 'y']", "x y"),
        ("[pytest.param(anything(), id='z')]", "z"),
    ],
)
def test_without_importing(tmp_path: Path, values: str, ids: str) -> None:
    assert one(tmp_path, values) == ids


def test_nothing_is_executed(tmp_path: Path) -> None:
    target = tmp_path / "made"
    suite = read(
        tmp_path,
        f"""
os.mkdir({str(target)!r})
open({str(target)!r}, "w")
subprocess.run(["touch", {str(target)!r}])
eval("__import__('os').mkdir({str(target)!r})")
__import__("os").mkdir({str(target)!r})
WIDE = [[[0] * 20000] * 20000] * 20000
TEXT = "x" * 9000
for _ in range(20000): TEXT += TEXT
@pytest.mark.parametrize("a", [eval("1"), exec("2")])
def test_a(a): pass
@pytest.mark.parametrize("a", [TEXT])
def test_b(a): pass
@pytest.mark.parametrize("a", range(20000))
@pytest.mark.parametrize("b", range(20000))
def test_c(a, b): pass
@anything
def test_d(): pass
@doubted
def test_e(): pass
@given
def test_f(): pass
@Made
def test_g(): pass
@pytest.mark.parametrize("a,b", [(1,)])
def test_h(a, b): pass
@pytest.mark.parametrize(anything, [1])
def test_i(a): pass
@pytest.mark.parametrize("a")
def test_j(a): pass
def test_k(a): pass
""",
    )
    assert not target.exists()
    unknown = {test.name: test.unknown for test in suite.tests}
    assert "builtins.eval" in unknown["test_a"]
    assert "too many combinations" in unknown["test_c"]
    assert not unknown["test_d"], "a decorator from elsewhere leaves a test as it is"
    assert "asks whether" in unknown["test_e"]
    assert "2 names and a set of 1 values" in unknown["test_h"]
    assert "names of the parameters" in unknown["test_i"]
    assert "misses its names or values" in unknown["test_j"]
    assert unknown["test_k"] == ""


@pytest.mark.parametrize(
    ("head", "text"),
    [
        ("", "raises ZeroDivisionError at tests/torch/test_it.py:1: division by zero"),
        ("from tests.missing import gone as x\n", "raises ModuleNotFoundError at tests/torch/test_it.py:1: "),
        ("from .nowhere import lost as x\n", "raises ModuleNotFoundError at tests/torch/test_it.py:1: "),
        (
            "from tests.utils import lost as x\n",
            "raises ImportError at tests/torch/test_it.py:1: cannot import name 'lost'",
        ),
        ("from tests.raising import there as x\n", "raises KeyError at tests/raising.py:1: 'a'"),
    ],
)
def test_a_module_that_pytest_cannot_import(tmp_path: Path, head: str, text: str) -> None:
    files = {"tests/__init__.py": "", "tests/torch/test_it.py": f"{head or 'x = 1 / 0'}\ny = [x]\ndef test_a(): pass\n"}
    files |= {"tests/utils.py": "", "tests/raising.py": "there = {}['a']\n"}
    suite = read_suite(write(tmp_path, files))
    (finding,) = suite.findings
    assert (finding.kind, finding.file) == ("broken-test", "tests/torch/test_it.py")
    assert f"pytest cannot collect its tests: importing it {text}" in finding.message
    assert [text in test.unknown for test in suite.tests] == [True]


@pytest.mark.parametrize(
    "head",
    [
        "try:\n    from tests.utils import gone\nexcept ImportError:\n    gone = None",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from tests.gone import Name",
        "from tests import utils\nfrom tests.utils import *\nimport tests.utils",
        "from tests.made import anything",
        "def later():\n    from tests.gone import name",
        "from tests.torch import other",
        "import torch.gone, numpy",
    ],
)
def test_imports_that_may_work_are_not_called_failures(tmp_path: Path, head: str) -> None:
    files = {"tests/__init__.py": "", "tests/torch/test_it.py": f"{head}\ndef test_a(): pass\n", "tests/utils.py": ""}
    files |= {"tests/made.py": "def __getattr__(name): ...\n", "tests/torch/other/deep.py": ""}
    suite = read_suite(write(tmp_path, files))
    assert (suite.findings, [test.unknown for test in suite.tests]) == ((), [""])


def test_a_file_that_only_lacks_a_name_is_among_those_that_were_read(tmp_path: Path) -> None:
    files = {
        "tests/__init__.py": "",
        "tests/torch/test_it.py": "from tests.utils import f\n",
        "tests/utils.py": "f = 1\n",
    }
    assert "tests/utils.py" in read_suite(write(tmp_path, files)).read


@pytest.mark.parametrize("text", ["def test_a(:\n", "x = " + "(" * 5000, "\0"])
def test_a_broken_file_is_a_finding(tmp_path: Path, text: str) -> None:
    files = {"tests/torch/test_bad.py": text, "tests/torch/test_good.py": "def test_a(): pass\n"}
    suite = read_suite(write(tmp_path, files))
    assert [test.node_id for test in suite.tests] == ["tests/torch/test_good.py::test_a"]
    assert [(finding.kind, finding.file) for finding in suite.findings] == [("broken-test", "tests/torch/test_bad.py")]


def test_doubts_about_fixtures(tmp_path: Path) -> None:
    suite = read(
        tmp_path,
        """
from somewhere import wanted
from tests.star_of_outside import missing
from somewhere_else import *
@pytest.fixture(params=anything())
def unknown(request): return request.param
@pytest.fixture(params=[1])
def base(request): return request.param
def test_a(unknown): pass
def test_b(wanted, missing, base): pass
@pytest.fixture(params=[2])
def twice(twice): return twice
def test_c(twice): pass
class TestBoth:
    @pytest.fixture
    def base(self): return 5
    def test_d(self, base): pass
from somewhere import test_gone
if anything:
    def test_maybe(): pass
@pytest.mark.skip(reason=anything(), other=anything.x < 1)
def test_e(): pass
""",
    )
    assert {
        test.name: test.unknown.split(":")[0][:30] or test.id for test in suite.tests if test.name != "test_bad"
    } == {
        "test_a": "calls somewhere.anything",
        "test_b": "1",
        "test_c": "2",
        "test_d": "",
        "test_maybe": "asks whether something is true",
        "test_e": "",
    }
    marks = next(test.marks for test in suite.tests if test.name == "test_e")
    assert marks == (("skip", {"reason": "?", "other": "?"}),)


def test_circles(tmp_path: Path) -> None:
    files = {
        "tests/__init__.py": "",
        "tests/one.py": "from tests.two import B\nA = [B]\n",
        "tests/two.py": "from tests.one import A\nB = A\n",
        "tests/torch/test_it.py": "import pytest\nfrom tests.one import A\nX = X\nclass C(C): pass\n"
        "@pytest.mark.parametrize('a', A)\ndef test_a(a): pass\n"
        "@pytest.mark.parametrize('a', [C.x, X])\ndef test_b(a): pass\n",
        "tests/torch/conftest.py": "def broken(:\n",
    }
    suite = read_suite(write(tmp_path, files))
    assert [bool(test.unknown) for test in suite.tests] == [True, True]


def test_no_tests_at_all(tmp_path: Path) -> None:
    assert read_suite(write(tmp_path, {"README": ""})) == Suite(())
