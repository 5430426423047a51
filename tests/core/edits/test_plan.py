# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.plan."""

from pathlib import Path

import pytest

import core.edits.plan as module
from core.edits.operations import Operation, OpKind
from core.edits.plan import plan, undo, write
from core.errors import TTMatrixError
from core.files import atomic_write
from core.proc import run_command
from core.sources.schema import Schema

TORCH = "torch/test_config_inference_single_device.yaml"
JAX = "jax/test_config_inference_single_device.yaml"
A, B = "a/pytorch-One-single_device-inference", "b/pytorch-single_device-inference"
C = "c/jax-single_device-inference"


def setting(identifier: str, name: str, value: object, file: str | None = None) -> Operation:
    return Operation(OpKind.SET, identifier, file, (name,), value)


def contents(test_config: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in test_config.rglob("*") if path.is_file()}


def test_operations_over_two_files_become_two_edits(test_config: Path) -> None:
    operations = [setting(A, "reason", "r"), setting(C, "status", "EXCLUDE_MODEL"), setting(B, "reason", "old")]
    before = contents(test_config)
    found = plan(test_config, operations)
    assert [edit.file for edit in found.files] == [JAX, TORCH]
    assert found.applied == tuple(operations)
    assert not found.rejected
    assert not found.held
    assert contents(test_config) == before
    assert write(found) == (test_config / JAX, test_config / TORCH)
    assert (test_config / JAX).read_text() == before[test_config / JAX].decode().replace(
        "EXPECTED_PASSING", "EXCLUDE_MODEL"
    )
    assert plan(test_config, operations).files == ()


def test_git_applies_the_diff(test_config: Path) -> None:
    checkout = test_config.parents[2]
    found = plan(test_config, [setting(A, "reason", "r"), Operation(OpKind.REMOVE, B), setting(C, "reason", "é")])
    done = run_command(["git", "apply", "-"], cwd=checkout, stdin=found.diff())
    assert done.returncode == 0, done.stderr
    assert [edit.path.read_text() for edit in found.files] == [edit.after for edit in found.files]
    assert "--- a/x/torch/test_config_inference_single_device.yaml" in found.diff("x/")


def test_a_rejected_operation_holds_its_file_and_no_other(test_config: Path) -> None:
    fine, bad, other = setting(A, "reason", "r"), setting(B, "status", "BOGUS"), setting(C, "reason", "r")
    found = plan(test_config, [fine, bad, other])
    assert [edit.file for edit in found.files] == [JAX]
    assert (found.applied, found.held) == ((other,), (fine,))
    assert [rejection.op for rejection in found.rejected] == [bad]
    assert "must be one of EXPECTED_PASSING" in found.rejected[0].why


@pytest.mark.parametrize(
    ("operation", "why"),
    [
        (setting("nobody", "reason", "r"), "no file has an entry of this id"),
        (setting(A, "reason", "r", JAX), "the file has no entry of this id"),
        (setting(A, "reason", None), "must not be null"),
        (setting(A, "reason", "r", "../x.yaml"), "no expectation file"),
        (Operation(OpKind.ADD, C, TORCH, value={"status": "UNSPECIFIED"}), f"stands in {JAX} already"),
        (Operation(OpKind.RENAME, A, to=C), f"stands in {JAX} already"),
        (Operation(OpKind.MOVE, A, to=TORCH), f"stands in {TORCH} already"),
        (Operation(OpKind.MOVE, A, to="torch/test_config_absent.yaml"), "there is no file"),
        (Operation(OpKind.UNSET, B, path=("arch_overrides", "n150", "x", "y")), "path: must be"),
    ],
)
def test_what_cannot_be_done_is_rejected_with_the_reason(test_config: Path, operation: Operation, why: str) -> None:
    found = plan(test_config, [operation])
    assert (found.files, found.applied, found.diff()) == ((), (), "")
    assert [rejection.op for rejection in found.rejected] == [operation]
    assert why in found.rejected[0].why


def test_what_is_in_the_way_is_named_with_file_and_line(test_config: Path) -> None:
    path = test_config / TORCH
    path.write_text(path.read_text().replace("KNOWN_FAILURE_XFAIL", "&x KNOWN_FAILURE_XFAIL"))
    (rejection,) = plan(test_config, [setting(B, "status", "UNSPECIFIED")]).rejected
    assert rejection.why == f"{TORCH}:8: an anchor (&x) is in the way; edit it by hand"


def test_an_operation_of_the_wrong_form_holds_the_file_it_names(test_config: Path) -> None:
    fine = setting(A, "reason", "r")
    found = plan(test_config, [fine, setting(B, "reason", None, TORCH)])
    assert (found.files, found.held) == ((), (fine,))


def test_rejections_keep_the_order_of_the_operations(test_config: Path) -> None:
    operations = [
        Operation(OpKind.UNSET, C, path=("status",)),
        setting("nobody", "reason", "r"),
        Operation(OpKind.REMOVE, "nobody", TORCH),
    ]
    assert [rejection.op for rejection in plan(test_config, operations).rejected] == operations


def test_an_entry_moves_with_what_was_done_to_it(test_config: Path) -> None:
    operations = [setting(A, "reason", "r"), Operation(OpKind.MOVE, A, to=JAX), setting(A, "required_pcc", 0.9)]
    found = plan(test_config, operations)
    assert found.applied == tuple(operations)
    write(found)
    assert (
        (test_config / JAX)
        .read_text()
        .endswith(f'\n  {A}:\n    status: EXPECTED_PASSING # why\n    reason: "r"\n    required_pcc: 0.9\n')
    )
    assert A not in (test_config / TORCH).read_text()


def test_a_move_is_written_on_both_sides_or_on_none(test_config: Path) -> None:
    move, bad = Operation(OpKind.MOVE, A, to=JAX), Operation(OpKind.REMOVE, "nobody", JAX)
    found = plan(test_config, [move, bad])
    assert found.files == ()
    assert found.held == (move,)


def test_one_marker_is_added_with_no_file_named(test_config: Path) -> None:
    found = plan(test_config, [Operation(OpKind.ADD, A, path=("markers",), value="push")])
    assert found.rejected == ()
    assert "+    markers: [push]\n" in found.diff()


def test_the_schema_of_the_checkout_decides(test_config: Path) -> None:
    schema = Schema()._replace(fields=(*Schema().fields, "brand_new"))
    assert plan(test_config, [setting(A, "brand_new", 1)]).rejected
    assert plan(test_config, [setting(A, "brand_new", 1)], schema).rejected == ()


def test_nothing_is_written_over_a_change_made_meanwhile(test_config: Path) -> None:
    found = plan(test_config, [setting(A, "reason", "r"), setting(C, "reason", "r")])
    (test_config / TORCH).write_text((test_config / TORCH).read_text() + "# mine\n")
    before = contents(test_config)
    with pytest.raises(TTMatrixError, match="changed since it was read"):
        write(found)
    assert contents(test_config) == before
    (test_config / TORCH).unlink()
    with pytest.raises(TTMatrixError, match="changed since it was read"):
        write(found)


def test_undo_puts_every_byte_back(test_config: Path) -> None:
    before = contents(test_config)
    done = plan(test_config, [Operation(OpKind.MOVE, A, to=JAX), Operation(OpKind.REMOVE, B)])
    write(done)
    assert contents(test_config) != before
    back = undo(done)
    write(back)
    assert contents(test_config) == before
    write(undo(back))
    assert contents(test_config) != before


def test_what_was_changed_since_is_not_undone(test_config: Path) -> None:
    done = plan(test_config, [Operation(OpKind.REMOVE, B)])
    with pytest.raises(TTMatrixError, match="changed since it was read"):
        undo(done)
    write(done)
    (test_config / TORCH).unlink()
    with pytest.raises(TTMatrixError, match="changed since it was read"):
        undo(done)


def test_a_write_that_fails_midway_puts_the_others_back(test_config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = plan(test_config, [setting(A, "reason", "r"), setting(C, "reason", "r")])
    before = contents(test_config)

    def full_disk(path: Path, text: str) -> None:
        if path == test_config / TORCH:
            raise TTMatrixError(f"Cannot write {path}", "No space left on device")
        atomic_write(path, text)

    monkeypatch.setattr(module, "atomic_write", full_disk)
    with pytest.raises(TTMatrixError, match="No space left"):
        write(found)
    assert contents(test_config) == before


def test_a_file_that_cannot_be_put_back_is_named(test_config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = plan(test_config, [setting(A, "reason", "r"), setting(C, "reason", "r")])
    written: list[Path] = []

    def failing(path: Path, text: str) -> None:
        if written:
            raise TTMatrixError("Cannot write", "Input/output error")
        written.append(path)
        atomic_write(path, text)

    monkeypatch.setattr(module, "atomic_write", failing)
    with pytest.raises(TTMatrixError) as caught:
        write(found)
    assert caught.value.hint == f"{test_config / JAX} was written already and could not be put back."
