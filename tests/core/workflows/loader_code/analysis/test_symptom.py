# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.analysis.symptom: what a phase and its traceback point to."""

from typing import Any

import pytest

from core.workflows.loader_code.analysis import Followed, Symptom, path_of
from tests.support.loader_code import tensor

LOG = """===== BFLOAT16 =====
Traceback (most recent call last):
  File "/c/tt_forge_models/fusion/pytorch/loader.py", line 40, in load_inputs
    x[mask] = row
  File "/c/tt_forge_models/fusion/pytorch/src/model.py", line 9, in forward
    return self.head(row)
RuntimeError: mat1 and mat2 must have the same dtype, but got Float and BFloat16
===== FLOAT32 =====
Traceback (most recent call last):
  File "/c/tt_forge_models/fusion/pytorch/loader.py", line 99, in load_inputs
"""


def phase(*inputs: dict[str, Any], dtype: str = "bfloat16") -> dict[str, Any]:
    return {"dtype": dtype, "error": "mat1 and mat2 must have the same dtype", "inputs": list(inputs)}


def test_lines_of_the_loader_in_the_first_phase() -> None:
    assert Symptom.of_phase(phase(), LOG, "fusion/pytorch/loader.py").lines == (40,)


def test_float32_inputs() -> None:
    found = Symptom.of_phase(
        phase(tensor("a", "float32", 1), tensor("b", "bfloat16", 1), tensor("c", "int64", 1)), "", "x"
    )
    assert found.leaves == ("a",)


def test_of_several_the_one_that_the_traceback_names() -> None:
    found = Symptom.of_phase(phase(tensor("image", "float32", 1), tensor("row", "float32", 1)), LOG, "x")
    assert found.leaves == ("row",)
    unnamed = Symptom.of_phase(phase(tensor("[0]", "float32", 1), tensor("[1]", "float32", 1)), LOG, "x")
    assert unnamed.leaves == ("[0]", "[1]")


def test_in_float32_nothing_is_wrong() -> None:
    assert Symptom.of_phase(phase(tensor("a", "float32", 1), dtype="float32"), "", "x").leaves == ()


def test_inputs_that_no_cast_may_reach() -> None:
    none = {"name": "c", "type": "NoneType", "dtype": None, "shape": None}
    found = Symptom.of_phase(phase(tensor("a", "float32", 1), tensor("b", "int64", 1), none), "", "x")
    assert found.others == (("b", Followed.OTHER_TENSOR), ("c", Followed.NO_TENSOR))


@pytest.mark.parametrize(
    ("weights", "all_of_it", "part"),
    [({"float32": 3}, True, True), ({"float32": 1, "bfloat16": 2}, False, True), ({"bfloat16": 3}, False, False)],
)
def test_a_model_that_does_not_follow(weights: dict[str, int], all_of_it: bool, part: bool) -> None:
    found = Symptom.of_phase({**phase(), "weights": weights}, "", "x")
    assert (found.all_of_the_model, found.part_of_the_model) == (all_of_it, part)
    in_full = Symptom.of_phase({**phase(dtype="float32"), "weights": weights}, "", "x")
    assert (in_full.all_of_the_model, in_full.part_of_the_model) == (False, False)


@pytest.mark.parametrize(
    ("leaf", "path"),
    [("tensor", ()), ("row", ("row",)), ("[0]", (0,)), ("targets[0].boxes", ("targets", 0, "boxes"))],
)
def test_paths(leaf: str, path: tuple[str | int, ...]) -> None:
    assert path_of(leaf) == path
