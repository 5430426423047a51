# SPDX-License-Identifier: Apache-2.0
"""core.base.files.record: objects that commands print."""

import json

import pytest
from msgspec import UNSET, UnsetType, field

from core.base.files import Record
from core.base.text import json_text


class _Part(Record):
    value: object
    from_: str = field(name="from")


class _Whole(Record, kw_only=True):
    name: str | UnsetType = UNSET
    parts: list[_Part]


class _More(_Whole, kw_only=True):
    count: int


WHOLE = _Whole(parts=[_Part(value=None, from_="rule")])


def test_fields_are_in_their_order_by_their_names_in_json_and_unset_ones_are_left_out() -> None:
    assert json_text(WHOLE, None) == '{"parts": [{"value": null, "from": "rule"}]}'
    assert json_text(_Whole(name="a", parts=[]), None) == '{"name": "a", "parts": []}'
    assert json.loads(json_text({"one": WHOLE})) == {"one": {"parts": [{"value": None, "from": "rule"}]}}


def test_a_record_may_have_the_fields_of_another() -> None:
    more = _Whole(name="a", parts=[]).extended(_More, count=2)
    assert json_text(more, None) == '{"name": "a", "parts": [], "count": 2}'
    with pytest.raises(TypeError, match="count"):
        WHOLE.extended(_More)


def test_a_record_lacks_no_field() -> None:
    with pytest.raises(TypeError, match="parts"):
        _Whole(name="a")  # type: ignore[call-arg]


def test_a_path_that_is_not_utf_8_is_still_json() -> None:
    assert json.loads(json_text({"file": "a\udce4"})) == {"file": "a\udce4"}
