# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.splice: laws over made-up files, and over upstream's own."""

import copy
import difflib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from core.edits.document import read_document
from core.edits.operations import Operation, OpKind
from core.edits.splice import edit_text

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
comments = st.sampled_from(["", "", " # note", "  #note", "\t# tab"])


@dataclass(frozen=True)
class File:
    """A made-up file and the text of each of its entries, the comment lines above them left out."""

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
    found = []
    for _ in range(draw(st.integers(0, 6))):
        identifier, path = draw(st.sampled_from(sorted(file.entries))), draw(paths)
        if draw(st.booleans()):
            found.append(Operation(OpKind.SET, identifier, path=path, value=draw(values)))
        else:
            found.append(Operation(OpKind.UNSET, identifier, path=path))
    return found


def load(text: str) -> dict[str, Any]:
    found: dict[str, Any] = YAML(typ="safe", pure=True).load(text.removeprefix("\ufeff").replace("\t#", " #"))
    return found


def load_fast(text: str) -> dict[str, Any]:
    """The entries, by the parser in C: upstream's files are long."""
    found: dict[str, Any] = YAML(typ="safe").load(text)["test_config"]
    return found


def without_reasons(text: str) -> list[str]:
    return [line for line in text.split("\n") if not line.strip().startswith("reason: ")]


def modelled(entries: dict[str, Any], operations: list[Operation]) -> dict[str, Any]:
    """What the operations mean, on plain mappings."""
    entries = copy.deepcopy(entries)
    for operation in operations:
        *outer, name = operation.path
        holder = entries[operation.id]
        for step in outer:
            holder = holder.setdefault(step, {}) if operation.op is OpKind.SET else holder.get(step, {})
        if operation.op is OpKind.SET:
            holder[name] = operation.value
        else:
            holder.pop(name, None)
    for entry in entries.values():
        overrides = entry.get("arch_overrides", {})
        for arch in [arch for arch, fields in overrides.items() if not fields]:
            del overrides[arch]
        if "arch_overrides" in entry and not overrides:
            del entry["arch_overrides"]
    return entries


def comment_lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.lstrip().startswith("#")]


@given(st.data())
def test_any_sets_and_unsets_mean_what_was_asked_and_touch_no_other_entry(data: st.DataObject) -> None:
    file = data.draw(files())
    operations = data.draw(edits(file))
    new, rejected = edit_text(file.text, operations)
    wanted = modelled(load(file.text)["test_config"], operations)
    if rejected:
        assert new == file.text
        empty = [identifier for identifier, entry in wanted.items() if not entry]
        assert all(one.op.id in empty or "may hold comments" in one.why for one in rejected), rejected
        return
    assert load(new)["test_config"] == wanted
    assert new.startswith("\ufeff") == file.text.startswith("\ufeff")
    touched = {operation.id for operation in operations}
    for identifier, entry in file.entries.items():
        assert identifier in touched or entry.rstrip("\r\n") in new
    kept = iter(comment_lines(new))
    assert all(line in kept for line in comment_lines(file.text) if line != "# item")


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
