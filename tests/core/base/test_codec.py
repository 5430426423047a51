# SPDX-License-Identifier: Apache-2.0
"""core.base.files.codec: values come back unchanged, and mistakes are reported with their place."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, strategies as st

from core.base.errors import TTMatrixError
from core.base.files import (
    FormatError,
    Malformed,
    decoded,
    packed,
    parsed,
    plain,
    read_as,
    reshaped,
    typed,
    unpacked,
)
from core.domain.model import BringupStatus, Status
from core.evidence import Ending, Observation, Origin
from core.workflows import DeviceResult
from core.workflows.case import Case, CaseEntry


class Colour(StrEnum):
    RED = "red"


class Pair(NamedTuple):
    name: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class Inner:
    colour: Colour
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outer:
    inner: Inner
    place: Path
    values: Mapping[str, object]
    ratio: float = 0.5
    pairs: tuple[Pair, ...] = ()
    none: Inner | None = None


texts = st.text()
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts
anything = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=8)
inners = st.builds(Inner, st.sampled_from(Colour), st.lists(texts).map(tuple))
outers = st.builds(
    Outer,
    inners,
    st.text(st.characters(codec="utf-8", exclude_characters="\x00/")).map(Path),
    st.dictionaries(texts, anything),
    st.floats(allow_nan=False),
    st.lists(st.builds(Pair, texts, st.integers())).map(tuple),
    st.none() | inners,
)
fields = st.dictionaries(texts, anything)
members = st.builds(CaseEntry, texts, texts, fields)


@given(outers)
def test_a_value_comes_back_from_json(value: Outer) -> None:
    assert decoded(json.dumps(plain(value)), Outer) == value


@given(outers)
def test_fields_that_nobody_knows_are_passed_over(value: Outer) -> None:
    raw = plain(value)
    raw["inner"]["later"] = raw["later"] = {"x": [1]}
    assert typed(raw, Outer) == value


@given(
    st.builds(
        Case,
        members,
        texts,
        texts,
        st.dictionaries(texts, texts),
        st.lists(members, max_size=3).map(tuple),
        st.lists(members, max_size=2).map(tuple),
        texts,
    )
)
def test_the_case_of_a_workflow(case: Case) -> None:
    assert decoded(json.dumps(plain(case)), Case) == case


@given(
    st.builds(
        DeviceResult, texts, st.sampled_from(Ending), texts, texts, st.none() | texts, st.none() | st.integers(1, 64)
    )
)
def test_what_a_device_has_shown(one: DeviceResult) -> None:
    assert DeviceResult.of(json.loads(json.dumps(one.to_fields()))) == one


@given(
    st.builds(
        Observation,
        *[texts, texts, texts, st.sampled_from(Origin), texts, st.floats(0, 1e9), texts],
        *[st.sampled_from(Ending), st.sampled_from(Status), st.booleans(), st.sampled_from(BringupStatus), texts],
        *[st.floats(0, 1e6), st.none() | st.floats(0, 1), st.none() | st.floats(0, 1), st.none() | st.booleans()],
        *[st.booleans(), st.lists(texts).map(tuple), st.none() | st.integers(1, 64), st.integers(1, 9), texts, texts],
    )
)
def test_an_observation(one: Observation) -> None:
    assert decoded(json.dumps(asdict(one)), Observation) == decoded(json.dumps(plain(one)), Observation) == one


@given(outers.filter(lambda one: "\ud800" not in str(one)))
def test_a_value_comes_back_from_messagepack(value: Outer) -> None:
    try:
        data = packed(value)
    except OverflowError:
        # MessagePack has no integers beyond 64 bits.
        return
    assert unpacked(data, Outer) == value


def test_what_messagepack_cannot_hold_is_an_error() -> None:
    with pytest.raises(UnicodeEncodeError):
        packed(Inner(Colour.RED, ("\udce4",)))
    with pytest.raises(Malformed):
        unpacked(b"\x81", Inner)


RAW = {"inner": {"colour": "red", "names": ["a"]}, "place": "/x", "values": {}}


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"ratio": "1"}, "$.ratio"),
        ({"ratio": True}, "$.ratio"),
        ({"place": 3}, "$.place"),
        ({"inner": {"colour": "blue"}}, "$.inner.colour"),
        ({"inner": {"colour": "red", "names": ["a", 1]}}, "$.inner.names[1]"),
        ({"inner": {}}, "$.inner"),
        ({"pairs": [["a", "b"]]}, "$.pairs[0][1]"),
        ({"values": None}, "$.values"),
    ],
)
def test_a_mistake_is_reported_with_its_place(change: dict[str, object], place: str, tmp_path: Path) -> None:
    assert typed(RAW, Outer) == Outer(Inner(Colour.RED, ("a",)), Path("/x"), {})
    with pytest.raises(Malformed) as caught:
        typed({**RAW, **change}, Outer)
    assert caught.value.place == place
    file = tmp_path / "x.json"
    file.write_text(json.dumps({**RAW, **change}))
    with pytest.raises(FormatError) as told:
        read_as(file, Outer, "Do this.")
    assert (told.value.file, told.value.place, told.value.hint) == (file, place, "Do this.")
    assert str(file) in str(told.value)
    assert place in str(told.value)


@pytest.mark.parametrize("text", ["", "{", "[1, 2", "nonsense", "[" * 100_000, b"\xff"])
def test_text_that_is_no_json(text: str | bytes) -> None:
    with pytest.raises(Malformed, match="not JSON"):
        parsed(text)


def test_a_missing_file_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(TTMatrixError, match="Cannot read"):
        read_as(tmp_path / "x", Outer, "")


def test_a_value_takes_the_shape_of_another_class() -> None:
    @dataclass(frozen=True)
    class Less:
        colour: Colour

    assert reshaped(Inner(Colour.RED, ("a",)), Less) == Less(Colour.RED)


def test_what_has_no_form_in_json_is_a_bug() -> None:
    with pytest.raises(NotImplementedError, match="has no form"):
        plain(object())


@given(st.lists(st.text("abc")), st.integers(0), st.integers(1, 255))
def test_a_damaged_cache_is_never_another_value(value: list[str], place: int, change: int) -> None:
    data = bytearray(packed(value))
    assert unpacked(bytes(data), list[str]) == value
    data[place % len(data)] ^= change
    with pytest.raises(Malformed):
        unpacked(bytes(data), list[str])
    with pytest.raises(Malformed):
        unpacked(bytes(data[: place % len(data)]), list[str])
