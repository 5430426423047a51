# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.runner.expectations: both parsers read the same, and refuse the same."""

import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

from core.payload.ttmatrix_payload.runner import expectations
from core.payload.ttmatrix_payload.runner.expectations import YamlProblem, parse_yaml

PARSERS: list[Callable[[str], Any]] = [expectations.with_ruamel, expectations.with_pyyaml]


@pytest.mark.parametrize("parse", PARSERS)
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("True", True),
        ("~", None),
        ("0.99", 0.99),
        ("1e-3", 0.001),
        (".5", 0.5),
        ("12", 12),
        ("1:30", "1:30"),
        ("012", 12),
        ('[a, \'b\', "c\\"d"]', ["a", "b", 'c"d']),
        ("2026-11-21x", "2026-11-21x"),
        ("", None),
    ],
)
def test_yaml_1_2(parse: Callable[[str], Any], text: str, value: object) -> None:
    found = parse(f"key: {text}\n")["key"]
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("parse", PARSERS)
@pytest.mark.parametrize("text", ["a: 1\na: 2\n", "a: [1\n", "a: {b: 1, b: 2}", "\t- x"])
def test_what_upstream_refuses_is_refused(parse: Callable[[str], Any], text: str) -> None:
    with pytest.raises(YamlProblem):
        parse(text)


@given(
    st.dictionaries(
        st.from_regex(r"[a-z]{1,5}", fullmatch=True), st.integers() | st.floats(allow_nan=False) | st.booleans()
    )
)
def test_numbers_survive_either_parser(values: dict[str, object]) -> None:
    text = "".join(f"{key}x: {str(value).lower().replace('inf', '.inf')}\n" for key, value in values.items())
    assert all((parse(text) or {}) == {f"{key}x": value for key, value in values.items()} for parse in PARSERS)


def test_without_either_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ruamel.yaml", "yaml"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(YamlProblem, match="pip install"):
        parse_yaml("a: 1")
