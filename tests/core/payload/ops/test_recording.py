# SPDX-License-Identifier: Apache-2.0
"""A model's ops become cases: with their arguments, as before any change, and with their source line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from core.payload.ttmatrix_payload.ops.cases import Case, DeviceName, DtypeName, FormatName, Manifest, Tensor, Value  # noqa: E402
from core.payload.ttmatrix_payload.ops.load import read_text  # noqa: E402
from core.payload.ttmatrix_payload.ops.reading import Defaults  # noqa: E402
from core.payload.ttmatrix_payload.ops.recorded import MOST_STORED  # noqa: E402
from core.payload.ttmatrix_payload.ops.recording import Recorder  # noqa: E402
from core.payload.ttmatrix_payload.ops.writing import manifest_text  # noqa: E402

F = torch.nn.functional
HERE = Path(__file__).parent


def record(function: Callable[..., Any], *args: Any, level: str = "torch", model: Any = None) -> Recorder:
    recorder = Recorder(level, "float32", HERE)
    with torch.no_grad(), recorder.recording(model):
        function(*args)
    return recorder


def only(function: Callable[..., Any], *args: Any, level: str = "torch") -> Case:
    recorder = record(function, *args, level=level)
    assert not recorder.left_out
    (case,) = recorder.cases()
    return case


def test_shapes_dtypes_and_constants() -> None:
    case = only(lambda x: F.softmax(x, dim=-1, dtype=torch.float16), torch.full((2, 3), -1.0))
    assert (case.op, case.name, case.dtype) == (
        "torch.nn.functional.softmax",
        "torch.nn.functional.softmax.1",
        "float32",
    )
    assert case.inputs == (Tensor((2, 3), "float32", "randn"),)
    assert case.keywords == {"dim": -1, "dtype": DtypeName("float16")}


@pytest.mark.parametrize(
    ("function", "op"),
    [
        (lambda x: x + 1, "torch.add"),
        (lambda x: 2 - x, "torch.__rsub__"),
        (lambda x: x[None, ..., 0:1], "torch.getitem"),
        (lambda x: x.to(torch.float16), "torch.to"),
        (lambda x: x.T, "torch.t"),
        (lambda x: x.mT, "torch.transpose"),
        (lambda x: x.view(-1), "torch.view"),
        (lambda x: x.add_(1), "torch.Tensor.add_"),
        (lambda x: x.where(x > 0, x), "torch.Tensor.where"),
    ],
)
def test_names_are_those_of_manifests(function: Callable[[Any], Any], op: str) -> None:
    assert op in [case.op for case in record(function, torch.ones(2, 3)).cases()]


def test_what_gives_no_tensor_is_no_op() -> None:
    recorder = record(lambda x: (x.shape, x.dim(), x.is_contiguous(), x.dtype, x.sum().item()), torch.ones(2))
    assert [case.op for case in recorder.cases()] == ["torch.sum"]


def test_equal_calls_are_one_case() -> None:
    def twice(x: Any) -> None:
        for _ in range(2):
            torch.relu(x)
        torch.relu(x[:1])

    recorder = record(twice, torch.ones(2))
    first, _, other = recorder.cases()
    assert (first.name, other.name) == ("torch.relu.1", "torch.relu.2")
    assert first.description.endswith("; 2 calls")
    assert "calls" not in other.description
    assert not any("calls" in case.description for case in recorder.cases(counted=False))


def test_a_case_names_its_line_and_its_module() -> None:
    class Inner(torch.nn.Module):  # type: ignore[name-defined, misc]
        def forward(self, x: Any) -> Any:
            return torch.relu(x)

    model = torch.nn.Sequential(torch.nn.Linear(2, 2), Inner())
    linear, relu = record(model, torch.ones(1, 2), model=model).cases()
    assert linear.description.endswith("; module 0")
    assert "in forward, code: return torch.relu(x); module 1" in relu.description
    assert relu.description.startswith(f"{Path(__file__).name}:")


def test_arguments_are_as_they_were_before_the_call() -> None:
    def fill(index: Any) -> None:
        index[0] = 100

    index = torch.tensor([1, 2])
    case = only(fill, index)
    assert case.inputs == (Tensor((2,), "int64", "data", data=[1, 2]), Value(0), Value(100))


def test_large_indices_are_bounded() -> None:
    index = torch.arange(3, 3 + MOST_STORED + 1)
    case = only(lambda one: torch.abs(one), index)
    assert case.inputs == (Tensor((MOST_STORED + 1,), "int64", "randint", {"low": 3, "high": 4 + MOST_STORED}),)


def test_layout_is_that_of_the_tensor() -> None:
    base = -torch.ones(4, 6)
    case = only(torch.abs, base.t()[1:])
    assert case.inputs == (Tensor((5, 4), "float32", "randn", stride=(1, 6), storage_offset=1, contiguous=False),)


def test_tensors_among_keywords_become_positional() -> None:
    x, weight = -torch.ones(2, 3), -torch.ones(3)
    case = only(lambda: F.layer_norm(x, (3,), weight=weight, eps=1e-6))
    assert case.inputs == (Tensor((2, 3), "float32", "randn"), Value((3,)), Tensor((3,), "float32", "randn"))
    assert case.keywords == {"bias": None, "eps": 1e-6}
    query, mask = -torch.ones(1, 1, 2, 4), -torch.ones(1, 1, 2, 2)
    case = only(lambda: F.scaled_dot_product_attention(query, query, query, attn_mask=mask))
    assert case.inputs[3] == Tensor((1, 1, 2, 2), "float32", "randn")


def test_factories_make_their_tensor_on_the_side_that_is_tested() -> None:
    case = only(lambda: torch.arange(3, device="cpu"))
    assert case.keywords == {"device": DeviceName("cuda:0")}


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda x: torch.rand(2), "torch.rand: random or uninitialised values"),
        (lambda x: F.dropout(x, 0.5, True), "torch.nn.functional.dropout: random values in training"),
        (lambda x: x.sum((0, 1)).add(1j), "torch.add: an argument is of type complex"),
        (lambda x: x.to_sparse().to_dense(), "torch.Tensor.to_dense: a tensor is sparse, quantised or nested"),
    ],
)
def test_what_no_case_can_say_is_left_out_with_the_reason(function: Callable[[Any], Any], reason: str) -> None:
    assert reason in record(function, torch.ones(3, 2)).left_out


def test_memory_formats_are_values() -> None:
    case = only(lambda x: x.to(memory_format=torch.contiguous_format), torch.ones(2))
    assert case.keywords == {"memory_format": FormatName("contiguous_format")}


def test_dropout_that_does_nothing_is_a_case() -> None:
    assert only(lambda x: F.dropout(x, 0.5, False), torch.ones(2)).op == "torch.nn.functional.dropout"


def test_below_torch_there_is_aten() -> None:
    recorder = record(lambda x: F.linear(x, torch.ones(4, 3)), torch.ones(2, 3), level="aten")
    assert "torch.ops.aten.mm.default" in [case.op for case in recorder.cases()]


def test_the_same_run_twice_gives_the_same_bytes() -> None:
    def text() -> str:
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.Flatten())
        cases = record(model, torch.randn(1, 3, 5, 5), model=model).cases()
        return manifest_text(Manifest("", "m", tuple(cases)), Defaults(dtype="float32"))

    first = text()
    assert first == text()
    read = read_text(first, "m.yaml")
    assert not read.problems
    assert [case.op for case in read.cases] == [
        "torch.nn.functional.conv2d",
        "torch.nn.functional.relu",
        "torch.flatten",
    ]


def test_recording_leaves_no_hooks() -> None:
    before = len(torch.nn.modules.module._global_forward_hooks)
    with pytest.raises(ValueError, match="broken"):
        record(lambda: (_ for _ in ()).throw(ValueError("broken")))
    assert len(torch.nn.modules.module._global_forward_hooks) == before
