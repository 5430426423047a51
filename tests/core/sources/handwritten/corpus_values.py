# SPDX-License-Identifier: Apache-2.0
"""Tests whose parameters need Python to be followed."""

from collections.abc import Mapping

VALUES: Mapping[str, str] = {
    "tests/torch/ops/test_values.py": """
import itertools
import math
import operator
import os
import re
from functools import partial
import pytest
from tests import utils
from tests.utils import *
from tests.utils import Automatic, Case, Category, Number, Own, Pair, Plain, Real, Shown, Text, numbers
from tests.star import STAR
from tests.package import LATE
from utils import parametrize_arch, run_op_test

SHAPES = [(1, 2), [3, 4], {"k": 1}, {5}, frozenset({6}), slice(1, None), range(3), ..., -1, 1e3, 2j, None, True]
TEXTS = ["plain", "with space", "tab\\t", "nul\\x00", "ünï", "back\\\\slash", b"bytes\\xff", "", "x" * 101, "x" * 100]
BIG = []
for begin in range(2):
    for end in range(4):
        if end == 3:
            break
        BIG.append((begin, end))
    else:
        BIG.append("never")
BIG += [("added", 1)]
TABLE = {name: len(name) for name in STAR if name != "n2"}
TABLE["more"] = 7
TABLE.update({"last": 8})
first, (second, third) = 1, [2, 3]
counted = 0
while counted < 3:
    counted += 1
if counted == 3 and not False:
    CHOSEN = ["right"]
else:
    CHOSEN = ["wrong"]
try:
    import something_else_entirely as maybe
    HAS_IT = True
except ImportError:
    maybe = None
    HAS_IT = False


def helper(x, *, y=2):
    return x + y


def variants(kind):
    found = {"a": 1, "b": 2}
    return {k: v for k, v in found.items() if k in ("a", kind)}


@pytest.mark.parametrize("value", SHAPES)
def test_numbered(value):
    run_op_test(value)


@pytest.mark.parametrize("value", SHAPES[:9], ids=lambda value: f"{value}")
def test_idfn(value):
    via_helper(value)


def via_helper(value):
    run_op_test(value)


@pytest.mark.parametrize("value", SHAPES, ids=str)
def test_str(value):
    pass


@pytest.mark.parametrize("value", ["s", 1, (1,), (), {}, set()], ids=repr)
def test_repr(value):
    pass


@pytest.mark.parametrize("text", TEXTS)
def test_texts(text):
    pass


@pytest.mark.parametrize("kind", [Plain.ONE, Plain.UNO, Category.OP_TEST, Text.A, Real.B, Number.SEVEN, Automatic.X])
def test_members(kind):
    pass


@pytest.mark.parametrize("kind", [*Plain, *list(Category), Shown.first(), Plain["TWO"], Plain(2)])
def test_all_members(kind):
    pass


@pytest.mark.parametrize("kind", [(Plain.ONE, 1), [Shown.Z], (Category.OP_TEST,), Shown.Z.double, Shown.three()], ids=str)
def test_member_texts(kind):
    pass


@pytest.mark.parametrize("case", [Case("one"), Case("two", shape=(3,)), Pair(1, right=2)], ids=lambda c: getattr(c, "name", None) if isinstance(c, Case) else c.left)
def test_records(case):
    pass


@pytest.mark.parametrize("own", [Own("a"), Own("b", 1, 2, key="z", extra=1)], ids=lambda o: str(o) + o.label() + str(o.size))
def test_instances(own):
    pass


@pytest.mark.parametrize("f", [helper, Own, math.sqrt, operator.add, int, os, partial(helper, 1), lambda: 1])
def test_callables(f):
    pass


@pytest.mark.parametrize(["begin", "end"], BIG)
def test_loops(begin, end):
    pass


@pytest.mark.parametrize("a,b,", list(itertools.product([0, 1], repeat=2)) + [(helper(1), helper(2, y=5))])
@pytest.mark.parametrize("c", [first, second, third, counted, 2**10, 7 // 2, 7 % 4, -7, ~1, 1 << 3, 6 / 4, "%s-%s" % ("x", 1)])
def test_stacked(a, b, c):
    pass


@pytest.mark.parametrize("name", [*TABLE, *TABLE.keys(), *map(str, TABLE.values())])
@pytest.mark.parametrize("other", sorted(["z", "y"]) + list(reversed("ab")) + [max(1, 2), min([3, 4]), sum([1, 2]), abs(-3)])
def test_tables(name, other):
    pass


@pytest.mark.parametrize("key,value", variants("b").items(), ids=[str(k) for k in variants("b").keys()])
def test_items(key, value):
    pass


@pytest.mark.parametrize("value", list(numbers(5)) + [LATE, utils.failed("x"), CHOSEN[0], STAR[-1], "a,b".split(",")[1], "-".join(["j", "k"])])
def test_generated(value):
    pass


@pytest.mark.parametrize("value", ["twice", "twice", 1, 1, "twice0", "", ""])
def test_duplicates(value):
    pass


@pytest.mark.parametrize("value", [1, 2, 3], ids=["given", None, 5.5])
def test_ids_list(value):
    pass


@pytest.mark.parametrize("value", [1, 2], ids=(f"t{n}" for n in range(2)))
def test_ids_generator(value):
    pass


@pytest.mark.parametrize("a, b", [pytest.param(1, 2, id="named"), pytest.param(3, (4,), marks=pytest.mark.slow), (5, 6)])
def test_params(a, b):
    pass


@pytest.mark.parametrize("a", [pytest.param(1, marks=[pytest.mark.skip(reason=utils.failed("skip")), pytest.mark.xfail])])
def test_param_marks(a):
    pass


@pytest.mark.parametrize("a", [])
def test_empty(a):
    pass


@pytest.mark.parametrize(argnames="a", argvalues=(1, 2), ids=None)
def test_keywords(a):
    pass


@pytest.mark.parametrize("value", [(x, y) for x in range(2) for y in "ab" if (x, y) != (1, "b")], ids=lambda v: f"{v[0]}x{v[1]!r:>4}{1.5:.2f}")
def test_comprehension(value):
    pass


@pytest.mark.parametrize("value", ["a", 3], ids=lambda v: None if v == 3 else v.upper())
def test_idfn_none(value):
    pass


@pytest.mark.parametrize("value", [1 if HAS_IT is None else 0] if False else [any([0, 1]), all([]), bool(""), int("12"), float("1.5"), len(TEXTS)])
def test_builtins(value):
    pass


@pytest.mark.parametrize("value", [*zip([1, 2], "ab"), *enumerate("c"), tuple([1]), dict(a=1), dict([("b", 2)])], ids=str)
def test_collections(value):
    pass


@pytest.mark.parametrize("value", [1 < 2 <= 2, 1 in (1, 2), "x" not in "abc", None is None, 1 != 1, "a" and "b", 0 or "c", not 1, (1, 2) == (1, 2), "b" > "a"])
def test_comparisons(value):
    pass


@pytest.mark.parametrize("value", list(itertools.combinations("abc", 2)) + list(itertools.permutations("xy")) + list(itertools.chain("p", ["q"])), ids="".join)
def test_combinations(value):
    pass
""",
    "tests/torch/ops/test_more.py": """
import contextlib
import functools
import pytest
import tests.utils
import tests.utils as u
from tests import package
from tests.star import *
from tests.utils import Automatic, Number, Own, Plain, Shown, Text, helper_of_all as kept

sub = pytest.importorskip("xml.dom")
partial = functools.partial(kept, 1, c=3)
OPTIONS = {"b": 5}
MORE = {**OPTIONS, "c": 6}
SETS = {x for x in [7]}
for loop in [1, 2, 3]:
    if loop == 2:
        break
else:
    loop = 9
for other in ():
    pass
else:
    other = 8
while loop < 20:
    loop += 1
    if loop == 10:
        break
else:
    loop = 99
while loop < 5:
    pass
else:
    ended = True
annotated: int = 4
declared: str
GONE = 1
del GONE
box = Own("boxed")
box.extra = 11
DICT = {}
DICT["k"] = 12
DICT.setdefault("m", 13)
WORDS = "a b".split()
WORDS.extend(["c"])
WORDS.insert(0, "z")
text = ""
text += "joined"
with open(__file__) as _file:
    LINES = [1]


def searching(values):
    for value in values:
        if value > 1:
            return value
    while True:
        return 0


def looping():
    with contextlib.nullcontext():
        try:
            return 5
        finally:
            pass


def bare():
    return


def direct_mark():
    pass


test_marked = pytest.mark.nightly(pytest.mark.push(lambda: None))


def _fixture(request):
    return request.param


made = pytest.fixture(params=["m1"])(_fixture)


@pytest.mark.parametrize("value", [partial(b=2), kept(4, **OPTIONS), MORE["c"], *SETS, loop, other, ended, annotated, box.extra, box.more, DICT["k"], DICT.get("m"), *WORDS, text, *LINES])
def test_values(value):
    pass


@pytest.mark.parametrize("value", [searching([1, 2]), searching([]), looping(), bare(), Own.__name__, kept.__name__, slice(1, 2).stop, isinstance(1, int), isinstance("a", (int, Plain)), Shown.three()])
def test_results(value):
    pass


@pytest.mark.parametrize("value", [u, package, tests.utils.NAMES[0], u.Number.SEVEN + 1 if False else 3, Text.A == "a text", Plain.ONE == 1, Plain.ONE is Plain.UNO, Plain.TWO in (Plain.ONE, Plain.TWO), bool(Plain.ONE), bool(kept), "ab" in "cab"])
def test_modules(value):
    pass


@pytest.mark.parametrize("value", [Number.SEVEN, "%s" % (1,), "%s" % Text.A.value, f"{Own('q')}", 3 * "ab", [0] * 2, 12345678901 * 98765432109, 1 and None, "x" or 1], ids=str)
def test_texts(value):
    pass


@pytest.mark.parametrize("value", STAR)
def test_starred(value, made):
    pass


@pytest.mark.parametrize("value", (lambda *, a=1, **rest: [a, *rest])(b=3))
def test_lambda_call(value):
    pass


class Outer:
    class TestInside:
        def test_not_reached(self):
            pass


class TestAttributes:
    values = [1, 2]
    made_of = [v + 1 for v in [3]]

    @pytest.mark.parametrize("v", values + made_of)
    def test_own(self, v):
        pass


def test_attribute_marks():
    pass


test_attribute_marks.pytestmark = [pytest.mark.later]
""",
}
