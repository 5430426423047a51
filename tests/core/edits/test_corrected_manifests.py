# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.corrected_manifests: each planted mistake in a manifest is corrected to the byte."""

import json
import re
from functools import partial
from itertools import combinations

import pytest

from core.edits import Operation, OpKind, corrections, parse_operations, to_json
from core.edits.apply import EntryStates
from core.edits.pending.state import inverse_value
from core.edits.planning import plan_texts
from core.edits.texts import FileTexts, manifest_file
from core.edits.yaml import FileDraft, read_manifest
from core.payload.ttmatrix_payload.ops import read_text
from core.sources import Schema

FILE = "ops/m.yaml"
RIGHT = """\
# head
model: m
defaults: {dtype: fp32, rtol: 1.0e-3}  # for all

cases:
  # about a
  - name: a   # first
    op: torch.matmul
    inputs:
      - tensor: {shape: [2, 3], init: randn, dtype: "float32"}  # left
      - tensor:
          shape:  [3, 4]
          init: 'randint'
          init_args: {high: 7}
    skip_if:
      - {expr: "False", reason: 'see #1'}
    kwmap: {dtype: torch.bfloat16}

  - {name: b, op: "torch.softmax", seed: 3, inputs: [{tensor_list: [{shape: [2], init: ones}]}], attrs: {dim: 0}}
  - op: torch.view
    expects_error:
      type: ValueError
      match: |
        two
        lines
    inputs:
    - tensor:
        shape: [4, 4]
        preset: transpose_view
        preset_args:
          dim0: 0
    - value: null
    atol: 0.5
  # the end
"""
MISSPELT = {
    "dtype": "dtpye",
    "rtol": "rtoll",
    "inputs": "input",
    "tensor": "tensr",
    "tensor_list": "tensorlist",
    "shape": "shpae",
    "init": "inti",
    "init_args": "initargs",
    "skip_if": "skipif",
    "expr": "exrp",
    "reason": "raeson",
    "kwmap": "kwmaps",
    "attrs": "atrs",
    "seed": "sed",
    "expects_error": "expect_error",
    "type": "tpye",
    "match": "mtach",
    "preset": "prest",
    "preset_args": "presetargs",
    "dim0": "dmi0",
    "high": "hihg",
    "value": "vlaue",
    "atol": "atoll",
    "torch.matmul": "tourch.matmul",
    "torch.softmax": "troch.softmax",
    "randn": "randnn",
    "randint": "rand_int",
    "ones": "onez",
    "float32": "flaot32",
    "torch.bfloat16": "torch.bflot16",
    "transpose_view": "transposed_view",
    "ValueError": "ValeuError",
}
PLACES = [
    (match.start(), right, wrong)
    for right, wrong in MISSPELT.items()
    # A whole key or value, not part of another word. Keywords may have any name.
    for match in re.finditer(rf"(?<![\w.]){re.escape(right)}(?![\w.])", RIGHT)
    if not RIGHT[: match.start()].endswith("kwmap: {")
]


def planted(*places: tuple[int, str, str]) -> str:
    text = RIGHT
    for at, right, wrong in sorted(places, reverse=True):
        text = text[:at] + wrong + text[at + len(right) :]
    return text


def found(text: str) -> list[tuple[Operation, ...]]:
    """The available corrections, as read back from JSON."""
    every = corrections(text, FILE, read_text(text.removeprefix("\ufeff"), FILE).problems)
    return [parse_operations(json_of(operations)) for operations in every if operations]


def json_of(operations: tuple[Operation, ...]) -> str:
    return json.dumps(to_json(operations))


def applied(text: str, operations: tuple[Operation, ...]) -> str:
    plan = plan_texts(FileTexts({FILE: text}), operations, Schema())
    assert [one.why for one in plan.rejected] == []
    (edit,) = plan.files
    return edit.after


def undone(before: str, after: str, operations: tuple[Operation, ...]) -> str:
    """`after` with the inverse of `operations`, made for `before`."""
    states = EntryStates()
    states.entries = {(FILE, entry.id): entry.fields for entry in manifest_file(FILE, before).entries}
    draft = FileDraft(after, partial(read_manifest, name=FILE))
    for operation in operations:
        key = FILE, operation.id
        for inverse in inverse_value(operation, key, states.entries[key]):
            draft.apply(inverse)
    assert draft.rejected == []
    return draft.finish()


def test_the_text_without_mistakes_has_none() -> None:
    assert read_text(RIGHT, FILE).problems == ()
    assert len(PLACES) > 40


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_each_planted_mistake_is_corrected_and_undone_to_the_byte(newline: str, bom: str) -> None:
    right = bom + RIGHT.replace("\n", newline)
    for place in PLACES:
        wrong = bom + planted(place).replace("\n", newline)
        (operations,) = found(wrong)
        assert applied(wrong, operations) == right, place
        assert undone(wrong, right, operations) == wrong, place


def test_mistakes_of_one_file_are_corrected_one_by_one() -> None:
    for places in combinations(PLACES[::4], 2):
        text = planted(*places)
        rounds = 0
        while operations := found(text):
            text = applied(text, operations[0])
            rounds += 1
        assert (text, rounds) == (RIGHT, 2), places


def test_what_nothing_reads_and_what_is_there_twice_is_removed() -> None:
    text = RIGHT.replace("init: ones", "init: ones, data: [1, 2]").replace("    atol: 0.5\n", "    atol: 0.5\n" * 2)
    for operations in (found(text), found(applied(text, found(text)[0]))):
        assert [one.op for one in operations[0]] == [OpKind.UNSET]
    text = applied(applied(text, found(text)[0]), found(applied(text, found(text)[0]))[0])
    assert text == RIGHT


def test_a_key_that_is_there_twice_with_two_values_is_left_to_a_person() -> None:
    assert found(RIGHT.replace("    atol: 0.5\n", "    atol: 0.5\n    atol: 0.25\n")) == []


@pytest.mark.parametrize(
    ("case", "then"),
    [
        ("  - {op: torch.neg, name: b}\n", "  - {op: torch.neg, name: b_2}\n"),
        ("  - {name: c, op: torch.abs}\n  - name: c\n    op: torch.abs\n", "  - {name: c, op: torch.abs}\n"),
        ("  - op: torch.abs\n  - op: torch.abs\n    seed: 1\n", None),
    ],
)
def test_a_case_with_the_name_of_another_one(case: str, then: str | None) -> None:
    then = then or "  - op: torch.abs\n  - name: torch.abs_2\n    op: torch.abs\n    seed: 1\n"
    text = RIGHT.replace("  # the end\n", f"{case}  # the end\n")
    (operations,) = found(text)
    assert applied(text, operations) == RIGHT.replace("  # the end\n", f"{then}  # the end\n")


@pytest.mark.parametrize(
    "text",
    [
        "modle: m\ncases:\n  - op: torch.neg\n",
        "cases: [{opp: torch.neg}]\n",
        "cases:\n  - {op: torch.neg, frobnicate: 1}\n",
        "cases:\n  - &a {op: torch.neg, sed: 1}\n",
        "cases:\n  - {name: a, op: torch.neg, sed: 1, seed: 2}\n",
        "cases:\n  - {name: a, op: torch.neg, sed: 1}\n  - {name: a, op: torch.abs, seed: 2, rtoll: 0}\n",
    ],
)
def test_what_takes_a_person_has_no_correction_that_could_not_be_done(text: str) -> None:
    for operations in found(text):
        plan = plan_texts(FileTexts({FILE: text}), operations, Schema())
        assert plan.files or plan.rejected
    assert read_text(text, FILE).problems
