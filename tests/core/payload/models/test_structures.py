# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.models.structures: names of nested leaves."""

import importlib
from collections import UserDict, namedtuple
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, strategies as st

torch = pytest.importorskip("torch")
tensors: Any = importlib.import_module("core.payload.ttmatrix_payload.models.structures")

Pair = namedtuple("Pair", "left right")


@dataclass
class Output:
    logits: Any
    states: Any


@dataclass(init=False)
class Both(UserDict[str, int]):
    """Like the outputs of transformers: a mapping whose keys are also attributes."""

    logits: int

    def __init__(self, logits: int) -> None:
        super().__init__(logits=logits)
        self.logits = logits


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (1, ["tensor"]),
        ([], []),
        ([1, [2, 3]], ["[0]", "[1][0]", "[1][1]"]),
        ({"a": {"b": 1}, "c": [2]}, ["a.b", "c[0]"]),
        (UserDict(x=1), ["x"]),
        (Pair(1, {"k": 2}), ["[0]", "[1].k"]),
        (Output(1, [Output(2, None)]), ["logits", "states[0].logits", "states[0].states"]),
        ({0: "text"}, ["0"]),
    ],
)
def test_every_leaf_has_its_path(value: object, names: list[str]) -> None:
    assert [name for name, _ in tensors.leaves(value)] == names


@pytest.mark.parametrize(
    ("value", "accesses"),
    [
        (1, [""]),
        ([1, [2]], ["[0]", "[1][0]"]),
        ({"a": {'q"': 1}}, ['["a"]["q\\""]']),
        ({0: 1, (1, 2): {"a": 1}}, ["[0]", None]),
        (Output(1, [Output(2, None)]), [".logits", ".states[0].logits", ".states[0].states"]),
        (Both(1), [".logits"]),
    ],
)
def test_every_leaf_can_be_come_to(value: object, accesses: list[str | None]) -> None:
    found = tensors.accesses(value)
    assert found == accesses
    for access, (_, leaf) in zip(found, tensors.leaves(value), strict=True):
        assert access is None or eval(f"value{access}", {"value": value}) is leaf


@given(st.recursive(st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text("ab", min_size=1), inner)))
def test_leaves_are_complete_and_their_paths_differ(value: object) -> None:
    def count(part: object) -> int:
        if isinstance(part, dict):
            return sum(map(count, part.values()))
        return sum(map(count, part)) if isinstance(part, list) else 1

    names = [name for name, _ in tensors.leaves(value)]
    assert len(names) == len(set(names)) == count(value)


def test_a_description_is_data_and_has_an_end() -> None:
    assert tensors.describe({"x": torch.ones(2, 3, dtype=torch.int64)}) == [
        {"name": "x", "type": "Tensor", "dtype": "int64", "shape": [2, 3]}
    ]
    assert len(tensors.describe([0] * (tensors.MAX_LEAVES + 1))) == tensors.MAX_LEAVES
    assert tensors.structure(Output(1, 2))["class"] == "Output"


def test_the_lowest_correlation_is_reported_with_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    rising, falling, flat = torch.arange(3.0), -torch.arange(3.0), torch.ones(3)
    found = tensors.lowest_pcc(
        "outputs", {"a": rising, "b": rising, "c": flat, "d": rising}, {"a": rising, "b": falling, "c": flat}
    )
    assert found == {"value": pytest.approx(-1), "name": "b", "compared": 2, "undefined": 1}
    assert "at b" in capsys.readouterr().out
    assert tensors.lowest_pcc("outputs", {"c": flat}, {"c": flat}) is None
