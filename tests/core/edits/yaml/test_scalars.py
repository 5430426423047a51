# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.yaml.values."""

import math

import pytest
from hypothesis import given, strategies as st
from ruamel.yaml import YAML

from core.edits.yaml.values import field_text, list_text, scalar_text

texts = st.text(st.characters(exclude_categories=["Cs"]))
LOOKALIKES = (
    "yes No ON off y N true False null ~ 0x1f 1_000 1e3 1.5 .inf 2020-01-01 12:30:45 0b1 0o7 << = -a a: #b [a {a *a"
)
lookalikes = st.sampled_from([*LOOKALIKES.split(), "", "- a", "a: b", "a #b", "&a", "!a"])
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
values = texts | lookalikes | numbers | st.booleans()
quotes = st.sampled_from(["", "'", '"'])


def load(text: str, version: tuple[int, int]) -> object:
    yaml = YAML(typ="safe", pure=True)
    yaml.version = version
    return yaml.load(f"key: {text}\n")["key"]


@given(values, quotes)
@pytest.mark.parametrize("version", [(1, 1), (1, 2)])
def test_every_value_is_read_back_as_itself(version: tuple[int, int], value: object, like: str) -> None:
    found = load(scalar_text(value, like), version)
    assert found == value
    assert type(found) is type(value)


@given(st.lists(values, max_size=4), quotes)
@pytest.mark.parametrize("version", [(1, 1), (1, 2)])
def test_every_list_is_read_back_as_itself(version: tuple[int, int], items: list[object], like: str) -> None:
    found = load(list_text(items, like), version)
    assert found == items


@given(values, quotes)
def test_a_scalar_stays_on_its_line(value: object, like: str) -> None:
    assert len(scalar_text(value, like).splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "value", "like", "expected"),
    [
        ("status", "EXPECTED_PASSING", "", "EXPECTED_PASSING"),
        ("reason", "OOM", "", '"OOM"'),
        ("reason", 'a "b" \\ c', "", '"a \\"b\\" \\\\ c"'),
        ("reason", "it's", "'", "'it''s'"),
        ("reason", "two\nlines", "'", '"two\\nlines"'),
        ("reason", "bell \x07, é — 漢", "", '"bell \\x07, é — 漢"'),
        ("required_pcc", 0.97, '"', "0.97"),
        ("required_atol", 1e-5, "", "1.0e-05"),
        ("assert_pcc", False, "'", "false"),
        ("optimization_level", 1, "", "1"),
        ("markers", ["push", "large"], "", "[push, large]"),
        ("markers", ["yes", "a b"], "", '["yes", "a b"]'),
        ("supported_archs", ["n150", "p150"], '"', '["n150", "p150"]'),
        ("markers", [], "", "[]"),
    ],
)
def test_style_is_upstreams(name: str, value: object, like: str, expected: str) -> None:
    assert field_text(name, value, like) == expected


@pytest.mark.parametrize("identifier", ["a/pytorch-1.5B-x", "solar-10_7B/jax", "3dgs/pytorch-a+b"])
def test_ids_are_plain(identifier: str) -> None:
    assert scalar_text(identifier) == identifier


def test_null_has_no_text() -> None:
    with pytest.raises(TypeError, match="NoneType"):
        scalar_text(None)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_the_shortest_that_come_back(value: float) -> None:
    text = scalar_text(value)
    assert math.copysign(1, float(text)) == math.copysign(1, value)
    assert len(text) <= len(repr(value)) + 2
