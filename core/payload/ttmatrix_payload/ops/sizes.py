# SPDX-License-Identifier: Apache-2.0
"""Estimate the memory of a case from its shapes, before anything is allocated."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from .cases import Argument, Case, DtypeName, Tensor, Value
from .dtypes import BYTES
from .tensor_keys import storage_elements

_COPIES = 3
"""Copies of each input: the built one, one for the reference, one for the tested side."""
_SIDES = 2
"""Results: one per side."""
_PRODUCTS = frozenset({"matmul", "mm", "bmm", "__matmul__", "linear", "addmm", "baddbmm"})
_SIZED = frozenset(
    {"zeros", "ones", "empty", "full", "rand", "randn", "new_zeros", "new_ones", "new_empty", "new_full", "expand"}
)
"""Ops whose result size is given by their whole-number arguments."""
_CONVOLUTIONS = frozenset({"conv1d", "conv2d", "conv3d", "convolution"})
_MULTIPLIED = frozenset({"repeat", "tile"})


def estimate(case: Case) -> int:
    """Minimum bytes for building a case and running both sides, by its shapes. Workspaces are not included."""
    tensors = list(tensors_of(case))
    inputs = sum(storage_bytes(tensor) for tensor in tensors)
    return inputs * _COPIES + _result_elements(case, tensors) * _width(case, tensors) * _SIDES


def tensors_of(case: Case) -> Iterator[Tensor]:
    """The tensors of a case, including those in lists."""
    for argument in case.inputs:
        yield from _tensors(argument)


def _tensors(argument: Argument) -> Iterator[Tensor]:
    if isinstance(argument, Tensor):
        yield argument
    elif not isinstance(argument, Value):
        yield from argument


def storage_bytes(tensor: Tensor) -> int:
    """Bytes of the storage behind a tensor; 0 for a tensor read from a file."""
    if not tensor.dtype:
        return 0
    elements = storage_elements(tensor.shape, tensor.stride, tensor.storage_offset)
    if tensor.preset:
        elements = max(elements, _base_elements(tensor))
    return elements * BYTES[tensor.dtype]


def _base_elements(tensor: Tensor) -> int:
    if tensor.base_shape is not None:
        return math.prod(tensor.base_shape)
    step = tensor.preset_args.get("step", 1)
    return math.prod(tensor.shape) * (step if isinstance(step, int) else 1)


def _width(case: Case, tensors: list[Tensor]) -> int:
    """Bytes per element of the result."""
    said = case.keywords.get("dtype")
    if isinstance(said, DtypeName):
        return BYTES[said.name]
    return max((BYTES[tensor.dtype] for tensor in tensors if tensor.dtype), default=BYTES[case.dtype])


def _result_elements(case: Case, tensors: list[Tensor]) -> int:
    name = case.op.rpartition(".")[2]
    shapes = [tensor.shape for tensor in tensors]
    largest = max((math.prod(shape) for shape in shapes), default=0)
    if name in _PRODUCTS and len(shapes) >= 2:
        return _product(name, shapes)
    if name in _CONVOLUTIONS and len(shapes) >= 2:
        return _convolution(case, shapes)
    if name == "embedding" and len(shapes) >= 2:
        return _embedding(shapes)
    if name in _MULTIPLIED:
        return math.prod(_sizes(case)) * (math.prod(shapes[0]) if shapes else 1)
    if name in _SIZED:
        return max(largest if name == "expand" else 0, math.prod(_sizes(case)))
    if name in ("cat", "concat", "stack"):
        return sum(map(math.prod, shapes))
    return max(largest, _broadcast(shapes))


def _product(name: str, shapes: list[tuple[int, ...]]) -> int:
    left, right = shapes[-2:] if name in ("addmm", "baddbmm") else shapes[:2]
    if not left or not right:
        return 0
    if name == "linear":
        return math.prod(left[:-1]) * (right[0] if len(right) > 1 else 1)
    batch = _broadcast([left[:-2], right[:-2]])
    return batch * (left[-2] if len(left) > 1 else 1) * (right[-1] if len(right) > 1 else 1)


def _convolution(case: Case, shapes: list[tuple[int, ...]]) -> int:
    """Result elements without padding, which would enlarge it; for a transposed one, the elements of its input."""
    image, weight = shapes[:2]
    strides = case.inputs[3] if len(case.inputs) > 3 else case.keywords.get("stride", 1)
    if isinstance(strides, Value):
        strides = strides.value
    if len(image) != len(weight) or len(image) < 3 or _is_transposed(case):
        return math.prod(image)
    steps = strides if isinstance(strides, (list, tuple)) else [strides] * (len(image) - 2)
    places = [
        (size - kernel) // step + 1 if isinstance(step, int) and step > 0 else 1
        for size, kernel, step in zip(image[2:], weight[2:], steps, strict=False)
    ]
    return image[0] * weight[0] * math.prod(max(0, one) for one in places)


def _is_transposed(case: Case) -> bool:
    """Whether aten's `convolution` is transposed: its seventh argument says so."""
    said = case.inputs[6].value if len(case.inputs) > 6 and isinstance(case.inputs[6], Value) else False
    return said is True or case.keywords.get("transposed") is True


def _embedding(shapes: list[tuple[int, ...]]) -> int:
    # The functional form has the indices first, aten's has the weight first.
    indices, weight = (shapes[0], shapes[1]) if len(shapes[1]) == 2 else (shapes[1], shapes[0])
    return math.prod(indices) * (weight[-1] if weight else 1)


def _sizes(case: Case) -> list[int]:
    """The whole numbers among the arguments that are not tensors."""
    found: list[int] = []
    sources = [one.value for one in case.inputs if isinstance(one, Value)]
    if case.op.endswith("full"):
        # The second argument is the fill value of the result.
        del sources[1:]
    keywords: Mapping[str, object] = case.keywords
    sources.extend(keywords[name] for name in ("size", "sizes", "repeats", "dims") if name in keywords)
    for value in sources:
        listed = value if isinstance(value, (list, tuple)) else [value]
        found.extend(one for one in listed if type(one) is int and one > 0)
    return found or [0]


def _broadcast(shapes: list[tuple[int, ...]]) -> int:
    """Number of elements of the broadcast shape; 0 if the shapes cannot be broadcast."""
    rank = max(map(len, shapes), default=0)
    aligned = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    if not shapes or any(len({*sizes} - {1}) > 1 for sizes in zip(*aligned, strict=True)):
        return 0
    return math.prod(0 if 0 in sizes else max(sizes) for sizes in zip(*aligned, strict=True))
