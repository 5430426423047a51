# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.yaml.meaning."""

import pytest

from core.edits.operations import Refused
from core.edits.yaml import meaning_of, value_of
from core.edits.yaml.meaning import (
    Meaning,
    at_path,
    emptied,
    is_scalar,
    meaning,
    meaning_at,
    renamed,
    with_field,
    without_field,
)
from core.edits.yaml.nodes import parse, read_events


def means(text: str) -> Meaning:
    root = parse(text)
    assert root is not None
    return meaning(root)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.970", 0.97),
        ("True", True),
        ("'true'", "true"),
        ("1_000", 1000),
        ("no", "no"),
        ("[a, 'b', 1]", ["a", "b", 1]),
        (
            "{status: X, arch_overrides: {n150: {reason: y}}}",
            {"arch_overrides": {"n150": {"reason": "y"}}, "status": "X"},
        ),
    ],
)
def test_text_and_value_mean_the_same(text: str, value: object) -> None:
    assert means(text) == meaning_of(value)


@pytest.mark.parametrize(
    ("one", "other"),
    [("1", "1.0"), ("true", "'true'"), ("a: 1\nb: 2", "b: 2\na: 1"), ("a: 1", "a: 1\na: 1"), ("&x 1", "1"), ("[]", "")],
)
def test_what_differs_is_distinguished(one: str, other: str) -> None:
    assert means(f"k: {one}" if "\n" not in one and ":" not in one else one) != means(
        f"k: {other}" if "\n" not in other and ":" not in other else other
    )


def test_quotes_and_layout_mean_nothing() -> None:
    assert means("a: 'x'\nb: [1, 2]\n") == means("{a: x, b: [1,2]} # note")


def test_a_field_is_put_where_the_order_has_it_and_taken_away_again() -> None:
    entry = means("status: X\narch_overrides:\n  n150:\n    reason: r\n")
    put = with_field(entry, ("reason",), meaning_of("why"))
    assert put.names == ["status", "reason", "arch_overrides"]
    assert without_field(put, ("reason",)) == entry
    assert with_field(entry, ("status",), meaning_of("X")) == entry


def test_mappings_on_the_way_are_made() -> None:
    path = ("arch_overrides", "n150", "status")
    assert with_field(means("status: X"), path, meaning_of("Y")) == means(
        "status: X\narch_overrides: {n150: {status: Y}}"
    )


def test_a_field_that_is_not_there_changes_nothing() -> None:
    entry = means("status: X")
    assert without_field(entry, ("reason",)) is entry
    assert without_field(entry, ("arch_overrides", "n150", "reason")) is entry


def test_what_gets_empty_is_found_from_the_inside_out() -> None:
    path = ("arch_overrides", "n150", "status")
    entry = without_field(means("status: X\narch_overrides:\n  n150:\n    status: Y\n"), path)
    assert emptied(entry, path) == ("arch_overrides", "n150")
    entry = without_field(entry, ("arch_overrides", "n150"))
    assert emptied(entry, path) == ("arch_overrides",)
    entry = without_field(entry, ("arch_overrides",))
    assert emptied(entry, path) is None
    assert emptied(means("status: X"), ("status",)) is None


def test_at_path_follows_names() -> None:
    entry = means("arch_overrides: {n150: {status: Y}}")
    assert at_path(entry, ("arch_overrides", "n150", "status")) == meaning_of("Y")
    assert at_path(entry, ("arch_overrides", "p150")) is None


@pytest.mark.parametrize("value", [1, 1.0, -0.5, True, False, "true", "1", "", 10**30])
def test_the_value_of_a_scalar_means_the_scalar(value: object) -> None:
    found = value_of(meaning_of(value))
    assert (found, type(found)) == (value, type(value))
    assert is_scalar(meaning_of(value))


def test_a_key_is_renamed_in_its_place() -> None:
    entry = means("status: X\narch_overrides:\n  n150: {x: 1}\n  p150: {x: 2}\n")
    found = renamed(entry, ("arch_overrides", "n150"), "n300")
    assert found == means("status: X\narch_overrides:\n  n300: {x: 1}\n  p150: {x: 2}\n")


def test_null_is_no_text() -> None:
    assert meaning_of(None) == means("~")
    assert not is_scalar(meaning_of(None))


@pytest.mark.parametrize(
    "text", ["a: [1, {b: *x}]\n", "&x a:\n  - 'b'\n  - |\n    c\n  -\n", "!t a: !!str 1", "[]", "{}", "? [a]\n: b\n"]
)
def test_events_say_what_their_nodes_say(text: str) -> None:
    assert meaning_at(read_events(text)) == means(text)


def test_events_that_nest_too_deeply_are_refused() -> None:
    with pytest.raises(Refused, match="nests more than 64 deep"):
        meaning_at(read_events("[" * 5000 + "]" * 5000))
