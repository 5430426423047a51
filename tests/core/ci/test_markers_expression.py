# SPDX-License-Identifier: Apache-2.0
"""Expressions mean what pytest means by them."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.ci import keyword_matches, mark_matches, problem
from core.ci.markers import ExpressionError

NAMES = ("n300", "n300-llmbox", "a/b.c", "large")
Meaning = Callable[[frozenset[str]], bool]


def _name(name: str) -> tuple[str, Meaning]:
    return name, lambda markers: name in markers


def _both(pair: tuple[tuple[str, Meaning], tuple[str, Meaning]]) -> tuple[str, Meaning]:
    (left, means_left), (right, means_right) = pair
    return f"({left} and {right})", lambda markers: means_left(markers) and means_right(markers)


def _either(pair: tuple[tuple[str, Meaning], tuple[str, Meaning]]) -> tuple[str, Meaning]:
    (left, means_left), (right, means_right) = pair
    return f"({left} or {right})", lambda markers: means_left(markers) or means_right(markers)


def _negated(one: tuple[str, Meaning]) -> tuple[str, Meaning]:
    text, means = one
    return f"not {text}", lambda markers: not means(markers)


EXPRESSIONS = st.recursive(
    st.sampled_from(NAMES).map(_name),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(_both), st.tuples(inner, inner).map(_either), inner.map(_negated)
    ),
    max_leaves=8,
)


@given(EXPRESSIONS, st.frozensets(st.sampled_from(NAMES)))
def test_logic(expression: tuple[str, Meaning], markers: frozenset[str]) -> None:
    text, means = expression
    assert mark_matches(text, markers) == means(markers)


def test_names_of_marks_match_exactly() -> None:
    assert not mark_matches("n300", {"n300-llmbox"})
    assert mark_matches("n300-llmbox", {"n300-llmbox"})
    assert not mark_matches("N300", {"n300"})
    assert not mark_matches("push(when=1)", {"push"})


def test_no_expression_selects_everything_and_a_blank_one_nothing() -> None:
    assert mark_matches("", set())
    assert keyword_matches("", set())
    assert not mark_matches(" ", {"push"})


def test_keywords_match_any_part_in_any_case() -> None:
    names = {"test_all_models_torch[resnet/pytorch-ResNet50-single_device-inference]", "push"}
    assert keyword_matches("pytorch-resnet50-single", names)
    assert keyword_matches("PUS and not llama", names)
    assert not keyword_matches("resnet101", names)


@pytest.mark.parametrize("text", ["push and", "(push", "push push", "push & large", "a(b=)", "(" * 5000])
def test_what_pytest_refuses_is_reported_and_raised(text: str) -> None:
    assert problem(text, "")
    assert problem("", text)
    with pytest.raises(ExpressionError, match="Not an expression"):
        mark_matches(text, {"push"})


def test_arguments_belong_to_marks_only() -> None:
    assert problem("push(when=1)", "") == ""
    assert "no arguments" in problem("", "push(when=1)")
    with pytest.raises(ExpressionError):
        keyword_matches("push(when=1)", {"push"})


def test_pytest_is_loaded_only_once_an_expression_is_evaluated() -> None:
    script = (
        "import sys, core.cli.command_jobs; from core.ci.markers import mark_matches\n"
        "assert '_pytest' not in sys.modules; mark_matches('a', {'a'}); assert '_pytest' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], cwd=Path(__file__).parents[3], check=True)


@pytest.mark.parametrize(
    ("mark", "keyword", "wanted"),
    [
        ("n150 and not large", "", {"alpha"}),
        ("n150", "", {"alpha", "beta"}),
        ("n300-llmbox or n150", "BETA", {"beta"}),
        ("", "runner and test_models.py and not gamma", {"alpha", "beta"}),
        ("", "large", {"beta"}),
    ],
)
def test_pytest_itself_selects_the_same(tmp_path: Path, mark: str, keyword: str, wanted: set[str]) -> None:
    module = tmp_path / "tests" / "runner" / "test_models.py"
    module.parent.mkdir(parents=True)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    markers = {"alpha": {"n150"}, "beta": {"n150", "large"}, "gamma": {"n300-llmbox"}}
    module.write_text(
        f"import pytest\nMARKERS = {markers!r}\n"
        "ENTRIES = [pytest.param(n, id=n, marks=[getattr(pytest.mark, m) for m in MARKERS[n]]) for n in MARKERS]\n"
        "@pytest.mark.parametrize('entry', ENTRIES)\ndef test_all_models_torch(entry): pass\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "tests"]
        + (["-m", mark] if mark else [])
        + (["-k", keyword] if keyword else []),
        cwd=tmp_path,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    collected = {line.partition("[")[2].rstrip("]") for line in done.stdout.splitlines() if "::" in line}
    names = {
        one: markers[one] | {"tests", "runner", "test_models.py", f"test_all_models_torch[{one}]", "parametrize"}
        for one in markers
    }
    ours = {one for one in markers if mark_matches(mark, markers[one]) and keyword_matches(keyword, names[one])}
    assert ours == collected == wanted
