# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.pending.recovery."""

from pathlib import Path

import pytest

from core.edits import EditPlan, Operation, OpKind, plan
from core.edits.pending import BaseEntry, Change
from core.edits.pending.events import WriteAbandoned, WriteDone
from core.edits.pending.recovery import (
    Found,
    files_of,
    found_in_files,
    is_halfway,
    recovery_notice,
    write_began,
    write_outcome,
)

TORCH = "torch/test_config_inference_single_device.yaml"
JAX = "jax/test_config_inference_single_device.yaml"
CHANGES = [
    Change((), bases=(BaseEntry(TORCH, "a", {}),), id=1),
    Change((), bases=(BaseEntry(JAX, "c", {}),), id=2),
    Change((), bases=(BaseEntry(JAX, "c", {}),), id=3),
]


@pytest.fixture
def planned(test_config: Path) -> EditPlan:
    ids = ("a/pytorch-One-single_device-inference", "c/jax-single_device-inference")
    return plan(test_config, [Operation(OpKind.SET, id, path=("reason",), value="r") for id in ids])


def write(planned: EditPlan, test_config: Path, *files: str) -> None:
    for edit in planned.files:
        if edit.file in files:
            (test_config / edit.file).write_text(edit.after)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ((), "nothing is written. What is not written is still accepted"),
        ((JAX,), f"halfway. {JAX}: written; {TORCH}: not written. What is not written is still accepted"),
        ((JAX, TORCH), "everything is written"),
    ],
)
def test_each_file_is_known_by_its_text(
    planned: EditPlan, test_config: Path, files: tuple[str, ...], words: str
) -> None:
    writing = write_began(planned, (1, 2))
    write(planned, test_config, *files)
    found = found_in_files(writing, test_config)
    assert {file for file, what in found.items() if what is Found.WRITTEN} == set(files)
    assert words in recovery_notice(writing, found)
    assert is_halfway(found) is bool(files)
    expected = {0: WriteAbandoned(), 1: WriteDone((2,), (JAX,)), 2: WriteDone((1, 2), (JAX, TORCH))}
    assert write_outcome(writing, found, CHANGES) == expected[len(files)]


def test_a_change_of_two_files_is_done_with_the_second(planned: EditPlan, test_config: Path) -> None:
    both = Change((Operation(OpKind.MOVE, "x", to=TORCH),), bases=(BaseEntry(JAX, "x", {}),), id=1)
    assert files_of(both) == {JAX, TORCH}
    writing = write_began(planned, (1,))
    write(planned, test_config, JAX)
    assert write_outcome(writing, found_in_files(writing, test_config), [both]) == WriteAbandoned()
    write(planned, test_config, TORCH)
    assert write_outcome(writing, found_in_files(writing, test_config), [both]) == WriteDone((1,), (JAX, TORCH))


def test_what_somebody_changed_since_is_reported(planned: EditPlan, test_config: Path) -> None:
    writing = write_began(planned)
    (test_config / JAX).unlink()
    (test_config / TORCH).write_text("else")
    found = found_in_files(writing, test_config)
    assert set(found.values()) == {Found.CHANGED}
    assert "Apply the same operations again" in recovery_notice(writing, found)
    assert write_outcome(writing, found, CHANGES) == WriteAbandoned()
