# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.execute.accumulate: the same sums, whatever the order of narrow additions."""

import importlib
import subprocess
from typing import Any

import pytest

from core.runs.planning.kinds import PAYLOAD
from tests.support.models import xla_python

torch: Any = pytest.importorskip("torch")
WideSums: Any = importlib.import_module("core.payload.ttmatrix_payload.execute.accumulate").WideSums


@pytest.mark.parametrize("reduce", ["sum", "mean"])
@pytest.mark.parametrize("dims", [None, (0, 2)])
def test_sums_are_made_in_float32(reduce: str, dims: tuple[int, ...] | None) -> None:
    values = torch.randn(40, 3, 50).to(torch.bfloat16)
    arguments = () if dims is None else (dims,)
    with WideSums():
        narrow = getattr(values, reduce)(*arguments)
    assert narrow.dtype == torch.bfloat16
    assert torch.equal(narrow, getattr(values.float(), reduce)(*arguments).to(torch.bfloat16))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_a_convolution_has_the_gradients_it_had(dtype: Any) -> None:
    torch.manual_seed(0)
    layer, image = torch.nn.Conv2d(3, 4, 3).to(dtype), torch.randn(2, 3, 9, 9).to(dtype)
    layer(image).square().sum().backward()
    expected = [parameter.grad.clone() for parameter in layer.parameters()]
    layer.zero_grad()
    with WideSums():
        layer(image).square().sum().backward()
    for parameter, gradient in zip(layer.parameters(), expected, strict=True):
        torch.testing.assert_close(parameter.grad, gradient, rtol=0.02, atol=0.02)


def test_other_dtypes_are_left_alone() -> None:
    with WideSums():
        assert torch.ones(3, dtype=torch.int64).sum().dtype == torch.int64
        assert torch.ones(3, dtype=torch.bfloat16).sum(dtype=torch.float32).dtype == torch.float32


WRITES = """
import sys
sys.path.insert(0, sys.argv[1])
import torch
from ttmatrix_payload.execute import Settings, choose_backend

def written(device, there):
    made = torch.full((2, 3), 7.0, device=device)
    made[:, 1] = there[:, 0]
    moved = torch.zeros(2, 3).to(device)
    moved[0].add_(there[1])
    alike = torch.zeros_like(there)
    alike[1:, :2] = made[:1, :2]
    return torch.cat((made, moved, alike)).cpu()

backend = choose_backend("xla")
backend.start(Settings())
there = torch.arange(6.0).view(3, 2).repeat(1, 2)[:2, :3]
with backend.numerics():
    ours = written(backend.device(), there.to(backend.device()))
print((ours - written("cpu", there)).abs().max().item())
"""


@pytest.mark.xla
def test_what_is_written_to_a_part_of_a_tensor_is_in_the_whole_on_xla() -> None:
    words = [str(xla_python()), "-c", WRITES, str(PAYLOAD)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.stdout == "0.0\n", done.stderr
