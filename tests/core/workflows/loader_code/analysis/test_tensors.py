# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.analysis.tensors: what calls do to the dtype, against torch itself."""

import libcst as cst
import pytest
import torch

from core.workflows.loader_code.analysis import Made, made_by
from core.workflows.loader_code.analysis.tensors import (
    JOINING_FUNCTIONS,
    SHAPE_FUNCTIONS,
    SHAPE_METHODS,
    alike_source,
    cast_by_name,
    constructor_name,
    dtype_argument,
    written_dtype,
)


def call(text: str) -> cst.Call:
    node = cst.parse_expression(text)
    assert isinstance(node, cst.Call)
    return node


@pytest.mark.parametrize(
    "text",
    [
        "torch.zeros(2)",
        "torch.rand(2, 3)",
        "torch.eye(3)",
        "torch.linspace(0, 1, 3)",
        "torch.full((2,), 0.5)",
        "torch.full((2,), fill_value=1.5)",
        "torch.tensor([1.0, 2])",
        "torch.tensor([1 / 2])",
        "torch.arange(0.0, 3)",
        "torch.full((2,), 7)",
        "torch.full(size=(2,), fill_value=7)",
        "torch.tensor([[1, 2], [3, 4]])",
        "torch.tensor([True])",
        "torch.arange(5)",
        "torch.randint(0, 3, (2,))",
        "torch.randperm(4)",
    ],
)
def test_constructors_make_what_torch_makes(text: str) -> None:
    made: torch.Tensor = eval(text)
    wanted = Made.FLOATS if made.is_floating_point() else Made.INTEGERS
    assert made_by(call(text)) is wanted
    if wanted is Made.FLOATS:
        told: torch.Tensor = eval(text.removesuffix(")") + ", dtype=torch.bfloat16)")
        untold: torch.Tensor = eval(text.removesuffix(")") + ", dtype=None)")
        assert told.dtype == torch.bfloat16 and untold.dtype == torch.float32


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("torch.zeros(2, dtype=torch.long)", Made.INTEGERS),
        ("torch.zeros(2, dtype=torch.float32)", Made.EXPLICIT),
        ("torch.zeros(2, dtype=dtype)", Made.DTYPED),
        ("torch.zeros(2, dtype=None)", Made.FLOATS),
        ("torch.as_tensor(x, torch.int64)", Made.INTEGERS),
        ("torch.as_tensor(x)", Made.FLOATS),
        ("torch.zeros_like(x)", Made.ALIKE),
        ("x.new_zeros(2)", Made.ALIKE),
        ("torch.tensor(x[0])", Made.FLOATS),
        ("torch.tensor(f(1))", Made.FLOATS),
        ("torch.zeros(2, **options)", None),
        ("torch.from_numpy(x)", None),
        ("np.zeros(2)", None),
        ("zeros(2)", None),
    ],
)
def test_what_is_made(text: str, made: Made | None) -> None:
    assert made_by(call(text)) is made


def test_words_are_torch_s() -> None:
    one = torch.ones(2, 2)
    for name in SHAPE_METHODS - {"copy"}:
        assert hasattr(one, name), name
    for name in SHAPE_FUNCTIONS | JOINING_FUNCTIONS:
        assert hasattr(torch, name), name


@pytest.mark.parametrize("name", ["float", "double", "bfloat16", "long", "bool", "argmax"])
def test_casts_by_name(name: str) -> None:
    floats = getattr(torch.ones(2), name)().is_floating_point()
    assert cast_by_name(name) is (Made.EXPLICIT if floats else Made.INTEGERS)
    assert cast_by_name("view") is None


def test_parts_of_calls() -> None:
    assert constructor_name(call("x.new_ones(1)")) == "new_ones"
    source = alike_source(call("torch.ones_like(x)"))
    assert isinstance(source, cst.Name) and source.value == "x"
    assert alike_source(call("torch.ones_like(input=x)")) is None
    assert dtype_argument(call("torch.zeros(1)")) is None
    assert written_dtype(cst.parse_expression("torch.float32")) is Made.EXPLICIT
    assert written_dtype(cst.parse_expression("torch.uint8")) is Made.INTEGERS
    assert written_dtype(cst.parse_expression("np.float32")) is written_dtype(cst.parse_expression("f()")) is None
