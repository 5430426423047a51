# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.manifests, and of plans for manifests of op tests."""

from pathlib import Path

import pytest

from core.edits import Operation, OpKind, change_in_words, effect, entry_texts, parse_operations, plan
from core.edits.impact import entry_changes
from core.edits.manifests import case_entries
from core.edits.operations import manifests_in
from core.edits.planning import FileChanged, write
from core.matrix import Matrix, index
from core.sources import Checkout

FILE = "ops/m.yaml"
TEXT = """\
model: m
defaults: {rtol: 1.0e-3}
cases:
  - name: a
    op: torch.add
    mark: x
    inputs:
      - tensor: {shape: [2]}
      - value: null
  - op: torch.neg
    rtol: 0.1
"""


@pytest.fixture
def root(test_config: Path) -> Path:
    """The checkout above `test_config`, with a manifest."""
    root = test_config.parents[2]
    (root / "ops").mkdir()
    (root / FILE).write_text(TEXT)
    return root


@pytest.fixture
def matrix(root: Path) -> Matrix:
    return index(Checkout(root))


def setting(id: str, key: str, value: object, file: str = FILE) -> Operation:
    return Operation(OpKind.SET, id, file, (key,), value)


def test_a_manifest_is_planned_beside_expectations_and_written_with_them(root: Path, test_config: Path) -> None:
    status = Operation(OpKind.SET, "b/pytorch-single_device-inference", path=("reason",), value="new")
    found = plan(test_config, [status, setting("m::a", "rtol", 0.5)])
    assert [edit.file for edit in found.files] == [FILE, "torch/test_config_inference_single_device.yaml"]
    assert "--- a/ops/m.yaml\n+++ b/ops/m.yaml\n" in found.diff()
    assert write(found, test_config)[0] == root / FILE
    assert (root / FILE).read_text() == TEXT.replace("add\n", "add\n    rtol: 0.5\n")


def test_a_manifest_that_changed_since_is_not_written(root: Path, test_config: Path) -> None:
    found = plan(test_config, [setting("m::a", "rtol", 0.5)])
    (root / FILE).write_text(f"# new\n{TEXT}")
    with pytest.raises(FileChanged):
        write(found, test_config)
    assert (root / FILE).read_text() == f"# new\n{TEXT}"


@pytest.mark.parametrize(
    ("operation", "why"),
    [
        (setting("m::a", "rtol", 5), "ops/m.yaml: rtol must be from 0 to 1, not 5"),
        (setting("m", "atol", "much"), "atol must be a number, not 'much'"),
        (setting("m::a", "dtype", "fp17"), "did you mean fp16?"),
        (setting("m::a", "skip_if", "__import__('os')"), "condition"),
        (setting("m::a", "marks", ["two words", "a-b"]), "is not a name of a marker"),
        (setting("m::a", "rtoll", 0.5), "rtoll is not a key of a case; did you mean rtol?"),
        (setting("m::a", "op", "os.system"), "os.system"),
        (setting("m::a", "inputs", []), "inputs cannot be edited: remove the case and add one with another inputs"),
        (setting("m", "marks", ["x"]), "marks cannot be edited: defaults have no marks"),
        (Operation(OpKind.UNSET, "m::a", FILE, ("op",)), "the case has no op"),
        (Operation(OpKind.UNSET, "m::a", FILE, ("name",)), "name cannot be edited"),
        (Operation(OpKind.ADD, "m::b", FILE, value={"op": "os.system"}), "os.system"),
        (
            Operation(OpKind.ADD, "m::b", FILE, value={"op": "torch.neg", "name": "c"}),
            "with the name that the case has",
        ),
        (Operation(OpKind.REMOVE, "m", FILE), "defaults are unset one by one"),
        (Operation(OpKind.RENAME, "m::a", FILE, to="n::b"), "to: must be model::case, of the same model"),
        (Operation(OpKind.RENAME, "m", FILE, to="n"), "to: must be model::case, of the same model"),
        (Operation(OpKind.RENAME, "m::a", FILE, ("rtol",), to="rtoll"), "the entry has no rtol"),
        (Operation(OpKind.RENAME, "m::a", FILE, ("inputs", "0", "tensor", "shape"), to="shpae"), "did you mean shape?"),
        (Operation(OpKind.RENAME, "m::a", FILE, ("op",), to="mark"), "mark is there already"),
        (Operation(OpKind.MOVE, "m::a", FILE, to="ops/n.yaml"), "a case cannot be moved"),
        (Operation(OpKind.SET, "m::a", FILE, ("marks", "0"), 1), "path: must be"),
        (Operation(OpKind.SET, "m::a", FILE, ("inputs", "0"), 1), "inputs.0 is an item of a list"),
        (Operation(OpKind.SET, "m::a", FILE, ("inputs", "9", "value"), 1), "the entry has no inputs.9"),
        (Operation(OpKind.UNSET, "m::a", FILE, ("inputs", "0")), "inputs.0 is an item of a list"),
        (Operation(OpKind.ADD, "m::a", FILE, ("inputs",), "x"), "path: one item is added or removed of"),
        (setting("m::a", "skip_if", {"expr": None, "": 1}), "a key must be text"),
        (setting("m::a", "rtol", float("inf")), "must be finite"),
        (setting("m::a", "rtol", 0.5, "../ops/m.yaml"), "leads out of the checkout"),
        (setting("m::a", "rtol", 0.5, "ops/n.yaml"), "there is no file ops/n.yaml"),
        (setting("m::a", "rtol", 0.5, "ops/link.yaml"), "is a link to a place outside the checkout"),
        (Operation(OpKind.SET, "m::a", None, ("rtol",), 0.5), "name one as file"),
    ],
)
def test_what_would_be_wrong_in_a_manifest_is_rejected_with_the_reason(
    root: Path, test_config: Path, tmp_path: Path, operation: Operation, why: str
) -> None:
    (tmp_path / "outside.yaml").write_text(TEXT)
    (root / "ops/link.yaml").symlink_to(tmp_path / "outside.yaml")
    found = plan(test_config, [operation])
    assert found.files == ()
    (rejection,) = found.rejected
    assert why in rejection.why


def test_a_mistake_is_put_down_to_its_case_and_blocks_the_file(root: Path, test_config: Path) -> None:
    fine, bad = setting("m::a", "rtol", 0.5), setting("m::torch.neg", "rtol", 7)
    found = plan(test_config, [fine, bad])
    assert found.files == ()
    assert [one.op for one in found.rejected] == [bad]
    assert found.blocked == (fine,)


def test_mistakes_that_were_there_before_prevent_no_edit_of_other_cases(root: Path, test_config: Path) -> None:
    text = f"{TEXT}  - op: torch.abs\n    rtoll: 1\n"
    (root / FILE).write_text(text)
    assert plan(test_config, [setting("m::a", "rtol", 0.5)]).files[0].after.endswith("rtoll: 1\n")
    fixed = plan(test_config, [Operation(OpKind.UNSET, "m::torch.abs", FILE, ("rtoll",))])
    assert fixed.files[0].after == text.replace("    rtoll: 1\n", "")


def test_the_effect_is_what_cases_come_to_with_the_defaults(matrix: Matrix, test_config: Path) -> None:
    ops = [
        setting("m", "rtol", 0.5),
        Operation(OpKind.ADD, "m::a", FILE, ("marks",), "push"),
        Operation(OpKind.ADD, "m::new", FILE, value={"op": "torch.abs", "inputs": [{"tensor": {"shape": [1]}}]}),
    ]
    one, new = effect(matrix, plan(test_config, ops))
    assert (one.id, one.arch, one.before, one.markers_gained) == ("m::a", "", None, ("push",))
    assert {field.name: (field.before, field.after) for field in one.fields} == {
        "rtol": (0.001, 0.5),
        "marks": (["x"], ["x", "push"]),
    }
    assert (new.id, [(field.name, field.before, field.after) for field in new.fields]) == (
        "m::new",
        [("op", None, "torch.abs")],
    )


def test_changes_of_cases_are_described_by_what_is_written(root: Path, test_config: Path) -> None:
    ops = [
        setting("m::a", "skip_if", {"expr": "True"}),
        setting("m", "atol", 0.5),
        Operation(OpKind.REMOVE, "m::torch.neg", FILE),
    ]
    found = plan(test_config, ops)
    assert [(change.id, change_in_words(change)) for change in entry_changes(found)] == [
        ("m", ["atol: 0.5"]),
        ("m::a", ['skip_if: {"expr": "True"}']),
        ("m::torch.neg", ["case removed"]),
    ]
    defaults, case, gone = entry_texts(found)
    assert defaults.after == ("defaults: {rtol: 1.0e-3, atol: 0.5}",)
    assert (case.before[0], case.before[-1]) == ("  - name: a", "      - value: null")
    assert (gone.before, gone.after) == (("  - op: torch.neg", "    rtol: 0.1"), ())


def test_entries_are_the_cases_as_they_are_written_and_the_defaults() -> None:
    defaults, first, second = case_entries(TEXT, FILE)
    assert (defaults.id, defaults.fields) == ("m", {"rtol": 0.001})
    assert (first.id, first.line, first.end_line, first.fields["marks"]) == ("m::a", 4, 9, "x")
    assert first.fields["inputs"] == [{"tensor": {"shape": [2]}}, {"value": None}]
    assert (second.id, second.line, second.end_line) == ("m::torch.neg", 10, 11)
    (_, none) = case_entries("cases:\n  - op: torch.neg\n", FILE)
    assert (none.id, none.line, none.fields) == ("m", 0, {})


def test_operations_call_a_key_by_its_first_name() -> None:
    (operation,) = parse_operations('[{"op": "set", "id": "m::a", "path": ["mark"], "value": "x"}]')
    assert operation.path == ("marks",)
    assert manifests_in([operation]) == ()
