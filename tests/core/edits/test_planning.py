# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.planning."""

import errno
import os
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.base.processes import run_command
from core.edits import Operation, OpKind, plan
from core.edits.planning import write, written
from core.sources import Schema

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
    assert not found.blocked
    assert contents(test_config) == before
    assert write(found, test_config) == (test_config / JAX, test_config / TORCH)
    assert (test_config / JAX).read_text() == before[test_config / JAX].decode().replace(
        "EXPECTED_PASSING", "EXCLUDE_MODEL"
    )
    assert plan(test_config, operations).files == ()


def test_git_applies_the_diff(test_config: Path) -> None:
    checkout = test_config.parents[2]
    found = plan(test_config, [setting(A, "reason", "r"), Operation(OpKind.REMOVE, B), setting(C, "reason", "é")])
    done = run_command(["git", "apply", "-"], cwd=checkout, stdin=found.diff())
    assert done.returncode == 0, done.stderr
    assert [(test_config / edit.file).read_text() for edit in found.files] == [edit.after for edit in found.files]
    assert "--- a/x/torch/test_config_inference_single_device.yaml" in found.diff("x/")


def test_a_rejected_operation_holds_its_file_and_no_other(test_config: Path) -> None:
    fine, bad, other = setting(A, "reason", "r"), setting(B, "status", "BOGUS"), setting(C, "reason", "r")
    found = plan(test_config, [fine, bad, other])
    assert [edit.file for edit in found.files] == [JAX]
    assert (found.applied, found.blocked) == ((other,), (fine,))
    assert [rejection.op for rejection in found.rejected] == [bad]
    assert "must be one of EXPECTED_PASSING" in found.rejected[0].why


@pytest.mark.parametrize("first", [Operation(OpKind.REMOVE, A), Operation(OpKind.RENAME, A, to="a/pytorch-Two")])
def test_a_rejected_operation_holds_the_file_that_an_earlier_one_took_its_entry_from(
    test_config: Path, first: Operation
) -> None:
    late = setting(A, "reason", "r")
    found = plan(test_config, [first, late, setting(C, "status", "EXCLUDE_MODEL")])
    assert [rejection.op for rejection in found.rejected] == [late]
    assert [edit.file for edit in found.files] == [JAX]
    assert found.blocked == (first,)


@pytest.mark.parametrize(
    ("operation", "why"),
    [
        (setting("nobody", "reason", "r"), "no file has an entry of this id"),
        (setting(A, "reason", "r", JAX), "the file has no entry of this id"),
        (setting(A, "reason", None), "must not be null"),
        (setting(A, "reason", "r", "../x.yaml"), "not an expectation file"),
        (Operation(OpKind.ADD, C, TORCH, value={"status": "UNSPECIFIED"}), f"is in {JAX} already"),
        (Operation(OpKind.RENAME, A, to=C), f"is in {JAX} already"),
        (Operation(OpKind.MOVE, A, to=TORCH), f"is in {TORCH} already"),
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
    assert (found.files, found.blocked) == ((), (fine,))


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
    write(found, test_config)
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
    assert found.blocked == (move,)


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
        write(found, test_config)
    assert contents(test_config) == before
    (test_config / TORCH).unlink()
    with pytest.raises(TTMatrixError, match="changed since it was read"):
        write(found, test_config)


def failing(monkeypatch: pytest.MonkeyPatch, name: str, path: Path, number: int) -> None:
    """The call `name` of os fails for `path` and for the temporary file that replaces it."""
    call = getattr(os, name)

    def fails(first: object, *more: object, **named: object) -> object:
        about = Path(f"/proc/self/fd/{first}").readlink() if isinstance(first, int) else Path(str((*more, first)[0]))
        if about == path or about.name.startswith(f".{path.name}."):
            raise OSError(number, os.strerror(number))
        return call(first, *more, **named)

    monkeypatch.setattr(os, name, fails)


@pytest.mark.parametrize(("call", "number"), [("fsync", errno.ENOSPC), ("replace", errno.EIO)])
def test_a_write_that_fails_midway_puts_the_others_back(
    test_config: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int
) -> None:
    found = plan(test_config, [setting(A, "reason", "r"), setting(C, "reason", "r")])
    before = contents(test_config)
    inodes = {path: path.stat().st_ino for path in before}
    failing(monkeypatch, call, test_config / TORCH, number)
    with pytest.raises(TTMatrixError, match="Cannot write") as caught:
        write(found, test_config)
    assert (caught.value.detail, caught.value.hint) == (os.strerror(number), "All files are as they were before.")
    assert contents(test_config) == before
    # The identical original files: restoring them took no disk space.
    assert {path: path.stat().st_ino for path in before} == inodes


@pytest.mark.parametrize("directory", ["jax", "torch"])
def test_a_directory_that_cannot_be_synced_leaves_all_as_it_was(
    test_config: Path, monkeypatch: pytest.MonkeyPatch, directory: str
) -> None:
    found = plan(test_config, [setting(A, "reason", "r"), setting(C, "reason", "r")])
    before = contents(test_config)
    failing(monkeypatch, "fsync", test_config / directory, errno.EIO)
    with pytest.raises(TTMatrixError, match="Cannot write") as caught:
        write(found, test_config)
    assert caught.value.hint == "All files are as they were before."
    assert contents(test_config) == before


def test_a_file_that_cannot_be_put_back_is_named(test_config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = plan(test_config, [setting(A, "reason", "r"), setting(C, "reason", "r")])
    old = (test_config / JAX).read_text()
    with pytest.raises(TTMatrixError, match="stop") as caught, written(found, test_config):
        failing(monkeypatch, "replace", test_config / JAX, errno.EROFS)
        raise TTMatrixError("stop")
    words = f"What was written could not be undone: {test_config / JAX}: Read-only file system"
    assert caught.value.hint.startswith(words)
    # And its message is not lost.
    assert Path(caught.value.hint.rpartition(" ")[2]).read_text() == old


def test_what_somebody_else_wrote_meanwhile_stays_and_is_reported(test_config: Path) -> None:
    found = plan(test_config, [setting(A, "reason", "r"), setting(C, "reason", "r")])
    before = contents(test_config)
    with pytest.raises(TTMatrixError, match="stop") as caught, written(found, test_config):
        (test_config / TORCH).write_text("test_config:\n")
        (test_config / JAX).touch()
        raise TTMatrixError("stop")
    assert caught.value.hint == f"What was written could not be undone: {test_config / TORCH} was changed since"
    assert contents(test_config) == {**before, test_config / TORCH: b"test_config:\n"}


def test_an_error_that_is_none_of_ours_says_it_too(test_config: Path) -> None:
    found = plan(test_config, [setting(A, "reason", "r")])
    with pytest.raises(TTMatrixError, match="not as they were before") as caught, written(found, test_config):
        (test_config / TORCH).unlink()
        raise KeyError
    assert caught.value.detail.endswith("was removed since")


def test_a_file_that_changes_while_the_write_is_prepared_is_not_replaced(
    test_config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = plan(test_config, [setting(A, "reason", "r")])
    sync = os.fsync

    def meanwhile(descriptor: int) -> None:
        (test_config / TORCH).write_text("mine")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", meanwhile)
    with pytest.raises(TTMatrixError, match="changed since it was read"):
        write(found, test_config)
    assert (test_config / TORCH).read_text() == "mine"


def test_the_old_files_wait_aside(test_config: Path, tmp_path: Path) -> None:
    found = plan(test_config, [setting(A, "reason", "r")])
    before = contents(test_config)
    (tmp_path / "aside").mkdir()
    with pytest.raises(KeyError), written(found, test_config, tmp_path / "aside"):
        assert contents(test_config).keys() == before.keys()
        assert [one.read_bytes() for one in (tmp_path / "aside").iterdir()] == [before[test_config / TORCH]]
        raise KeyError
    assert contents(test_config) == before
    assert list((tmp_path / "aside").iterdir()) == []
