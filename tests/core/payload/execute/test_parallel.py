# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.execute.parallel: batches for several devices, and what a loader must say to be spread."""

import importlib
from types import SimpleNamespace
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")
parallel: Any = importlib.import_module("core.payload.ttmatrix_payload.execute.parallel")
Settings: Any = importlib.import_module("core.payload.ttmatrix_payload.execute").Settings


def test_inputs_are_repeated_for_each_device() -> None:
    batched = parallel.batched({"image": torch.ones(1, 3), "row": torch.ones(3), "one": torch.tensor(1), "n": 5}, 4)
    shapes = {name: list(value.shape) for name, value in batched.items() if isinstance(value, torch.Tensor)}
    assert shapes == {"image": [4, 3], "row": [4, 3], "one": [4]}
    assert batched["n"] == 5
    assert [list(value.shape) for value in parallel.batched((torch.ones(2, 3),), 2)] == [[4, 3]]
    assert parallel.batched(torch.tensor([[1], [2]]), 2).flatten().tolist() == [1, 1, 2, 2]


def sharding(monkeypatch: pytest.MonkeyPatch, loader: Any, **asked: Any) -> Any:
    monkeypatch.setattr(parallel, "_make_mesh", lambda shape, names: (shape, names))
    return parallel.Sharding(loader, Settings(**asked), 8)


@pytest.mark.parametrize(
    ("asked", "mesh"),
    [
        ({"parallelism": "data_parallel"}, ((1, 8), ("model", "data"))),
        ({"parallelism": "tensor_parallel"}, ((2, 4), ("x", "y"))),
        ({"parallelism": "tensor_parallel", "mesh": (1, 8)}, ((1, 8), ("batch", "model"))),
        ({"parallelism": "tensor_parallel", "mesh": (4, 2), "shard_inputs": True}, ((4, 2), ("data", "model"))),
    ],
)
def test_the_mesh_is_that_of_the_id_or_of_the_loader(
    monkeypatch: pytest.MonkeyPatch, asked: dict[str, Any], mesh: Any
) -> None:
    loader = SimpleNamespace(get_mesh_config=lambda _: ((2, 4), ("x", "y")))
    assert sharding(monkeypatch, loader, **asked).mesh == mesh


def test_a_strategy_reaches_the_loader(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {"parallelism": "tensor_parallel", "mesh": (2, 4), "strategy": "fsdp"}
    loader = SimpleNamespace(load_shard_spec=lambda model, **options: {model: options})
    assert sharding(monkeypatch, loader, **asked).model_spec("m") == {"m": {"strategy": "fsdp", "batch_axis": "batch"}}
    spread = sharding(monkeypatch, loader, **asked, shard_inputs=True)
    assert spread.model_spec("m")["m"]["batch_axis"] == "data"


def test_a_loader_that_cannot_be_spread_says_what_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="get_mesh_config"):
        sharding(monkeypatch, SimpleNamespace(get_mesh_config=lambda _: (None, ())), parallelism="tensor_parallel")
    silent = SimpleNamespace(load_shard_spec=lambda _: None)
    with pytest.raises(ValueError, match="load_shard_spec"):
        sharding(monkeypatch, silent, parallelism="tensor_parallel", mesh=(2, 4)).model_spec("m")
