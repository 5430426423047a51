# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.execute.placing: whole structures move, and shared tensors stay shared."""

import importlib
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")
placing: Any = importlib.import_module("core.payload.ttmatrix_payload.execute.placing")

CPU, META = torch.device("cpu"), torch.device("meta")


class Cache:
    def __init__(self, keys: Any) -> None:
        self.keys = keys


def test_tensors_move_however_deep_they_are() -> None:
    moved = placing.copied({"a": [torch.ones(2), Cache(torch.ones(3))], "b": ("text", 1)}, META)
    assert moved["a"][0].device == META
    assert moved["a"][1].keys.device == META
    assert moved["b"] == ("text", 1)


def test_one_tensor_in_two_places_stays_one() -> None:
    tensor = torch.ones(2)
    one, other = placing.copied([tensor, tensor], META)
    assert one is other


def test_a_copy_can_be_written_to() -> None:
    original = torch.ones(2, requires_grad=True)
    copy = placing.copied(original * 2, CPU)
    copy += 1
    assert original.tolist() == [1, 1]
    assert placing.copied(original, CPU).requires_grad


def test_parameters_that_are_tied_stay_tied() -> None:
    """`Module.to` alone separates them on any device with another kind of tensors."""
    model = torch.nn.ModuleDict({"embed": torch.nn.Linear(2, 2), "inner": torch.nn.ModuleDict()})
    model["inner"]["head"] = torch.nn.Linear(2, 2)
    model["inner"]["head"].weight = model["embed"].weight
    placed = placing.place_model(model, META)
    assert placed["inner"]["head"].weight is placed["embed"].weight
    assert placed["embed"].weight.device == META
    assert len(list(placed.parameters())) == 3
