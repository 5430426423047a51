# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.models.phase: what it says must be what a backward pass does."""

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import core.payload

torch = pytest.importorskip("torch")
_PAYLOAD = str(Path(core.payload.__file__).parent)


@pytest.fixture
def reach(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, Any], dict[str, Any]]:
    monkeypatch.syspath_prepend(_PAYLOAD)
    module: Any = importlib.import_module("core.payload.ttmatrix_payload.models.phase")
    for name in ("core.payload.ttmatrix_payload.models.phase", "core.payload.ttmatrix_payload.models.structures"):
        monkeypatch.delitem(sys.modules, name)
    return module.reach  # type: ignore[no-any-return]


class Net(torch.nn.Module):  # type: ignore[misc, name-defined]
    """Two heads on one stem; one head is split, a part is frozen and one is never used."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = torch.nn.Linear(4, 4)
        self.heads = torch.nn.ModuleDict({"box": torch.nn.Linear(4, 4), "label": torch.nn.Linear(4, 3)})
        self.spare = torch.nn.Linear(2, 2)
        self.frozen = torch.nn.Linear(4, 4).requires_grad_(False)
        self.scale = torch.nn.Parameter(torch.ones(1))

    def forward(self, x: Any) -> Any:
        hidden = torch.relu(self.frozen(self.stem(x)))
        left, right = self.heads["box"](hidden).chunk(2, dim=-1)
        return {
            "label": self.heads["label"](hidden),
            "box": [left, right],
            "hidden": hidden,
            "scale": self.scale,
            "n": 2,
        }


def test_it_says_of_each_leaf_what_its_backward_reaches(reach: Callable[[Any, Any], dict[str, Any]]) -> None:
    model = Net()
    output = model(torch.rand(2, 4))
    told = reach(model, output)
    leaves = [output["label"], *output["box"], output["hidden"], output["scale"]]
    for number, leaf in enumerate(leaves):
        model.zero_grad(set_to_none=True)
        leaf.sum().backward(retain_graph=True)
        expected = sum(one.grad is not None for one in model.parameters())
        assert sum(one["count"] for one in told["groups"] if number in one["leaves"]) == expected
    named = {tuple(one["leaves"]): one["modules"] for one in told["groups"]}
    assert named == {
        (0, 1, 2, 3): ["stem"],
        (1, 2): ["heads.box"],
        (0,): ["heads.label"],
        (): ["spare"],
        (4,): ["scale"],
    }
    assert told["feeds"] == {3: [0, 1, 2]}


def test_an_output_without_gradient_reaches_nothing(reach: Callable[[Any, Any], dict[str, Any]]) -> None:
    model = torch.nn.Linear(2, 2)
    told = reach(model, [torch.ones(1), "text", model(torch.ones(1, 2)).detach()])
    assert [(one["count"], one["leaves"]) for one in told["groups"]] == [(2, [])]
    assert told["feeds"] == {}


def test_deep_graphs_and_many_leaves_are_no_recursion(reach: Callable[[Any, Any], dict[str, Any]]) -> None:
    model = torch.nn.Sequential(*(torch.nn.Linear(2, 2) for _ in range(2000)))
    x, output = torch.rand(1, 2), []
    for layer in model:
        x = layer(x)
        output.append(x)
    told = reach(model, output[-50:])
    assert max(one["count"] for one in told["groups"]) == 2 * 1951
