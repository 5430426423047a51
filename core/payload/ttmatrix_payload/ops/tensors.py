# SPDX-License-Identifier: Apache-2.0
"""Build the arguments of a case on the CPU: the same values for the same seed, independent of earlier cases.

Each tensor has a generator of its own. Input `i` is drawn with `seed + 1000 * i`, item `j` of a list of tensors with
`j` added; torch's global generator is neither read nor advanced.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import torch

from .cases import Case, Tensor, Value
from .files import Place, load_tensor
from .tensor_keys import storage_elements

RULE = 1
"""Version of the rule that derives values from a seed; increased with any change.

1: values are drawn in float32, CHUNK at a time, and rounded to the dtype of the tensor; those of float64 are drawn in
it. (What torch draws in 16 bits differs between its versions: 2.9 and 2.13 agree on no value.) `rand` is rounded down,
and so stays below 1. With strides, or with an offset, the whole memory behind the tensor is drawn, in its order.
"""

CHUNK = 1 << 15
"""Values drawn at a time: they fit into the cache, and are too few for torch to use other threads."""

_DROPPED = {torch.float16: 13, torch.bfloat16: 16, torch.float8_e4m3fn: 20, torch.float8_e5m2: 21}
"""Low bits of a float32 that the dtype lacks."""


class BuildError(Exception):
    """A tensor cannot be built as described; the text says why."""


class Arguments(NamedTuple):
    """The arguments of an op. Devices in it are still names, because each side has its own."""

    positional: list[Any]
    keywords: dict[str, Any]


def build_arguments(case: Case, place: Place) -> Arguments:
    """The arguments of `case`. Raises BuildError."""
    positional: list[Any] = []
    for index, argument in enumerate(case.inputs):
        seed = case.seed + 1000 * index
        if isinstance(argument, Tensor):
            positional.append(build(argument, seed, place))
        elif isinstance(argument, Value):
            positional.append(argument.value)
        else:
            positional.append([build(one, seed + item, place) for item, one in enumerate(argument)])
    return Arguments(positional, dict(case.keywords))


def dtype_of(name: str) -> torch.dtype:
    """The dtype that torch calls `name`. Raises BuildError."""
    found = getattr(torch, name, None)
    if not isinstance(found, torch.dtype):
        raise BuildError(f"torch {torch.__version__} has no dtype {name}")
    return found


def build(tensor: Tensor, seed: int, place: Place) -> torch.Tensor:
    """One tensor on the CPU. Raises BuildError."""
    try:
        if not tensor.dtype:
            # A file alone: shape and dtype are those in the file.
            return load_tensor(place, tensor.file, tensor.key)
        source = _Source(tensor, dtype_of(tensor.dtype), torch.Generator().manual_seed(seed % 2**63), place)
        if tensor.preset:
            built = _preset(source)
        elif tensor.stride is not None or tensor.storage_offset:
            built = _strided(source)
        else:
            built = source.values(tensor.shape)
        return built.contiguous() if tensor.contiguous else built
    except (RuntimeError, ValueError, TypeError, MemoryError, OverflowError, OSError) as error:
        raise BuildError(f"cannot build {_named(tensor)}: {error or type(error).__name__}") from error


class _Source(NamedTuple):
    """The source of a tensor's values."""

    tensor: Tensor
    dtype: torch.dtype
    generator: torch.Generator
    place: Place

    def values(self, shape: Sequence[int]) -> torch.Tensor:
        """Values in this shape, contiguous."""
        positional = _POSITIONAL.get(self.tensor.init)
        if positional is not None:
            return positional(self, shape)
        return self.memory(math.prod(shape), shape).view(tuple(shape))

    def memory(self, count: int, shape: Sequence[int]) -> torch.Tensor:
        """`count` consecutive values; `shape` is the shape of the tensor they are for."""
        init = self.tensor.init
        if init not in _FILLS:
            raise ValueError(f"there is no init {init}")
        return _FILLS[init](self, count, shape)

    def argument(self, name: str, default: float | None = None) -> float:
        """A number of `init_args`."""
        found = self.tensor.init_args.get(name, default)
        if not isinstance(found, (int, float)) or isinstance(found, bool):
            raise ValueError(f"init {self.tensor.init} needs init_args.{name}, a number")
        return found


def _strided(source: _Source) -> torch.Tensor:
    """A tensor with strides: its memory is filled, not the view, so that elements that share memory are as drawn."""
    tensor = source.tensor
    stride = tensor.stride if tensor.stride is not None else _contiguous_stride(tensor.shape)
    if len(stride) != len(tensor.shape) or any(one < 0 for one in stride) or tensor.storage_offset < 0:
        raise ValueError(f"a stride of {list(stride)} does not go with a shape of {list(tensor.shape)}")
    count = storage_elements(tensor.shape, stride, tensor.storage_offset)
    if tensor.init not in _POSITIONAL:
        return source.memory(count, tensor.shape).as_strided(tensor.shape, stride, tensor.storage_offset)
    values = source.values(tensor.shape)
    view = torch.zeros(count, dtype=source.dtype).as_strided(tensor.shape, stride, tensor.storage_offset)
    if view.numel() and not _disjoint(tensor.shape, stride):
        raise ValueError(f"init {tensor.init} cannot fill a layout whose elements share memory")
    return view.copy_(values)


def _disjoint(shape: Sequence[int], stride: Sequence[int]) -> bool:
    """Whether no two elements share memory; unusual layouts count as if some did."""
    reach = 0
    for step, size in sorted((step, size) for step, size in zip(stride, shape, strict=True) if size > 1):
        if step <= reach:
            return False
        reach += step * (size - 1)
    return True


def _contiguous_stride(shape: Sequence[int]) -> tuple[int, ...]:
    return tuple(math.prod(max(size, 1) for size in shape[index + 1 :]) for index in range(len(shape)))


def _preset(source: _Source) -> torch.Tensor:
    """A view of a tensor that is built for it."""
    tensor = source.tensor
    if tensor.preset not in _PRESETS:
        raise ValueError(f"there is no preset {tensor.preset}; there are {', '.join(_PRESETS)}")
    derived, view = _PRESETS[tensor.preset](tensor)
    built = view(source.values(derived if tensor.base_shape is None else tensor.base_shape))
    if tuple(built.shape) != tensor.shape:
        raise ValueError(f"the preset gives a shape of {list(built.shape)}, not {list(tensor.shape)}")
    return built


View = tuple[tuple[int, ...], Callable[[torch.Tensor], torch.Tensor]]
"""The shape of the base tensor, and the function that makes the view."""


def _noncontig_slice(tensor: Tensor) -> View:
    rank = len(tensor.shape)
    dim, step = _integer(tensor, "dim", 1 if rank > 1 else 0), _integer(tensor, "step", 2)
    if not -rank <= dim < rank or step < 1:
        raise ValueError(f"no dimension {dim} in steps of {step} in a shape of {list(tensor.shape)}")
    dim %= rank
    base = tuple(size * step if index == dim else size for index, size in enumerate(tensor.shape))
    index = tuple(slice(None, None, step) if one == dim else slice(None) for one in range(rank))
    return base, lambda built: built[index]


def _transpose_view(tensor: Tensor) -> View:
    rank = len(tensor.shape)
    one, other = _integer(tensor, "dim0", 0), _integer(tensor, "dim1", 1)
    if not (-rank <= one < rank and -rank <= other < rank):
        raise ValueError(f"no dimensions {one} and {other} in a shape of {list(tensor.shape)}")
    base = list(tensor.shape)
    base[one], base[other] = base[other], base[one]
    return tuple(base), lambda built: built.transpose(one, other)


def _expand_view0(tensor: Tensor) -> View:
    if tensor.base_shape is None:
        raise ValueError("the preset expand_view0 needs base_shape")
    return tensor.base_shape, lambda built: built.expand(tensor.shape)


_PRESETS: Mapping[str, Callable[[Tensor], View]] = {
    "noncontig_slice": _noncontig_slice,
    "transpose_view": _transpose_view,
    "expand_view0": _expand_view0,
}


def _integer(tensor: Tensor, name: str, default: int) -> int:
    found = tensor.preset_args.get(name, default)
    if not isinstance(found, int) or isinstance(found, bool):
        raise ValueError(f"preset_args.{name} is no integer")
    return found


def _rand(source: _Source, count: int, shape: Sequence[int]) -> torch.Tensor:
    if source.dtype == torch.bool:
        return torch.randint(0, 2, (count,), generator=source.generator, dtype=torch.bool)
    if not _is_float(source.dtype):
        if "high" not in source.tensor.init_args:
            raise ValueError(f"init rand of {source.tensor.dtype} needs init_args.high")
        return _randint(source, count, shape)
    dropped = _DROPPED.get(source.dtype)
    if source.tensor.init_args or dropped is None:
        return _uniform(source, count, shape)

    def draw(part: torch.Tensor) -> torch.Tensor:
        part.uniform_(generator=source.generator).view(torch.int32).bitwise_and_(-1 << dropped)
        return part

    return _drawn(source, draw, count)


def _randn(source: _Source, count: int, shape: Sequence[int]) -> torch.Tensor:
    return _drawn(source, lambda memory: memory.normal_(generator=source.generator), count)


def _uniform(source: _Source, count: int, shape: Sequence[int]) -> torch.Tensor:
    low, high = source.argument("low", 0.0), source.argument("high", 1.0)
    return _drawn(source, lambda memory: memory.uniform_(low, high, generator=source.generator), count)


def _xavier(source: _Source, count: int, shape: Sequence[int]) -> torch.Tensor:
    """Uniform values within bounds that preserve the magnitude of a product with the tensor."""
    if len(shape) < 2:
        raise ValueError("init xavier needs two dimensions or more")
    field = math.prod(shape[2:])
    fans = (shape[0] + shape[1]) * field
    bound = source.argument("gain", 1.0) * math.sqrt(6 / fans) if fans else 0.0
    return _drawn(source, lambda memory: memory.uniform_(-bound, bound, generator=source.generator), count)


def _drawn(source: _Source, draw: Callable[[torch.Tensor], torch.Tensor], count: int) -> torch.Tensor:
    if not _is_float(source.dtype):
        raise ValueError(f"init {source.tensor.init} gives no {source.tensor.dtype}")
    if source.dtype.is_complex:
        return torch.view_as_complex(draw(torch.empty(count, 2))).to(source.dtype)
    if source.dtype in (torch.float32, torch.float64):
        memory = torch.empty(count, dtype=source.dtype)
        for part in _chunks(memory):
            draw(part)
        return memory
    memory = torch.empty(count, dtype=source.dtype)
    for part in _chunks(memory):
        part.copy_(draw(torch.empty(part.numel())))
    return memory


def _chunks(memory: torch.Tensor) -> Iterator[torch.Tensor]:
    """Views of a one-dimensional tensor that are small enough to be drawn at once."""
    return (memory[start : start + CHUNK] for start in range(0, memory.numel(), CHUNK))


def _randint(source: _Source, count: int, shape: Sequence[int]) -> torch.Tensor:
    low, high = source.argument("low", 0), source.argument("high")
    if high <= low:
        raise ValueError(f"init randint needs low < high, not {low} and {high}")
    memory = torch.empty(count, dtype=source.dtype)
    for part in _chunks(memory):
        part.copy_(torch.randint(int(low), int(high), (part.numel(),), generator=source.generator))
    return memory


def _full(source: _Source, count: int, shape: Sequence[int]) -> torch.Tensor:
    value = source.tensor.init_args.get("fill_value")
    if not isinstance(value, (bool, int, float)):
        raise ValueError("init full needs init_args.fill_value")
    return torch.full((count,), value, dtype=source.dtype)


_FILLS: Mapping[str, Callable[[_Source, int, Sequence[int]], torch.Tensor]] = {
    "rand": _rand,
    "randn": _randn,
    "uniform": _uniform,
    "xavier": _xavier,
    "randint": _randint,
    "full": _full,
    "zeros": lambda source, count, _: torch.zeros(count, dtype=source.dtype),
    "ones": lambda source, count, _: torch.ones(count, dtype=source.dtype),
}


def _arange(source: _Source, shape: Sequence[int]) -> torch.Tensor:
    return torch.arange(math.prod(shape)).to(source.dtype).view(tuple(shape))


def _data(source: _Source, shape: Sequence[int]) -> torch.Tensor:
    return torch.tensor(source.tensor.data, dtype=source.dtype).reshape(tuple(shape))


def _eye(source: _Source, shape: Sequence[int]) -> torch.Tensor:
    if len(shape) != 2:
        raise ValueError("init eye needs two dimensions")
    return torch.eye(*shape, dtype=source.dtype)


def _file(source: _Source, shape: Sequence[int]) -> torch.Tensor:
    tensor = source.tensor
    found = load_tensor(source.place, tensor.file, tensor.key)
    if tuple(found.shape) != tuple(shape):
        raise ValueError(f"{tensor.file} has a shape of {list(found.shape)}")
    if found.dtype != source.dtype:
        raise ValueError(f"{tensor.file} holds {str(found.dtype).removeprefix('torch.')}")
    return found.contiguous()


_POSITIONAL: Mapping[str, Callable[[_Source, Sequence[int]], torch.Tensor]] = {
    "arange": _arange,
    "data": _data,
    "eye": _eye,
    "file": _file,
}
"""Functions that compute each element from its position."""


def _is_float(dtype: torch.dtype) -> bool:
    return dtype.is_floating_point or dtype.is_complex


def _named(tensor: Tensor) -> str:
    return f"{tensor.dtype} {list(tensor.shape)} of init {tensor.init}" if tensor.dtype else tensor.file
