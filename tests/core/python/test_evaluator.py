# SPDX-License-Identifier: Apache-2.0
"""Expressions, calls and classes have the value that Python gives them; what is not followed is said."""

import inspect
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, strategies as st

from core.python import Class, External, Function, Program, Raises, Resolver, Unknown, Value

_MODULE = """
from enum import Enum

class StrEnum(Enum):
    def __str__(self):
        return self.value

class V(StrEnum):
    SMALL = "1B_IT"
    LARGE = "70B"

_LARGE = frozenset({{V.LARGE}})

class Base:
    DEFAULT = V.SMALL
    NAMES = {{V.SMALL: "small", V.LARGE: "large"}}

    @classmethod
    def label(cls, variant, suffix="!"):
        return f"{{cls.NAMES[variant]}}{{suffix}}"

class C(Base):
    NUMBERS = [1, 2, 3]

    @classmethod
    def label(cls, variant, *, suffix="?"):
        return "C " + super().label(variant, suffix)

    @staticmethod
    def twice(word):
        return word + word

    def plain(self):
        return 1

    @classmethod
    def f(cls, variant=None):
        {body}
"""


def _program(root: Path, files: dict[str, str]) -> Program:
    for name, source in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(source)
    return Program(Resolver(root, ("tree", "all.tree")))


def _static(root: Path, body: str) -> Value:
    program = _program(root, {"a.py": _MODULE.format(body=body)})
    with program.budget():
        large = program.expressions.attribute(program.module_attribute("a.py", "V"), "LARGE")
        method = program.expressions.attribute(program.module_attribute("a.py", "C"), "f")
        found = program.expressions.call(method, [large], {})
        return program.expressions.known(found)


def _real(body: str) -> object:
    names: dict[str, object] = {"__name__": "a"}
    exec(_MODULE.format(body=body), names)
    made, enum = names["C"], names["V"]
    return made.f(enum.LARGE)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "expression",
    [
        "variant is None",
        "variant is not None and variant.value",
        "variant == V.LARGE",
        "variant == '70B'",
        "'70B' != variant",
        "variant != cls.DEFAULT",
        "variant in _LARGE",
        "variant in [V.SMALL]",
        "variant not in (V.SMALL, V.LARGE)",
        "variant in cls.NAMES",
        "str(None or variant)",
        "'red' if '70B' in variant.value or variant == V.SMALL else 'generality'",
        "not variant",
        "any(x in variant.value for x in ['IT', '7B'])",
        "any(x in variant.value for x in ['IT', '70B'] if x != '70B')",
        "all([x is not None for x in cls.NUMBERS])",
        "cls.NAMES[variant]",
        "cls.NAMES.get(None, 'none')",
        "cls.NAMES.get(None)",
        "cls.NAMES.get(variant, 'none')",
        "cls.NUMBERS[-1]",
        "cls.NUMBERS[0] == 1 == True",
        "f'{variant} and {variant!s} of {cls.DEFAULT.value}'",
        "str(variant).lower().startswith('70b')",
        "cls.twice('ab') + 'c'",
        "cls.label(variant)",
        "cls.label(variant, suffix='.')",
        "super().label(variant)",
        "super().label(suffix='', variant=V.SMALL)",
    ],
)
def test_an_expression_means_what_python_says(tmp_path: Path, expression: str) -> None:
    body = f"return {expression}"
    assert _static(tmp_path, body) == _real(body)


_SINGLE = st.sampled_from(["variant", "V.SMALL", "cls.DEFAULT", "None"])
_TEXT = st.sampled_from(["variant.value", "'70B'", "'B'", "f'{variant}'", "V.SMALL.value"])
_TEST = st.recursive(
    st.sampled_from(["variant", "None", "0", "-1.5", "''", "'a'", "[]", "(None,)", "{}", "{None: 1}"])
    | st.builds("({} is {})".format, _SINGLE, _SINGLE)
    | st.builds("({} == {})".format, st.sampled_from(["variant", "V.SMALL"]), st.sampled_from(["V.LARGE", "None"]))
    | st.builds("({} in {})".format, _TEXT, _TEXT)
    | st.builds("({} not in ({}, {}))".format, _SINGLE, _SINGLE, _SINGLE),
    lambda inner: (
        st.builds("({} and {})".format, inner, inner)
        | st.builds("({} or {})".format, inner, inner)
        | st.builds("(not {})".format, inner)
        | st.builds("({} if {} else {})".format, inner, inner, inner)
    ),
    max_leaves=6,
)


@given(_TEST)
def test_conditions_choose_the_branch_python_chooses(test: str) -> None:
    body = f"return bool({test})"
    with TemporaryDirectory() as root:
        assert _static(Path(root), body) is _real(body)


@pytest.mark.parametrize(
    "expression",
    [
        "variant < V.SMALL",
        "b'x'.hex()",
        "f'{variant!r:>9}'",
        "[x async for x in cls.NUMBERS]",
        "variant()",
        "__import__('os').system('true')",
        "open('/dev/null').name",
        "super(C, cls).label(variant)",
        "V.SMALL in gone_from_here",
    ],
)
def test_what_is_not_followed_is_unknown_and_not_wrong(tmp_path: Path, expression: str) -> None:
    with pytest.raises(Unknown) as caught:
        _static(tmp_path, f"from somewhere import gone_from_here\n        return {expression}")
    assert not isinstance(caught.value, Raises)


@pytest.mark.parametrize(
    "expression",
    [
        "cls.NAMES['gone']",
        "cls.NUMBERS[9]",
        "cls.label(variant, 1, 2, 3)",
        "cls.label(**{})",
        "cls.gone",
        "gone",
        "-variant.value",
        "1 + 'a'",
        "variant.value.lower(1)",
    ],
)
def test_what_python_raises_in_a_call_is_raised_with_its_place(tmp_path: Path, expression: str) -> None:
    body = f"pass\n        return {expression}"
    with pytest.raises(Raises) as caught:
        _static(tmp_path, body)
    with pytest.raises(Exception) as real:
        _real(body)
    lines = _MODULE[: _MODULE.index("{body}")].count("\n")
    raised = caught.value.raised
    assert (raised.exception, raised.path, raised.line) == (type(real.value).__name__, "a.py", lines + 2)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("return cls.f(variant)", "nest too deeply"),
        ("while True: pass", "loops too often"),
        ("for x in range(9000):\n            for y in range(9000): z = x + y", "too many steps"),
        ("return 'x' * 30_000", "too much|more than 10000"),
        ("return [0] * 10 ** 9", "too much"),
    ],
)
def test_work_is_bounded(tmp_path: Path, body: str, reason: str) -> None:
    with pytest.raises(Unknown, match=reason):
        _static(tmp_path, body)


_SIGNATURE = "def f(a, /, b, c=3, *, d=4, e=5): return (a, b, c, d, e)"


@given(
    st.lists(st.integers(0, 9), max_size=4),
    st.dictionaries(st.sampled_from("abcdex"), st.integers(0, 9), max_size=4),
)
def test_arguments_are_bound_as_python_binds_them(given_values: Sequence[int], named: dict[str, int]) -> None:
    def f(a: int, /, b: int, c: int = 3, *, d: int = 4, e: int = 5) -> None: ...

    try:
        bound = inspect.signature(f).bind(*given_values, **named)
        bound.apply_defaults()
        expected: object = tuple(bound.arguments[name] for name in "abcde")
    except TypeError:
        expected = "TypeError"
    with TemporaryDirectory() as root:
        program = _program(Path(root), {"a.py": _SIGNATURE})
        function = program.module_attribute("a.py", "f")
        try:
            with program.budget():
                found: object = program.expressions.call(function, given_values, named)
        except Raises as error:
            found = error.raised.exception
    assert found == expected


@pytest.mark.parametrize(
    "line",
    [
        "from ...b.pytorch.loader import C as X",
        "from tree.b.pytorch.loader import C as X",
        "from all.tree.b.pytorch.loader import C as X",
        "from ...b.pytorch import C as X",
        "from ...b.pytorch.again import D as X",
        "from ...b.pytorch import loader\nX = loader.C",
        "from ...b.pytorch.stars import *\nX = C",
    ],
)
def test_an_import_leads_to_where_the_class_is(tmp_path: Path, line: str) -> None:
    files = {
        "a/pytorch/loader.py": line,
        "b/pytorch/loader.py": "class C: ...",
        "b/pytorch/__init__.py": "from .loader import C",
        "b/pytorch/again.py": "from . import C as D",
        "b/pytorch/stars.py": "from .loader import *",
    }
    found = _program(tmp_path, files).module_attribute("a/pytorch/loader.py", "X")
    assert isinstance(found, Class)
    assert (found.scope.module.path, found.name) == ("b/pytorch/loader.py", "C")


@pytest.mark.parametrize(
    ("line", "full_name"),
    [
        ("from dataclasses import replace as x", "dataclasses.replace"),
        ("import dataclasses as x", "dataclasses"),
        ("import os.path\nx = os.path.join", "os.path.join"),
        ("x = any", "builtins.any"),
    ],
)
def test_what_comes_from_outside_goes_by_its_full_name(tmp_path: Path, line: str, full_name: str) -> None:
    found = _program(tmp_path, {"a/loader.py": line}).module_attribute("a/loader.py", "x")
    assert found == External(full_name)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("x = anything", "name 'anything' is not defined"),
        ("from .gone import x", "No module named '.gone'"),
        ("from .bad import x", "bad.py cannot be read"),
        ("from .null import x", "null.py cannot be read"),
        ("from .latin import x", "latin.py cannot be read"),
        ("from ....above import x", "beyond top-level package"),
    ],
)
def test_what_cannot_be_seen_is_said(tmp_path: Path, source: str, reason: str) -> None:
    program = _program(tmp_path, {"a.py": f"{source}\ny = [x]", "bad.py": "x = (", "null.py": "x = 1\0"})
    (tmp_path / "latin.py").write_bytes(b"x = '\xe9'")
    for _ in range(2):  # the second time nothing is read
        with pytest.raises(Unknown, match=reason):
            program.module_attribute("a.py", "x")


def test_a_file_is_read_once(tmp_path: Path) -> None:
    program = _program(tmp_path, {"a.py": "def x(): ..."})
    assert isinstance(found := program.module_attribute("a.py", "x"), Function)
    (tmp_path / "a.py").unlink()
    assert program.module_attribute("a.py", "x") is found
    program.forget()
    with pytest.raises(Unknown, match=r"There is no a\.py"):
        program.module_attribute("a.py", "x")


_HIERARCHY = st.lists(st.lists(st.integers(0, 5), max_size=3, unique=True), min_size=1, max_size=6)


@given(_HIERARCHY)
def test_classes_are_ordered_as_python_orders_them(wanted: list[list[int]]) -> None:
    bases = [[f"C{base}" for base in chosen if base < number] for number, chosen in enumerate(wanted)]
    source = "\n".join(f"class C{number}({', '.join(names)}): ..." for number, names in enumerate(bases))
    built: dict[str, type] = {}
    for number, names in enumerate(bases):
        try:
            built[f"C{number}"] = type(f"C{number}", tuple(built[name] for name in names), {})
        except (TypeError, KeyError):
            return
    with TemporaryDirectory() as directory:
        program = _program(Path(directory), {"a.py": source})
        for name, real in built.items():
            found = program.module_attribute("a.py", name)
            assert [one.name for one in found.line()] == [one.__name__ for one in real.__mro__[:-1]]
