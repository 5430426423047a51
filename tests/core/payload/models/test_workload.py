# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.models.workload: loaders get the arguments that they accept, and models their inputs."""

import importlib
from collections import UserDict
from types import SimpleNamespace
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")
workload: Any = importlib.import_module("core.payload.ttmatrix_payload.models.workload")


def inputs(phase: str = "default", *, training: bool = False, batch_size: int | None = None) -> Any:
    """The arguments with which each method of a loader was called."""
    loader = SimpleNamespace(
        load_inputs=lambda dtype_override=None, batch_size=1: ("default", dtype_override, batch_size),
        load_inputs_decode=lambda batch_size=1: ("decode", batch_size),
        load_inputs_prefill=lambda dtype_override, batch_size, seq_len: ("prefill", batch_size, seq_len),
    )
    asked = {"phase": phase, "training": training, "batch_size": batch_size, "seq_len": 128}
    return workload.load_inputs(loader, torch.bfloat16, **asked)


def test_inputs_are_asked_for_by_phase_and_signature() -> None:
    assert inputs() == ("default", torch.bfloat16, 1)
    assert inputs(training=True) == ("default", torch.bfloat16, 2)
    assert inputs(training=True, batch_size=8) == ("default", torch.bfloat16, 8)
    assert inputs("llm_decode", batch_size=4) == ("decode", 4)
    assert inputs("llm_prefill", batch_size=4) == ("prefill", 4, 128)


def test_a_model_gets_the_dtype_it_takes() -> None:
    takes = SimpleNamespace(load_model=lambda dtype_override=None: dtype_override)
    takes_not = SimpleNamespace(load_model=lambda: "its own")
    assert workload.load_model(takes, torch.bfloat16) is torch.bfloat16
    assert workload.load_model(takes_not, torch.bfloat16) == "its own"


def test_without_a_dtype_nothing_is_said_of_it() -> None:
    said: list[dict[str, Any]] = []
    loader = SimpleNamespace(
        load_model=lambda dtype_override="left out": dtype_override,
        load_inputs=lambda dtype_override="left out": dtype_override,
        load_inputs_prefill=lambda **kwargs: said.append(kwargs),
    )
    asked: dict[str, Any] = {"training": True, "batch_size": None, "seq_len": 128}
    assert workload.load_model(loader, None) == "left out"
    assert workload.load_inputs(loader, None, phase="default", **asked) == "left out"
    workload.load_inputs(loader, None, phase="llm_prefill", **asked)
    assert said == [{"batch_size": 2, "seq_len": 128}]


@pytest.mark.parametrize(
    ("given", "args", "kwargs"),
    [
        (torch.ones(1), [torch.ones(1)], {}),
        ([1, 2], [1, 2], {}),
        ((1,), [1], {}),
        ({"a": 1}, [], {"a": 1}),
        (UserDict(a=1), [], {"a": 1}),
    ],
)
def test_inputs_are_spread_as_the_runner_does(given: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
    assert workload.call_arguments(given) == (args, kwargs)
    assert workload.call(lambda *a, **k: (list(a), k), given) == (args, kwargs)


@pytest.mark.parametrize("given", ["text", 7, None])
def test_other_inputs_are_refused(given: Any) -> None:
    with pytest.raises(TypeError, match=f"load_inputs gave {type(given).__name__}"):
        workload.call_arguments(given)
