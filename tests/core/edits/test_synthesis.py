# SPDX-License-Identifier: Apache-2.0
"""The smallest entry: its laws against a search of all possible entries, and what a person would write."""

import json
from collections.abc import Iterator, Mapping
from itertools import product

import pytest
from hypothesis import assume, given, strategies as st

from core.edits import Operation, OpKind
from core.edits.operations import OVERRIDES
from core.edits.synthesis import Wish, operations_to, synthesise
from core.edits.yaml import FileDraft
from core.matrix import UNWRITTEN, acting, raw_value, with_fields
from core.sources import parse_expectations

ARCHS = ("n150", "p150")
VALUES: Mapping[str, tuple[object, ...]] = {
    "status": ("EXPECTED_PASSING", "KNOWN_FAILURE_XFAIL", "UNSPECIFIED"),
    "reason": ("one", "two"),
    "markers": (["push"], [], "push"),
    "required_pcc": (0.99, 0.98),
}


def _fields(names: tuple[str, ...], *, nulls: bool = True) -> st.SearchStrategy[dict[str, object]]:
    values = {name: st.sampled_from([*VALUES[name], *([None] if nulls and name != "status" else [])]) for name in names}
    return st.fixed_dictionaries({}, optional=values)


def _entries(
    names: tuple[str, ...], archs: tuple[str, ...], *, nulls: bool = True
) -> st.SearchStrategy[dict[str, object]]:
    fields = _fields(names, nulls=nulls)
    overrides = st.dictionaries(st.sampled_from((*archs, "galaxy-bh")), fields.filter(bool), max_size=3)
    return st.builds(lambda base, more: {**base, OVERRIDES: more} if more else base, fields, overrides)


def _wishes(names: tuple[str, ...], archs: tuple[str, ...]) -> st.SearchStrategy[Wish]:
    values = {name: st.sampled_from([*VALUES[name], None]) for name in names}
    asked = st.fixed_dictionaries({}, optional=values).filter(bool)
    return st.dictionaries(st.sampled_from(archs), asked, min_size=1)


def _holds(before: Mapping[str, object], after: Mapping[str, object], wish: Wish, archs: tuple[str, ...]) -> bool:
    """Whether each arch has the wished values, and otherwise its old ones."""
    old, new = with_fields(None, before), with_fields(None, after)
    for arch, name in product(archs, VALUES):
        asked = wish.get(arch, {})
        wanted = raw_value(old, name, arch) if name not in asked else asked[name]
        wanted = UNWRITTEN if name in asked and wanted is None else wanted
        if acting(name, raw_value(new, name, arch)) != acting(name, wanted):
            return False
    return True


def _lines(fields: Mapping[str, object]) -> dict[tuple[str, ...], object]:
    """Every line of an entry, by its path."""
    overrides = fields.get(OVERRIDES, {})
    assert isinstance(overrides, dict)
    lines: dict[tuple[str, ...], object] = {(name,): json.dumps(value) for name, value in fields.items()}
    lines |= {(OVERRIDES,): ""} if overrides else {}
    for arch, values in overrides.items():
        lines[OVERRIDES, arch] = ""
        lines |= {(OVERRIDES, arch, name): json.dumps(value) for name, value in values.items()}
    return lines


def _changed(before: Mapping[str, object], after: Mapping[str, object]) -> int:
    old, new = _lines(before), _lines(after)
    return sum(old.get(path) != new.get(path) for path in {**old, **new})


def _every(before: Mapping[str, object], names: tuple[str, ...], archs: tuple[str, ...]) -> Iterator[dict[str, object]]:
    """Every entry that differs from `before` only in `names`, at the entry and on `archs`."""
    overrides = before.get(OVERRIDES, {})
    assert isinstance(overrides, dict)
    places = [(None, name) for name in names] + [(arch, name) for arch in archs for name in names]
    present = [
        raw_value(with_fields(None, overrides.get(arch, {}) if arch else before), name, None) for arch, name in places
    ]
    # An existing null may stay; nobody can write one.
    options = [
        [*VALUES[name], UNWRITTEN, *([None] if now is None else [])]
        for (_, name), now in zip(places, present, strict=True)
    ]
    for values in product(*options):
        base = {name: value for name, value in before.items() if name not in (*names, OVERRIDES)}
        more = {
            arch: {name: value for name, value in held.items() if arch not in archs or name not in names}
            for arch, held in overrides.items()
        }
        for (arch, name), value in zip(places, values, strict=True):
            if value is not UNWRITTEN:
                (more.setdefault(arch, {}) if arch else base)[name] = value
        more = {arch: held for arch, held in more.items() if held}
        yield {**base, OVERRIDES: more} if more else base


def _check_against_every_entry(
    before: dict[str, object], wish: Wish, archs: tuple[str, ...], after: dict[str, object]
) -> None:
    names = tuple(dict.fromkeys(name for values in wish.values() for name in values))
    cost = (len(_lines(after)), _changed(before, after))
    best = min(
        (len(_lines(one)), _changed(before, one))
        for one in _every(before, names, archs)
        if _holds(before, one, wish, archs)
    )
    assert cost == best


@given(_entries(tuple(VALUES), ("n150", "p150", "n300")), _wishes(tuple(VALUES), ("n150", "p150", "n300")))
def test_the_result_means_the_wish_and_nothing_else(before: dict[str, object], wish: Wish) -> None:
    archs = ("n150", "p150", "n300")
    after = synthesise(before, wish, archs)
    assert _holds(before, after, wish, archs)
    asked = {name for values in wish.values() for name in values}
    for path, line in _lines(before).items():
        if path[-1] not in (*asked, OVERRIDES, *archs) or "galaxy-bh" in path:
            assert _lines(after)[path] == line
    assert synthesise(after, wish, archs) == after


@given(_entries(("status", "reason"), ARCHS), _wishes(("status", "reason"), ARCHS))
def test_no_entry_of_fewer_lines_means_the_same(before: dict[str, object], wish: Wish) -> None:
    _check_against_every_entry(before, wish, ARCHS, synthesise(before, wish, ARCHS))


@given(_entries(("markers",), ("n150", "p150", "n300")), _wishes(("markers",), ("n150", "p150", "n300")))
def test_no_entry_of_fewer_lines_means_the_same_on_three_archs(before: dict[str, object], wish: Wish) -> None:
    archs = ("n150", "p150", "n300")
    _check_against_every_entry(before, wish, archs, synthesise(before, wish, archs))


@given(_entries(("required_pcc",), ARCHS), _wishes(("required_pcc",), ARCHS))
def test_no_entry_of_fewer_lines_means_the_same_with_a_default(before: dict[str, object], wish: Wish) -> None:
    _check_against_every_entry(before, wish, ARCHS, synthesise(before, wish, ARCHS))


PASS, XFAIL = {"status": "EXPECTED_PASSING"}, {"status": "KNOWN_FAILURE_XFAIL"}


@pytest.mark.parametrize(
    ("before", "wish", "archs", "after"),
    [
        (PASS, {"n150": XFAIL}, ARCHS, {**PASS, OVERRIDES: {"n150": XFAIL}}),
        (PASS, {"n150": XFAIL, "p150": XFAIL}, ARCHS, XFAIL),
        ({**PASS, OVERRIDES: {"n150": XFAIL}}, {"p150": XFAIL}, ARCHS, XFAIL),
        ({**PASS, OVERRIDES: {"n150": XFAIL}}, {"n150": PASS}, ARCHS, PASS),
        # The smaller part of the archs gets the overrides.
        (PASS, {"n150": XFAIL, "p150": XFAIL}, (*ARCHS, "n300"), {**XFAIL, OVERRIDES: {"n300": PASS}}),
        # A reason cannot be removed for one arch only, so it moves to the other.
        (
            {**XFAIL, "reason": "r"},
            {"p150": {**PASS, "reason": None}},
            ARCHS,
            {**PASS, OVERRIDES: {"n150": {**XFAIL, "reason": "r"}}},
        ),
        # An override that need not change keeps its header line.
        (
            {**PASS, OVERRIDES: {"n150": {**XFAIL, "batch_size": 1}}},
            {"n150": PASS},
            ARCHS,
            {**PASS, OVERRIDES: {"n150": {"batch_size": 1}}},
        ),
        ({}, {"n150": {"assert_pcc": False}}, ARCHS, {OVERRIDES: {"n150": {"assert_pcc": False}}}),
        ({}, {"n150": {"assert_pcc": True}}, ARCHS, {}),
    ],
)
def test_what_a_person_would_write(
    before: dict[str, object], wish: Wish, archs: tuple[str, ...], after: dict[str, object]
) -> None:
    assert synthesise(before, wish, archs) == after


def test_a_null_status_that_upstream_refuses_is_left_to_the_person() -> None:
    before = {"status": None, OVERRIDES: {"n150": {"status": None}}}
    after = synthesise(before, {"n150": PASS}, ARCHS)
    assert after == {"status": None, OVERRIDES: {"n150": PASS}}


_ID = "alpha/pytorch-tiny-single_device-inference"
_OTHER = "test_config:\n  beta/pytorch-single_device-inference:\n    status: EXPECTED_PASSING\n"


def _done(text: str, *operations: Operation) -> str:
    draft = FileDraft(text)
    for operation in operations:
        draft.apply(operation)
    after = draft.finish()
    assert draft.rejected == []
    return after


@given(_entries(tuple(VALUES), ARCHS, nulls=False).filter(bool), _wishes(tuple(VALUES), ARCHS))
def test_the_operations_lead_there(before: dict[str, object], wish: Wish) -> None:
    after = synthesise(before, wish, ARCHS)
    assume(after)
    operations = operations_to(_ID, "f", before, after)
    assert operations_to(_ID, "f", before, before) == []
    text = _done(_done(_OTHER, Operation(OpKind.ADD, _ID, "f", value=before)), *operations)
    (_, entry) = parse_expectations(text, "f").entries
    assert entry.fields == after
