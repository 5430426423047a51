# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.pending.recovery."""

from pathlib import Path

import pytest

from core.edits.operations import Operation, OpKind
from core.edits.pending.change import Base, Change
from core.edits.pending.events import WriteEnded, Written
from core.edits.pending.recovery import Found, began, files_of, is_halfway, look, settled, told
from core.edits.planning import EditPlan, plan

TORCH = "torch/test_config_inference_single_device.yaml"
JAX = "jax/test_config_inference_single_device.yaml"
CHANGES = [
    Change((), bases=(Base(TORCH, "a", {}),), id=1),
    Change((), bases=(Base(JAX, "c", {}),), id=2),
    Change((), bases=(Base(JAX, "c", {}),), id=3),
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
    writing = began(planned, (1, 2))
    write(planned, test_config, *files)
    found = look(writing, test_config)
    assert {file for file, what in found.items() if what is Found.WRITTEN} == set(files)
    assert words in told(writing, found)
    assert is_halfway(found) is bool(files)
    expected = {0: WriteEnded(), 1: Written((2,), (JAX,)), 2: Written((1, 2), (JAX, TORCH))}
    assert settled(writing, found, CHANGES) == expected[len(files)]


def test_a_change_of_two_files_is_done_with_the_second(planned: EditPlan, test_config: Path) -> None:
    both = Change((Operation(OpKind.MOVE, "x", to=TORCH),), bases=(Base(JAX, "x", {}),), id=1)
    assert files_of(both) == {JAX, TORCH}
    writing = began(planned, (1,))
    write(planned, test_config, JAX)
    assert settled(writing, look(writing, test_config), [both]) == WriteEnded()
    write(planned, test_config, TORCH)
    assert settled(writing, look(writing, test_config), [both]) == Written((1,), (JAX, TORCH))


def test_what_somebody_changed_since_is_told(planned: EditPlan, test_config: Path) -> None:
    writing = began(planned)
    (test_config / JAX).unlink()
    (test_config / TORCH).write_text("else")
    found = look(writing, test_config)
    assert set(found.values()) == {Found.CHANGED}
    assert "Apply the same operations again" in told(writing, found)
    assert settled(writing, found, CHANGES) == WriteEnded()
