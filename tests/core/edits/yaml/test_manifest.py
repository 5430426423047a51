# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.yaml.manifest: edits of manifests of op tests, by examples and by laws over made-up files."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from hypothesis import given, strategies as st
from ruamel.yaml import YAML

from core.edits import Operation, OpKind
from core.edits.operations import Refused
from core.edits.yaml import FileDraft, read_manifest

FILE = "ops/m.yaml"
TEXT = """\
# head
model: m
defaults: {dtype: fp32, rtol: 1.0e-3}  # for all

cases:
  # about a
  - name: a   # first
    op: torch.add
    marks: [x]  # why
    skip_if:
      expr: "True"
      reason: "see #1"

  - rtol: 0.1
    op: torch.mul
    inputs:
      - tensor: {shape: [2]}
  - {name: c, op: torch.sub, mark: q}
  # the end
"""


def edited(text: str, *operations: Operation) -> str:
    """`text` after operations, none of which may be rejected."""
    new, rejected = edit(text, operations)
    assert rejected == []
    return new


def edit(text: str, operations: Sequence[Operation]) -> tuple[str, list[str]]:
    draft = FileDraft(text, partial(read_manifest, name=FILE))
    for operation in operations:
        draft.apply(operation)
    return draft.finish(), [one.why for one in draft.rejected]


def setting(id: str, key: str, value: object) -> Operation:
    return Operation(OpKind.SET, id, FILE, (key,), value)


def unsetting(id: str, *path: str) -> Operation:
    return Operation(OpKind.UNSET, id, FILE, path)


def adding(id: str, **value: object) -> Operation:
    return Operation(OpKind.ADD, id, FILE, value=value)


def removing(id: str) -> Operation:
    return Operation(OpKind.REMOVE, id, FILE)


def load(text: str) -> dict[str, Any]:
    found: dict[str, Any] = YAML(typ="safe", pure=True).load(text.removeprefix("\ufeff"))
    return found


@pytest.mark.parametrize(
    ("operation", "old", "new"),
    [
        (setting("m::a", "rtol", 1e-5), "add\n", "add\n    rtol: 1.0e-05\n"),
        (setting("m::a", "marks", ["x", "z"]), "[x]", "[x, z]"),
        (setting("m::torch.mul", "rtol", 0.2), "0.1", "0.2"),
        (setting("m::torch.mul", "skip_if", "env == 1"), "0.1\n", '0.1\n    skip_if: "env == 1"\n'),
        (setting("m::c", "rtol", 0.5), "torch.sub,", "torch.sub, rtol: 0.5,"),
        (
            setting("m::c", "skip_if", [{"expr": "True", "reason": "r"}]),
            "torch.sub,",
            'torch.sub, skip_if: [{expr: "True", reason: r}],',
        ),
        (
            setting("m::a", "skip_if", {"reason": "none", "expr": "x"}),
            'expr: "True"\n      reason: "see #1"',
            'expr: "x"\n      reason: "none"',
        ),
        (
            Operation(OpKind.SET, "m::a", FILE, ("skip_if", "reason"), "later"),
            '"see #1"',
            '"later"',
        ),
        (setting("m", "rtol", 0.01), "1.0e-3", "0.01"),
        (setting("m", "seed", 3), "fp32,", "fp32, seed: 3,"),
        (Operation(OpKind.ADD, "m::c", FILE, ("marks",), "push"), "mark: q", "mark: [q, push]"),
        (unsetting("m::torch.mul", "rtol"), "- rtol: 0.1\n    op", "- op"),
        (unsetting("m::a", "marks"), "    marks: [x]  # why\n", ""),
        (unsetting("m", "dtype"), "dtype: fp32, ", ""),
        (removing("m::torch.mul"), TEXT[TEXT.index("  - rtol") : TEXT.index("  - {name")], ""),
    ],
)
def test_what_is_asked_for_changes_and_nothing_else(operation: Operation, old: str, new: str) -> None:
    assert TEXT.count(old) == 1
    assert edited(TEXT, operation) == TEXT.replace(old, new)


def test_a_new_case_goes_to_the_end_in_the_form_of_extracted_ones() -> None:
    inputs = [{"tensor_list": [{"shape": [2, 3], "dtype": "fp32"}, {"shape": []}]}, {"value": None}, {"py": "(1,)"}]
    new = edited(TEXT, adding("m::d", inputs=inputs, op="torch.cat", kwmap={"dim": -1}, rtol=0.5, marks=["push"]))
    assert new == (
        TEXT
        + """
  - name: d
    op: torch.cat
    rtol: 0.5
    inputs:
      - tensor_list:
          - shape: [2, 3]
            dtype: fp32
          - shape: []
      - value: null
      - py: "(1,)"
    kwmap:
      dim: -1
    marks: [push]
"""
    )
    assert edited(new, removing("m::d")) == TEXT


@pytest.mark.parametrize("text", ["model: m\ncases: []\n", "model: m\ncases: []  # none yet\nop: torch.add\n"])
def test_the_first_case_and_the_last_one_turn_an_empty_list_into_lines_and_back(text: str) -> None:
    new = edited(text, adding("m::d", op="torch.neg"))
    assert load(new)["cases"] == [{"name": "d", "op": "torch.neg"}]
    assert edited(new, removing("m::d")) == text


@pytest.mark.parametrize("text", ["model: m\ncases:\n- op: torch.neg\n", "# c\ncases:\n- op: torch.neg\nmodel: m\n"])
def test_a_block_of_defaults_comes_with_its_first_key_and_goes_with_its_last(text: str) -> None:
    new = edited(text, setting("m", "atol", 0.5), setting("m", "dtype", "bf16"))
    assert load(new) == {**load(text), "defaults": {"dtype": "bf16", "atol": 0.5}}
    assert edited(new, unsetting("m", "dtype"), unsetting("m", "atol")) == text


def test_defaults_may_have_the_name_of_the_rfc_and_be_below_the_cases() -> None:
    text = "model: m\r\ncases:\r\n  - op: torch.neg\r\n\r\n# the rest\r\ndefault:\r\n  rtol: 0.1\r\n"
    new = edited(text, setting("m", "rtol", 0.2), adding("m::d", op="torch.abs"))
    assert new == text.replace("0.1", "0.2").replace("neg\r\n", "neg\r\n  - name: d\r\n    op: torch.abs\r\n")


def test_the_model_of_a_file_that_names_none_is_its_stem() -> None:
    text = "cases:\n  - op: torch.neg\n"
    assert edited(text, setting("m::torch.neg", "seed", 1)) == f"{text}    seed: 1\n"


@pytest.mark.parametrize("id", ["m::a::m.yaml", "m::a::ops/m.yaml"])
def test_the_long_id_of_a_case_that_another_file_has_too_means_this_one(id: str) -> None:
    assert edited(TEXT, setting(id, "marks", ["z"])) == TEXT.replace("[x]", "[z]")


@pytest.mark.parametrize(
    ("text", "operation", "why"),
    [
        ("model: m\n", setting("m::a", "rtol", 1), "no top-level key cases"),
        ("cases: []\ncases: []\n", setting("m::a", "rtol", 1), "cases 2 times"),
        ("cases: [{name: a, op: b}]\n", setting("m::a", "rtol", 1), "line 1: cases must be a list"),
        ("cases:\n  a: 1\n", setting("m::a", "rtol", 1), "cases must be a list"),
        ("cases: [\n", setting("m::a", "rtol", 1), "not valid YAML"),
        ("cases: []\n---\ncases: []\n", setting("m::a", "rtol", 1), "second YAML document"),
    ],
)
def test_a_file_without_a_list_of_cases_is_refused(text: str, operation: Operation, why: str) -> None:
    with pytest.raises(Refused, match=why):
        edit(text, [operation])


@pytest.mark.parametrize(
    ("case", "operation", "why"),
    [
        ("- name: a\n  op: x\n- name: a\n  op: y\n", setting("m::a", "rtol", 1), "there 2 times, on lines 2 and 4"),
        ("- &one\n  name: a\n  op: x\n", setting("m::a", "rtol", 1), "an anchor"),
        ("- name: a\n  op: x\n  <<: {rtol: 1}\n", setting("m::a", "rtol", 1), "merge key"),
        ("- name: a\n  skip_if: &why x\n", setting("m::a", "skip_if", "y"), "an anchor"),
        ("- name: a\n  rtol: 1\n  rtol: 2\n", setting("m::a", "rtol", 1), "rtol is there twice, on lines 3 and 4"),
        ("- name: a\n  skip_if: # why\n    expr: x\n", setting("m::a", "skip_if", {"expr": "y"}), "may hold comments"),
        ("- name: a\n  # why\n  op: x\n", unsetting("m::a", "name"), "a comment is after name"),
        ("- name: a\n", unsetting("m::a", "name"), "no key would be left"),
        ("- {name: a,\n   op: x}\n", setting("m::a", "rtol", 1), "braces over several lines"),
        ("- name: a\n", adding("m::a", op="x"), "in the file already"),
        ("- name: a\n", adding("n::b", op="x"), "the id of a new one is m::NAME"),
        ("- name: a\n", setting("m::b", "rtol", 1), "no entry of this id"),
        ("- name: a\n  rtol: !!float 1\n", setting("m::a", "rtol", 2), "a tag"),
    ],
)
def test_what_cannot_be_edited_safely_is_rejected_with_the_reason(case: str, operation: Operation, why: str) -> None:
    text = f"cases:\n{case}"
    new, (rejection,) = edit(text, [operation])
    assert new == text
    assert why in rejection


names = ("rtol", "atol", "seed", "dtype", "marks", "skip_if", "xfail_reason", "xfail_strict")
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ["no", "a: b #", "fp16", "1e-3"]
)
scalars = words | st.booleans() | st.integers(0, 9) | st.floats(0, 1)
conditions = st.fixed_dictionaries({"expr": words}, optional={"reason": words})
values = scalars | st.lists(words, max_size=3) | conditions | st.lists(conditions, min_size=1, max_size=2)
written = st.sampled_from(
    [
        "1.0e-3",
        "'it''s'",
        '"a \\"b\\""',
        "True",
        "[a,b]",
        '[ "a", b ]',
        "two words",
        "{{expr: \"x # y\", reason: 'r'}}",
        "\n{pad}  - a # item\n{pad}  - b",
        "\n{pad}- 'a'\n{pad}- b",
        "\n{pad}  expr: x\n{pad}  reason: r",
        "\n{pad}  - expr: x\n{pad}    reason: >-\n{pad}      folded\n{pad}      text",
        "|\n{pad}  two\n{pad}  lines",
    ]
)
comments = st.sampled_from(["", "", " # note", "  #note"])


@dataclass(frozen=True)
class File:
    """A made-up manifest, and the text of each of its cases without the comment lines above it."""

    text: str
    cases: dict[str, str]


@st.composite
def cases(draw: st.DrawFn, name: str, dash: str) -> str:
    if draw(st.integers(0, 4)) == 0:
        inner = "".join(f", {one}: {draw(st.sampled_from(['1', 'x', '[a, b]']))}" for one in draw(keys()))
        return f"{dash}- {{name: {name}, op: torch.add{inner}}}{draw(comments)}\n"
    pad = f"{dash}  "
    lines = [f"name: {name}{draw(comments)}\n", f"op: torch.add{draw(comments)}\n"]
    for one in draw(keys()):
        value = draw(written).format(pad=pad)
        ends_in_text = value.startswith("|") or ">-" in value
        lines.append(f"{one}: {value}{'' if ends_in_text else draw(comments)}\n")
    if draw(st.booleans()):
        lines.append(f"inputs:\n{pad}  - tensor: {{shape: [2, 3]}}\n{pad}  - value: null\n")
    lines = draw(st.permutations(lines))
    between = [draw(st.sampled_from(["", "", f"{pad}# {name}\n"])) for _ in lines]
    head, *rest = (f"{above}{pad}{line}" for above, line in zip(["", *between[1:]], lines, strict=True))
    return f"{dash}- {head.removeprefix(pad)}{''.join(rest)}"


def keys() -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(names), unique=True, max_size=4)


@st.composite
def files(draw: st.DrawFn) -> File:
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    defaults = draw(
        st.sampled_from(["", "defaults:\n  dtype: fp16 # half\n  rtol: 1.0e-3\n", "default: {rtol: 1.0e-3}\n"])
    )
    dash, found = " " * draw(st.sampled_from([0, 2, 4])), dict[str, str]()
    body = draw(st.sampled_from(["", "\n", "# cases\n"])) + f"cases:{draw(comments)}\n"
    for number in range(draw(st.integers(1, 4))):
        case = draw(cases(f"c{number}", dash))
        body += draw(st.sampled_from(["", "", "\n", f"{dash}# about\n", f"\n{dash}# part\n\n"])) + case
        found[f"m::c{number}"] = case.replace("\n", newline)
    above = draw(st.booleans())
    text = draw(st.sampled_from(["", "# head\n\n"])) + f"model: m\n{defaults if above else ''}{body}"
    text += "" if above else f"\n{defaults}"
    # A block scalar at the end would get another value if a line followed.
    if draw(st.booleans()) and not text.endswith("lines\n"):
        text = text.removesuffix("\n")
    bom = draw(st.sampled_from(["", "\ufeff"]))
    return File(bom + text.replace("\n", newline), found)


@st.composite
def edits(draw: st.DrawFn, file: File) -> list[Operation]:
    """Operations of all kinds, on the defaults and on cases that exist at that point."""
    found, ids = list[Operation](), sorted(file.cases)
    for number in range(draw(st.integers(1, 6))):
        act = draw(st.integers(0, 9))
        if act == 0:
            ids.append(f"m::new{number}")
            extra = {draw(st.sampled_from(names)): draw(values)}
            inputs = [{"tensor": {"shape": [1, 2], "dtype": "fp32"}}, {"value": draw(scalars | st.none())}]
            found.append(adding(ids[-1], op="torch.mul", inputs=inputs, **extra))
        elif act == 1 and len(ids) > 1:
            ids.remove(identifier := draw(st.sampled_from(ids)))
            found.append(removing(identifier))
        else:
            found.append(draw(key_edits(draw(st.sampled_from([*ids, "m"])))))
    return found


@st.composite
def key_edits(draw: st.DrawFn, identifier: str) -> Operation:
    """One operation on a key of a case or of the defaults."""
    name, act = draw(st.sampled_from(names)), draw(st.integers(0, 3))
    if act == 0:
        return unsetting(identifier, name)
    if act == 1 and identifier != "m":
        kind = draw(st.sampled_from([OpKind.ADD, OpKind.REMOVE]))
        return Operation(kind, identifier, FILE, ("marks",), draw(words | st.sampled_from(["a", "b"])))
    return setting(identifier, name, draw(values))


def modelled(document: dict[str, Any], operations: Sequence[Operation]) -> dict[str, Any]:
    """The effect of the operations, on plain values."""
    document = copy.deepcopy(document)
    listed = {f"m::{case['name']}": case for case in document["cases"]}
    block = "default" if "default" in document else "defaults"
    for operation in operations:
        if operation.path:
            where = document.setdefault(block, {}) if operation.id == "m" else listed[operation.id]
            _change_key(where, operation)
        elif operation.op is OpKind.ADD:
            assert isinstance(operation.value, dict)
            listed[operation.id] = {"name": operation.id.partition("::")[2], **copy.deepcopy(operation.value)}
        else:
            del listed[operation.id]
    if block in document and not document[block]:
        del document[block]
    return {**document, "cases": list(listed.values())}


def _change_key(where: dict[str, Any], operation: Operation) -> None:
    (name,) = operation.path
    if operation.op is OpKind.SET:
        where[name] = operation.value
        return
    if operation.op is OpKind.UNSET:
        where.pop(name, None)
        return
    present = where.get(name)
    items = present if isinstance(present, list) else [] if present is None else [present]
    if operation.op is OpKind.ADD and operation.value not in items:
        where[name] = [*items, operation.value]
    elif operation.op is OpKind.REMOVE and operation.value in items:
        where[name] = [item for item in items if item != operation.value]
        if not where[name]:
            del where[name]


@given(st.data())
def test_any_operations_mean_what_was_asked_and_touch_no_other_case(data: st.DataObject) -> None:
    file = data.draw(files())
    operations = data.draw(edits(file))
    new, rejected = edit(file.text, operations)
    if rejected:
        assert new == file.text
        reasons = ("may hold comments", "not a list of plain items", "with a comment", "a comment is after")
        assert all(any(reason in why for reason in reasons) for why in rejected), rejected
        return
    assert load(new) == modelled(load(file.text), operations)
    assert new.startswith("\ufeff") == file.text.startswith("\ufeff")
    touched = {operation.id for operation in operations}
    for identifier, case in file.cases.items():
        assert identifier in touched or case.rstrip("\r\n") in new
    if not any(operation.op is OpKind.REMOVE and operation.is_entry for operation in operations):
        lines = iter(_comment_lines(new))
        gone = {line for id in touched for line in _comment_lines(file.cases.get(id, ""))}
        assert all(line in lines for line in _comment_lines(file.text) if line not in gone)


def _comment_lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.lstrip().startswith("#")]


@given(st.data())
def test_a_new_key_set_and_unset_gives_the_same_bytes(data: st.DataObject) -> None:
    file = data.draw(files())
    identifier, name = data.draw(st.sampled_from(["m", *file.cases])), data.draw(st.sampled_from(names))
    document = load(file.text)
    where = {f"m::{case['name']}": case for case in document["cases"]}
    where["m"] = document.get("defaults") or document.get("default") or {}
    if name in where[identifier]:
        return
    new = edited(file.text, setting(identifier, name, data.draw(values)))
    assert new != file.text
    assert edited(new, unsetting(identifier, name)) == file.text


@given(files())
def test_a_case_added_and_removed_gives_the_same_bytes(file: File) -> None:
    new = edited(file.text, adding("m::new", op="torch.neg", marks=["push"]))
    assert load(new)["cases"][-1] == {"name": "new", "op": "torch.neg", "marks": ["push"]}
    back = edited(new, removing("m::new"))
    if file.text.index("cases:") < file.text.find("default"):
        # It is not known which of the blank lines between cases and defaults belong to the case.
        assert _filled_lines(back) == _filled_lines(file.text)
    else:
        assert back.rstrip("\r\n") == file.text.rstrip("\r\n")


def _filled_lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.strip()]


@given(st.data())
def test_a_value_set_and_set_back_is_the_old_value(data: st.DataObject) -> None:
    file = data.draw(files())
    case = data.draw(st.sampled_from(load(file.text)["cases"]))
    identifier, name = f"m::{case['name']}", data.draw(st.sampled_from(names))
    if name not in case:
        return
    new, rejected = edit(file.text, [setting(identifier, name, data.draw(values))])
    if rejected:
        return
    back, rejected = edit(new, [setting(identifier, name, case[name])])
    assert rejected == []
    assert load(back) == load(file.text)
