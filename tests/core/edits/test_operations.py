# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.operations."""

import json

import pytest
from hypothesis import given, strategies as st

from core.base.errors import EXIT_USAGE, UsageError
from core.edits import Operation, OpKind, parse_operations, to_json
from core.edits.operations import shape_problem

words = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=12)
scalars = st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20)
values = scalars | st.lists(scalars, max_size=3)
fields = st.dictionaries(words.filter(lambda word: word != "arch_overrides"), values, min_size=1, max_size=3)
paths = st.tuples(words.filter(lambda word: word != "arch_overrides")) | st.tuples(
    st.just("arch_overrides"), words, words
)
overrides = st.tuples(st.just("arch_overrides"), words)
files = st.none() | words
operations = st.one_of(
    st.builds(Operation, st.just(OpKind.SET), words, files, paths, values),
    st.builds(Operation, st.just(OpKind.UNSET), words, files, paths | st.tuples(st.just("arch_overrides"), words)),
    st.builds(Operation, st.just(OpKind.ADD), words, words, st.just(()), fields),
    st.builds(Operation, st.just(OpKind.REMOVE), words, files),
    st.builds(Operation, st.sampled_from([OpKind.ADD, OpKind.REMOVE]), words, files, paths, scalars),
    st.builds(Operation, st.just(OpKind.RENAME), words, files, paths, scalars, words),
    st.builds(Operation, st.just(OpKind.ADD), words, files, overrides, fields),
    st.builds(Operation, st.just(OpKind.REMOVE), words, files, overrides),
    st.builds(Operation, st.just(OpKind.RENAME), words, files, overrides, st.none(), words),
    st.builds(
        Operation,
        st.sampled_from([OpKind.RENAME, OpKind.MOVE]),
        words,
        files,
        st.just(()),
        st.none(),
        words,
    ),
)


@given(st.lists(operations, max_size=5).map(tuple))
def test_what_is_printed_is_read_back(ops: tuple[Operation, ...]) -> None:
    assert parse_operations(json.dumps(to_json(ops))) == ops


def test_the_documented_examples_are_read() -> None:
    text = """[
      {"op": "set", "id": "a", "file": "torch/x.yaml", "path": ["status"], "value": "EXPECTED_PASSING"},
      {"op": "unset", "id": "a", "path": ["bringup_status"]},
      {"op": "add", "id": "b", "file": "f", "value": {"status": "UNSPECIFIED", "markers": ["push"]}},
      {"op": "remove", "id": "b", "file": "f"},
      {"op": "rename", "id": "a", "to": "c"},
      {"op": "move", "id": "c", "file": "f", "to": "g"}]"""
    assert [op.op for op in parse_operations(text)] == list(OpKind)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"op": "delete", "id": "a"}, "op: must be one of set, unset, add, remove, rename, move"),
        ({"id": "a"}, "op: must be one of"),
        ({"op": ["set"], "id": "a"}, "op: must be one of"),
        (3, "must be an object, not a number"),
        ({"op": "remove"}, "id: missing; remove needs op, id"),
        ({"op": "remove", "id": 3}, "id: must be text, not a number"),
        ({"op": "remove", "id": "a", "value": 1}, "value: not a key of remove; allowed are op, id, file"),
        ({"op": "set", "id": "a", "value": 1}, "path: missing"),
        ({"op": "set", "id": "a", "path": "status", "value": 1}, "path: must be a list of text"),
        ({"op": "set", "id": "a", "path": [], "value": 1}, 'path: must be ["FIELD"]'),
        ({"op": "set", "id": "a", "path": ["status", "n150"], "value": 1}, "path: must be"),
        ({"op": "set", "id": "a", "path": ["arch_overrides", "n150"], "value": 1}, "one field at a time"),
        ({"op": "set", "id": "a", "path": ["status"], "value": None}, "use unset"),
        ({"op": "set", "id": "a", "path": ["markers"], "value": ["a", ["b"]]}, "not a list in a list"),
        ({"op": "set", "id": "a", "path": ["x"], "value": {"a": 1}}, "not an object"),
        ({"op": "unset", "id": "a", "path": ["arch_overrides", "n150", "x", "y"]}, "path: must be"),
        ({"op": "add", "id": "a", "value": {"status": "X"}}, "file: missing"),
        ({"op": "add", "id": "a", "file": "f", "value": {}}, "at least one field"),
        ({"op": "add", "id": "a", "file": "f", "value": {"x": None}}, "x: value: must not be null"),
        ({"op": "add", "id": "a", "file": "f", "value": {"arch_overrides": 1}}, "an object of fields per arch"),
        ({"op": "add", "id": "a", "file": "f", "value": {"arch_overrides": {"n150": {}}}}, "each arch must"),
        ({"op": "add", "id": "a", "path": ["markers"]}, "value: missing; add needs op, id, path, value"),
        ({"op": "add", "id": "a", "path": ["markers"], "value": ["x"]}, "value: must be one item of the list"),
        ({"op": "add", "id": "a", "path": ["markers"], "value": None}, "value: must be the item of the list"),
        ({"op": "add", "id": "a", "path": ["arch_overrides"], "value": "x"}, "path: must be"),
        ({"op": "add", "id": "a", "path": ["arch_overrides", "n150"], "value": "x"}, "each arch must"),
        ({"op": "remove", "id": "a", "path": ["markers"]}, "value: must be the item of the list"),
        ({"op": "remove", "id": "a", "path": ["arch_overrides", "n150"], "value": 1}, "the path names the override"),
        ({"op": "rename", "id": "a", "path": ["markers"], "to": "x"}, "value: must be the item of the list"),
        ({"op": "rename", "id": "a", "path": ["arch_overrides", "n150"]}, "to: missing; rename needs"),
        ({"op": "move", "id": "a", "path": ["markers"], "to": "f"}, "path: not a key of move"),
        ({"op": "rename", "id": "a", "to": ""}, "to: must be text"),
        ({"op": "rename", "id": "a\nb", "to": "c"}, "id: must be text on one line"),
    ],
)
def test_a_bad_operation_is_named_with_what_is_allowed(raw: object, expected: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_operations(json.dumps([{"op": "remove", "id": "fine"}, raw]))
    assert caught.value.title == "Operation 1 cannot be understood"
    assert expected in caught.value.detail
    assert caught.value.exit_code == EXIT_USAGE


@pytest.mark.parametrize(
    ("text", "detail"),
    [('{"op": "set"}', "The file holds an object."), ("[,]", "line 1 column 2"), ("[" * 99_999, "recursion")],
)
def test_text_that_is_no_list_is_refused(text: str, detail: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_operations(text)
    assert detail in caught.value.detail


def test_numbers_without_end_and_broken_text_have_no_place_in_yaml() -> None:
    for value in (float("inf"), float("nan"), ["\ud800"]):
        assert shape_problem(Operation(OpKind.SET, "a", path=("x",), value=value))
