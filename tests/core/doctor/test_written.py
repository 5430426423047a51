# SPDX-License-Identifier: Apache-2.0
"""Entries as they are written: places, operations, archs."""

from collections.abc import Callable

import pytest

from core.doctor.check import OVERRIDES, Written, marked_archs, shown, written
from core.domain.model import Entry
from core.matrix import Matrix
from tests.support.tree import INFERENCE

YAML = """\
  a:
    status: EXPECTED_PASSING
    arch_overrides:
      n150:
        markers: [push, large]
"""


@pytest.fixture
def one(checked: Callable[..., Matrix]) -> Written:
    return next(written(checked(YAML)))


def test_a_finding_is_at_the_field_or_the_item(one: Written) -> None:
    places = {
        (): (2, 3),
        ("status",): (3, 5),
        (OVERRIDES, "n150"): (5, 7),
        (OVERRIDES, "n150", "markers"): (6, 9),
        (OVERRIDES, "n150", "markers", "1"): (6, 25),
        (OVERRIDES, "n150", "absent"): (5, 7),
        ("absent",): (2, 3),
    }
    for at, place in places.items():
        found = one.finding("kind", "message", at)
        assert (found.line, found.column) == place, at
        assert (found.file, found.id) == (f"tests/runner/test_config/{INFERENCE}", "a")


def test_without_places_a_finding_is_at_the_entry() -> None:
    found = Written(Entry("a", "f", 7, 9), "dir/f").finding("kind", "message", ("status",))
    assert (found.line, found.column) == (7, 0)


def test_fields_come_with_their_way(one: Written) -> None:
    assert dict(one.fields()) == {
        ("status",): "EXPECTED_PASSING",
        (OVERRIDES, "n150", "markers"): ["push", "large"],
    }


def test_operations_name_the_file(one: Written) -> None:
    about = {"id": "a", "file": INFERENCE}
    assert one.set(("status",), "X") == {"op": "set", **about, "path": ["status"], "value": "X"}
    assert one.unset((OVERRIDES, "n150")) == {"op": "unset", **about, "path": [OVERRIDES, "n150"]}


def test_no_operation_can_mean_one_of_two_entries_of_an_id(checked: Callable[..., Matrix]) -> None:
    first, second = written(checked("  a:\n    x: 1\n  a:\n    x: 2\n"))
    for one in (first, second):
        assert one.finding("kind", "message", fix=(one.unset(("x",)),)).fix == ()


def test_marked_archs() -> None:
    known = ("n150", "p150", "n300")
    entry = Entry("a", "f", 1, 1, {"supported_archs": ["n300", "n150"]})
    assert marked_archs(entry, known) == ("n150", "n300")
    assert marked_archs(Entry("a", "f", 1, 1), known) == ("n150", "p150")
    assert marked_archs(Entry("a", "f", 1, 1, {"supported_archs": ["moon"]}), known) == ("moon",)


@pytest.mark.parametrize(
    ("value", "text"), [(None, "null"), (True, "true"), (False, "false"), (1, "1"), ("1", "'1'"), (["a"], "['a']")]
)
def test_shown(value: object, text: str) -> None:
    assert shown(value) == text


def test_a_long_value_is_shown_short() -> None:
    assert len(shown("x" * 1000)) == 60
