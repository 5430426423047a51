# SPDX-License-Identifier: Apache-2.0
"""core.runs.junit: the `str` of a dictionary is read back, whatever it contains."""

import math

import pytest
from hypothesis import given, strategies as st

from core.runs.junit import parse_tags

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), plain))
def test_tags_are_read_as_python_wrote_them(tags: dict[str, object]) -> None:
    # NaN equals nothing, so the texts are compared.
    assert repr(parse_tags(str(tags))) == repr(tags)


@pytest.mark.parametrize("text", ["", "[1]", "{'a': open('x')}", "{'a': b}", "{" * 10_000, "(" * 300_000, "{'a': 1"])
def test_other_text_gives_no_tags(text: str) -> None:
    assert parse_tags(text) == {}


def test_not_a_number_is_a_number() -> None:
    assert math.isnan(parse_tags("{'pcc': nan}")["pcc"])  # type: ignore[arg-type]
    assert parse_tags("{'a': -inf, 'b': 'nan'}") == {"a": -math.inf, "b": "nan"}


def test_what_is_no_json_is_read_all_the_same() -> None:
    assert parse_tags("{'a': (1, 2), 3: {'x'}, 'b': b'y'}") == {"a": (1, 2), "3": {"x"}, "b": b"y"}
    assert parse_tags("{'a': 'one' 'two', 'b': 0x1f}") == {"a": "onetwo", "b": 31}


def test_names_mean_what_they_mean_to_python() -> None:
    assert parse_tags("{'a': true}") == {}
    assert parse_tags("{'a': NaN}") == {}
