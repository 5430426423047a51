# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.yaml.file_draft: laws over made-up files, and over upstream's own."""

import copy
import difflib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from ruamel.yaml import YAML

from core.edits import FileEdit, Operation, OpKind
from core.edits.apply import EntryStates
from core.edits.yaml import FileDraft, read_document
from core.edits.yaml.file_draft import edit_text
from core.sources import written_entries
from tests.support.derive import inverse
from tests.support.edit_laws import said
from tests.support.edit_texts import edit_texts

FIELDS = ("supported_archs", "status", "bringup_status", "reason", "required_pcc", "assert_pcc", "markers")
ARCHS = ("n150", "p150", "n300-llmbox")

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=15) | st.sampled_from(["PASSED", "no", "a: b #"])
values = texts | st.booleans() | st.floats(-1, 1) | st.integers(0, 9) | st.lists(texts, max_size=3)
paths = st.tuples(st.sampled_from(FIELDS)) | st.tuples(
    st.just("arch_overrides"), st.sampled_from(ARCHS), st.sampled_from(FIELDS)
)
written = st.sampled_from(
    [
        "X",
        "'it''s'",
        '"a \\"b\\""',
        "0.98",
        "True",
        "[a,b]",
        '[ "a", b ]',
        "two words",
        "\n{pad}  - a # item\n{pad}  - b",
    ]
)
ODD = (
    "&of_{name} v",
    "!!str 5",
    "|\n{pad}  two\n{pad}  lines",
    ">- # folded\n{pad}  two\n{pad}  lines",
    "~",
    "null",
    "",
    "[a,\n{pad}  b]",
    "[a, # c\n{pad}  b]",
    "{{x: 1}}",
    "'two\n{pad}  lines'",
    "[a, [b]]",
    "[a, ~]",
    "\n{pad}  - x: 1",
    "\n{pad}- 'a'\n{pad}- b",
)
"""Values that never occur in upstream's files."""
ids = st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" "), min_size=1, max_size=20).filter(
    lambda text: text != "a" and text.isprintable()
)
comments = st.sampled_from(["", "", " # note", "  #note", "\t# tab"])


@dataclass(frozen=True)
class File:
    """A made-up file and the text of each entry, without the comment lines above it."""

    text: str
    entries: dict[str, str]


@st.composite
def mappings(draw: st.DrawFn, pad: str) -> str:
    lines = []
    for name in draw(st.lists(st.sampled_from(FIELDS), unique=True, min_size=1, max_size=4)):
        value = draw(written).format(pad=pad)
        if draw(st.integers(0, 5)) == 0:
            lines.append(f"{pad}# {name}: before\n")
        lines.append(f"{pad}{name}: {value}{draw(comments)}\n")
    return "".join(lines)


@st.composite
def files(draw: st.DrawFn) -> File:
    outer, step = " " * draw(st.sampled_from([2, 4])), " " * draw(st.sampled_from([2, 4]))
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    text, entries = draw(st.sampled_from(["", "\ufeff"])) + "# header\n\ntest_config:\n", {}
    for number in range(draw(st.integers(1, 4))):
        text += draw(st.sampled_from(["", "\n", "\n\n", f"\n{outer}# section\n\n", f"{outer}# about\n"]))
        entry = f"{outer}m{number}/pytorch-x:{draw(comments)}\n" + draw(mappings(outer + step))
        if draw(st.booleans()):
            entry += f"{outer}{step}arch_overrides:\n"
            for arch in draw(st.lists(st.sampled_from(ARCHS), unique=True, min_size=1)):
                entry += f"{outer}{step}{step}{arch}:{draw(comments)}\n" + draw(mappings(outer + step * 3))
        if draw(st.integers(0, 3)) == 0:
            entry += f"{outer}{step}# the end of it\n"
        entries[f"m{number}/pytorch-x"] = entry.replace("\n", newline)
        text += entry
    if draw(st.booleans()):
        text = text.removesuffix("\n")
    return File(text.replace("\n", newline), entries)


@st.composite
def edits(draw: st.DrawFn, file: File) -> list[Operation]:
    """Operations of all kinds, on ids that exist at that point."""
    found, ids = [], sorted(file.entries)
    for number in range(draw(st.integers(0, 6))):
        if not ids:
            break
        identifier, act = draw(st.sampled_from(ids)), draw(st.integers(0, 15))
        if act == 0:
            ids.append(f"m1/pytorch-new{number}")
            fields = {draw(st.sampled_from(FIELDS)): draw(values)}
            found.append(Operation(OpKind.ADD, ids[-1], "f", value=fields))
        elif act == 1:
            ids.remove(identifier)
            found.append(Operation(OpKind.REMOVE, identifier))
        elif act == 2:
            ids[ids.index(identifier)] = f"{identifier}{number}"
            found.append(Operation(OpKind.RENAME, identifier, to=f"{identifier}{number}"))
        else:
            found.append(draw(part_edits(identifier)))
    return found


@st.composite
def part_edits(draw: st.DrawFn, identifier: str) -> Operation:
    """One operation on something in an entry."""
    path = draw(paths)
    kind = draw(st.sampled_from([OpKind.SET, OpKind.SET, OpKind.UNSET, OpKind.ADD, OpKind.REMOVE]))
    if kind is OpKind.SET:
        return Operation(kind, identifier, path=path, value=draw(values))
    if kind is OpKind.UNSET:
        return Operation(kind, identifier, path=path)
    return Operation(kind, identifier, path=(*path[:-1], "markers"), value=draw(texts))


def load(text: str) -> dict[str, Any]:
    found: dict[str, Any] = YAML(typ="safe", pure=True).load(text.removeprefix("\ufeff").replace("\t#", " #"))
    return found


def load_fast(text: str) -> dict[str, Any]:
    """The entries, read with the C parser: upstream's files are long."""
    found: dict[str, Any] = YAML(typ="safe").load(text)["test_config"]
    return found


def without_reasons(text: str) -> list[str]:
    return [line for line in text.split("\n") if not line.strip().startswith("reason: ")]


def modelled(entries: dict[str, Any], operations: list[Operation]) -> dict[str, Any]:
    """The effect of the operations, on plain mappings."""
    entries = copy.deepcopy(entries)
    for operation in operations:
        if operation.path:
            _change_part(entries[operation.id], operation)
        elif operation.op is OpKind.ADD:
            entries[operation.id] = copy.deepcopy(operation.value)
        else:
            fields = entries.pop(operation.id)
            if operation.op is OpKind.RENAME:
                entries[str(operation.to)] = fields
    for entry in entries.values():
        overrides = entry.get("arch_overrides", {})
        for arch in [arch for arch, fields in overrides.items() if not fields]:
            del overrides[arch]
        if "arch_overrides" in entry and not overrides:
            del entry["arch_overrides"]
    return entries


def _change_part(entry: dict[str, Any], operation: Operation) -> None:
    *outer, name = operation.path
    grows = operation.op in (OpKind.SET, OpKind.ADD)
    holder = entry
    for step in outer:
        holder = holder.setdefault(step, {}) if grows else holder.get(step, {})
    if operation.op is OpKind.SET:
        holder[name] = operation.value
    elif operation.op is OpKind.UNSET:
        holder.pop(name, None)
    else:
        present = holder.get(name)
        items = present if isinstance(present, list) else [] if present is None else [present]
        there = any(item == operation.value and type(item) is type(operation.value) for item in items)
        if operation.op is OpKind.ADD and not there:
            holder[name] = [*items, operation.value]
        elif operation.op is OpKind.REMOVE and there:
            left = [item for item in items if item != operation.value]
            holder[name] = left
            if not left and not outer:
                del holder[name]


def comment_lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.lstrip().startswith("#")]


@given(st.data())
def test_any_operations_mean_what_was_asked_and_touch_no_other_entry(data: st.DataObject) -> None:
    file = data.draw(files())
    operations = data.draw(edits(file))
    new, rejected = edit_text(file.text, operations)
    wanted = modelled(load(file.text)["test_config"], operations)
    if rejected:
        assert new == file.text
        empty = {identifier for identifier, entry in wanted.items() if not entry}
        # An entry that would be empty takes all its renames with it.
        for one in reversed(operations):
            if one.op is OpKind.RENAME and one.to in empty:
                empty.add(one.id)
        assert all(one.op.id in empty or one.op.to in empty or "may hold comments" in one.why for one in rejected)
        return
    assert (load(new)["test_config"] or {}) == wanted
    assert new.startswith("\ufeff") == file.text.startswith("\ufeff")
    touched = {operation.id for operation in operations}
    for identifier, entry in file.entries.items():
        assert identifier in touched or entry.rstrip("\r\n") in new
    if not any(operation.op is OpKind.REMOVE and operation.is_entry for operation in operations):
        kept = iter(comment_lines(new))
        assert all(line in kept for line in comment_lines(file.text) if line != "# item")


def test_an_entry_that_would_be_empty_takes_all_its_renames_with_it() -> None:
    text = "test_config:\n  m:\n    # why\n    assert_pcc: false\n"
    operations = [
        Operation(OpKind.RENAME, "m", to="n"),
        Operation(OpKind.RENAME, "n", to="o"),
        Operation(OpKind.UNSET, "o", path=("assert_pcc",)),
    ]
    new, rejected = edit_text(text, operations)
    assert new == text
    assert [one.op for one in rejected] == operations
    assert {one.why.partition(",")[0] for one in rejected} == {"no field would be left"}


@given(st.data())
def test_what_upstream_never_writes_is_edited_exactly_or_refused_with_its_line(data: st.DataObject) -> None:
    odd = {
        name: data.draw(st.sampled_from(ODD)).format(pad="    ", name=name)
        for name in data.draw(st.sets(st.sampled_from(FIELDS)))
    }
    entry = "".join(f"    {name}: {value}\n" for name, value in odd.items())
    text = f"test_config:\n  a: &a {{status: X}}\n\n  m0:\n    x: 1 # c\n{entry}  # end\n  b: *a\n"
    operation = data.draw(part_edits(data.draw(st.sampled_from(["a", "m0", "b"]))))
    new, rejected = edit_text(text, [operation])
    if rejected:
        assert new == text
        assert rejected[0].line or re.search(r"\bline \d+: |no field would be left", rejected[0].why), rejected
        return
    assert load(new)["test_config"] == modelled(load(text)["test_config"], [operation])
    assert "# c" in new
    assert new.endswith("  # end\n  b: *a\n")


@given(ids, ids)
def test_any_id_on_one_line_is_added_renamed_and_removed(identifier: str, to: str) -> None:
    text = "test_config:\n  a:\n    x: 1\n"
    new, rejected = edit_text(text, [Operation(OpKind.ADD, identifier, "f", value={"status": "X"})])
    assert rejected == ()
    assert load(new)["test_config"] == {"a": {"x": 1}, identifier: {"status": "X"}}
    renamed, rejected = edit_text(new, [Operation(OpKind.RENAME, identifier, to=to)])
    assert rejected == ()
    assert load(renamed)["test_config"] == {"a": {"x": 1}, to: {"status": "X"}}
    assert edit_text(renamed, [Operation(OpKind.REMOVE, to)]) == (text, ())


@pytest.mark.parametrize("identifier", ["two\nlines", "", "tab\t", "x" * 2000, "\ufeff"])
def test_an_id_that_can_be_no_key_is_refused(identifier: str) -> None:
    text = "test_config:\n  a:\n    x: 1\n"
    new, rejected = edit_text(text, [Operation(OpKind.ADD, identifier, "f", value={"status": "X"})])
    assert new == text
    assert len(rejected) == 1


def test_a_reason_of_a_megabyte_is_a_value_like_any_other() -> None:
    text, reason = "test_config:\n  a:\n    x: 1\n", 'a "b" \\ # é ' * 100_000
    new, rejected = edit_text(text, [Operation(OpKind.SET, "a", path=("reason",), value=reason)])
    assert rejected == ()
    assert load_fast(new)["a"]["reason"] == reason
    assert edit_text(new, [Operation(OpKind.UNSET, "a", path=("reason",))]) == (text, ())


@given(st.data())
def test_the_order_of_operations_on_different_entries_does_not_matter(data: st.DataObject) -> None:
    file = data.draw(files())
    groups = [data.draw(st.lists(part_edits(identifier), max_size=3)) for identifier in sorted(file.entries)]
    groups[0] += data.draw(st.sampled_from([[], [Operation(OpKind.REMOVE, min(file.entries))]]))
    shuffled = data.draw(st.permutations(groups))
    one, rejected = edit_text(file.text, [operation for group in groups for operation in group])
    other, also_rejected = edit_text(file.text, [operation for group in shuffled for operation in group])
    assert one == other
    assert {id(rejection.op) for rejection in rejected} == {id(rejection.op) for rejection in also_rejected}


@given(st.data())
def test_the_inverse_brings_back_what_was_said(data: st.DataObject) -> None:
    file = data.draw(files())
    new, _ = edit_text(file.text, data.draw(edits(file)))
    back, refused = edit_texts({"f": new}, inverse({"f": file.text}, {"f": new}))
    if any("may hold comments" in one.why for one in refused):
        return
    assert refused == ()
    assert said(load(back["f"])) == said(load(file.text))


@given(st.data())
def test_a_new_field_set_and_unset_gives_the_same_bytes(data: st.DataObject) -> None:
    file = data.draw(files())
    identifier, path = data.draw(st.sampled_from(sorted(file.entries))), data.draw(paths)
    present: Any = load(file.text)["test_config"][identifier]
    for name in path:
        present = present.get(name) if isinstance(present, dict) else None
    if present is not None:
        return
    new, rejected = edit_text(file.text, [Operation(OpKind.SET, identifier, path=path, value=data.draw(values))])
    assert rejected == ()
    assert new != file.text
    assert edit_text(new, [Operation(OpKind.UNSET, identifier, path=path)]) == (file.text, ())


@given(files(), st.sampled_from(["m1/pytorch-new", "other"]))
def test_an_entry_added_and_removed_gives_the_same_bytes(file: File, identifier: str) -> None:
    new, rejected = edit_text(file.text, [Operation(OpKind.ADD, identifier, "f", value={"status": "X"})])
    assert rejected == ()
    assert load(new)["test_config"][identifier] == {"status": "X"}
    back, rejected = edit_text(new, [Operation(OpKind.REMOVE, identifier)])
    assert rejected == ()
    assert back.rstrip("\r\n") == file.text.rstrip("\r\n")


def test_no_operations_give_the_same_text_whatever_it_is() -> None:
    assert edit_text("not: [yaml", []) == ("not: [yaml", ())


def test_a_file_that_cannot_be_read_rejects_every_operation() -> None:
    operation = Operation(OpKind.REMOVE, "a")
    text, (rejection,) = edit_text("a: [", [operation])
    assert (text, rejection.op) == ("a: [", operation)
    assert "not valid YAML" in rejection.why


def test_an_operation_of_the_wrong_form_is_rejected() -> None:
    _, (rejection,) = edit_text("test_config:\n  a:\n    x: 1\n", [Operation(OpKind.SET, "a", path=("x",))])
    assert "must not be null" in rejection.why


def test_real_values_set_to_themselves_change_nothing(real_files: list[Path]) -> None:
    for path in real_files:
        text = path.read_text(encoding="utf-8")
        operations = [
            Operation(OpKind.SET, identifier, path=(name,), value=entry[name])
            for identifier, entry in load_fast(text).items()
            for name in entry
            if name != "arch_overrides"
        ]
        assert len(operations) > 10
        assert edit_text(text, operations) == (text, ())


def test_a_reason_on_every_real_entry_adds_or_changes_one_line_each(real_files: list[Path]) -> None:
    for path in real_files:
        text = path.read_text(encoding="utf-8")
        ids = [block.id for block in read_document(text).blocks]
        new, rejected = edit_text(text, [Operation(OpKind.SET, one, path=("reason",), value="New: x") for one in ids])
        assert rejected == ()
        assert new.split("\n").count('    reason: "New: x"') >= len(ids) - 1
        assert {entry["reason"] for entry in load_fast(new).values()} == {"New: x"}
        assert without_reasons(new) == without_reasons(text)


def test_every_real_entry_can_be_removed_by_itself(real_files: list[Path]) -> None:
    for path in real_files:
        text = path.read_text(encoding="utf-8")
        before = load_fast(text)
        for identifier in list(before)[:: max(len(before) // 8, 1)]:
            new, rejected = edit_text(text, [Operation(OpKind.REMOVE, identifier)])
            assert rejected == ()
            left = load_fast(new)
            assert list(left) == [one for one in before if one != identifier]
            removed = [line for line in difflib.unified_diff(text.split("\n"), new.split("\n"), n=0) if line[0] == "-"]
            assert 2 <= len(removed) <= 20


@given(st.data())
def test_entries_are_known_without_parsing_the_new_text_and_as_values(data: st.DataObject) -> None:
    file = data.draw(files())
    operations = data.draw(edits(file))
    draft, states = FileDraft(file.text), EntryStates()
    states.entries |= {("f", entry.id): entry.fields for entry in written_entries(file.text, "f")}
    for operation in operations:
        draft.apply(operation)
        states.apply(operation, ("f", operation.id))
    after = draft.finish()
    if draft.rejected:
        return
    parsed = written_entries(after, "f")
    assert FileEdit("f", file.text, after, sources=draft.sources).new == parsed
    assert {id: fields for (_, id), fields in states.entries.items() if fields is not None} == {
        entry.id: entry.fields for entry in parsed
    }
