# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.ops.registry: which function a name means, and what no name can reach."""

import importlib
import operator
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")
registry: Any = importlib.import_module("core.payload.ttmatrix_payload.ops.registry")


def _tensor(*values: float) -> Any:
    return torch.tensor(values, dtype=torch.float32)


@pytest.mark.parametrize(
    ("name", "arguments", "wanted"),
    [
        ("torch.add", (_tensor(1), 2), _tensor(3)),
        ("torch.__eq__", (_tensor(1, 2), _tensor(1, 3)), torch.tensor([True, False])),
        ("torch.and_", (torch.tensor([6]), torch.tensor([3])), torch.tensor([2])),
        ("torch.invert", (torch.tensor([True, False]),), torch.tensor([False, True])),
        ("torch.truediv", (_tensor(3), 2), _tensor(1.5)),
        ("torch.floordiv", (_tensor(3), 2), _tensor(1)),
        ("torch.float", (torch.tensor([1]),), _tensor(1)),
        ("torch.long", (_tensor(1.5),), torch.tensor([1])),
        ("torch.to", (torch.tensor([1]), torch.float32), _tensor(1)),
        ("torch.type_as", (torch.tensor([1]), _tensor(2)), _tensor(1)),
        ("torch.new_ones", (_tensor(5), (2,)), _tensor(1, 1)),
        ("torch.expand_as", (_tensor(5), _tensor(1, 2)), _tensor(5, 5)),
        ("torch.view_as", (torch.ones(2, 2), torch.ones(4)), torch.ones(4)),
        ("torch.index_copy_", (torch.zeros(2), 0, torch.tensor([1]), _tensor(7)), torch.tensor([0.0, 7.0])),
        ("torch.repeat", (_tensor(1), 2), _tensor(1, 1)),
        ("torch.repeat", (_tensor(1), (2,)), _tensor(1, 1)),
        ("torch.permute", (torch.ones(1, 2), 1, 0), torch.ones(2, 1)),
        ("torch.permute", (torch.ones(1, 2), (1, 0)), torch.ones(2, 1)),
        ("torch.reshape", (torch.ones(2, 2), 4, 1), torch.ones(4, 1)),
        ("torch.view", (torch.ones(4), [2, 2]), torch.ones(2, 2)),
        ("torch.contiguous", (torch.ones(1, 2).T,), torch.ones(2, 1)),
        ("torch.getitem", (_tensor(1, 2), (Ellipsis, None)), torch.tensor([[1.0], [2.0]])),
        ("torch.getitem", (torch.eye(2), [torch.tensor([1]), torch.tensor([0])]), _tensor(0)),
        ("torch.ops.aten.view", (torch.ones(4), [2, 2]), torch.ones(2, 2)),
        ("torch.ops.aten.add.Tensor", (_tensor(1), _tensor(2)), _tensor(3)),
        ("torch.nn.functional.relu", (_tensor(-1),), _tensor(0)),
        ("torch.Tensor.mul", (_tensor(3), 2), _tensor(6)),
        ("torch._C._nn.gelu", (_tensor(0.0),), _tensor(0.0)),
        ("torch.Tensor.__rsub__", (_tensor(1), 3), _tensor(2)),
        ("torch.einsum", ("i,i->", _tensor(1, 2), _tensor(3, 4)), torch.tensor(11.0)),
    ],
)
def test_a_name_calls_what_was_recorded_under_it(name: str, arguments: tuple[Any, ...], wanted: Any) -> None:
    assert torch.equal(registry.resolve(name).call(*arguments), wanted)


def test_setitem_writes() -> None:
    value = torch.zeros(2)
    op = registry.resolve("torch.setitem")
    assert op.call(value, 1, 5.0) is None
    assert (op.inplace, value.tolist()) == (True, [0.0, 5.0])


def test_sym_sum_adds_integers() -> None:
    assert registry.resolve("torch.sym_sum").call([1, 2, 3]) == 6


@pytest.mark.parametrize(
    "name",
    [
        "torch.os.system",
        "torch.nn.functional.torch.os.system",
        "torch.load",
        "torch.save",
        "torch.from_file",
        "torch.ops.load_library",
        "torch.ops.aten.from_file",
        "torch.ops.aten.__class__",
        "torch.classes.load_library",
        "torch.hub.load",
        "torch.serialization.load",
        "torch.utils.cpp_extension.load",
        "torch.Tensor.share_memory_",
        "torch.Tensor.__reduce__",
        "torch.nn.functional.importlib",
        "torch.nn.functional.Callable",
        "torch.nn.Module",
        "torch.set_num_threads",
        "torch.manual_seed",
        "torch.ops.aten.warn",
        "os.system",
        "torch",
        "torch.add()",
        "torch.addd",
    ],
)
def test_no_name_reaches_beyond_ops(name: str) -> None:
    with pytest.raises(registry.UnknownOp):
        registry.resolve(name)


def test_a_slip_is_reported_with_what_was_meant() -> None:
    with pytest.raises(registry.UnknownOp, match=r"did you mean torch\.nn\.functional\.softmax\?"):
        registry.resolve("torch.nn.functional.sofmax")


@pytest.mark.parametrize(
    "name", ["torch._C._log_api_usage_once", "torch.amp.autocast_mode._enter_autocast", "torch._functorch.vmap.x"]
)
def test_what_tracers_record_beside_ops_is_no_op(name: str) -> None:
    with pytest.raises(registry.NotAnOp):
        registry.resolve(name)


@pytest.mark.parametrize(
    ("name", "writes"),
    [
        ("torch.add_", True),
        ("torch.ops.aten.add_.Tensor", True),
        ("torch.ops.aten.add.out", False),
        ("torch.Tensor.__iadd__", True),
        ("torch.iadd", True),
        ("torch.and_", False),
        ("torch.or_", False),
        ("torch.invert", False),
        ("torch.__invert__", False),
        ("torch.isnan", False),
        ("torch.Tensor.__setitem__", True),
    ],
)
def test_ops_that_write_are_known_by_their_names(name: str, writes: bool) -> None:
    assert registry.writes(name) is writes


def test_functions_of_torch_win_over_operators_of_the_same_name() -> None:
    assert registry.resolve("torch.mul").call is torch.mul
    assert registry.resolve("torch.truediv").call is operator.truediv


@pytest.mark.parametrize(
    ("name", "host", "elsewhere"),
    [
        ("torch.add", True, True),
        ("torch.empty_like", False, False),
        ("torch.ops.aten.new_empty.default", False, False),
        ("torch.rand_like", True, False),
        ("torch.Tensor.uniform_", True, False),
    ],
)
def test_ops_whose_values_mean_nothing_are_known(name: str, host: bool, elsewhere: bool) -> None:
    assert (registry.has_values(name, host=True), registry.has_values(name, host=False)) == (host, elsewhere)
