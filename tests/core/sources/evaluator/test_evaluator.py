# SPDX-License-Identifier: Apache-2.0
"""Expressions have the value that Python gives them; unsupported ones are reported with their place."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, strategies as st

from core.sources.evaluator.evaluator import Evaluator
from core.sources.evaluator.tree import TreeNames
from core.sources.evaluator.values import TreeClass, Unknown, Value

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

    @classmethod
    def f(cls, variant=None):
        {body}
"""


def _static(root: Path, body: str) -> Value:
    (root / "a.py").write_text(_MODULE.format(body=body))
    evaluator = Evaluator(tree := TreeNames(root))
    found, enum = tree.lookup("a.py", "C"), tree.lookup("a.py", "V")
    assert isinstance(found, TreeClass)
    assert isinstance(enum, TreeClass)
    return evaluator.call_method(found, "f", evaluator.attribute(enum, "LARGE"))


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
        "lambda: 1",
        "variant < V.SMALL",
        "~1",
        "-variant",
        "1 + 1",
        "b'x'",
        "f'{variant:>9}'",
        "f'{variant!r}'",
        "cls.NAMES['gone']",
        "cls.NUMBERS[9]",
        "cls.NUMBERS[0:1]",
        "{**cls.NAMES}",
        "cls.label(**{})",
        "cls.label(*[variant])",
        "cls.label(variant, 1, 2, 3)",
        "cls.gone",
        "gone",
        "(y := 1)",
        "[x for x, y in cls.NUMBERS]",
        "[x for x in cls.NUMBERS for y in [x]]",
        "cls.NAMES.get()",
        "variant.value.lower(x=1)",
        "variant()",
        "__import__('os').system('true')",
        "open('/dev/null')",
        "super(C, cls).label(variant)",
    ],
)
def test_what_is_not_evaluated_is_said_with_its_place(tmp_path: Path, expression: str) -> None:
    with pytest.raises(Unknown) as caught:
        _static(tmp_path, f"pass\n        return {expression}")
    lines = _MODULE[: _MODULE.index("{body}")].count("\n")
    assert caught.value.place == f"a.py:{lines + 2}"


def test_a_method_that_calls_itself_without_end(tmp_path: Path) -> None:
    with pytest.raises(RecursionError):
        _static(tmp_path, "return cls.f(variant)")


def test_work_is_bounded(tmp_path: Path) -> None:
    hundred = f"[{', '.join('1' * 100)}]"
    nested = f"[[[x for x in {hundred}] for y in {hundred}] for z in {hundred}]"
    with pytest.raises(Unknown, match="too many steps"):
        _static(tmp_path, f"return {nested}")


def test_only_class_methods_are_called(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("class C:\n    x = 1\n    def f(self): ...\n")
    evaluator = Evaluator(tree := TreeNames(tmp_path))
    found = tree.lookup("a.py", "C")
    assert isinstance(found, TreeClass)
    for name in ("x", "f", "gone"):
        with pytest.raises(Unknown, match=name):
            evaluator.call_method(found, name)
