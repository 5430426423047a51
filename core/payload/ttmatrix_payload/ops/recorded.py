# SPDX-License-Identifier: Apache-2.0
"""Arguments of a call as arguments of a case: tensors by a recipe for similar ones, constants unchanged.

Floats are drawn anew, because no op fails because of a float's value; non-negative if the model's were. Whole numbers
and truth values decide what an op reads or how large its result is: small tensors of them are stored, large ones only
with their bounds. If bounds are not enough, a large one is stored too, or the call cannot be a case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from .called import REQUIRED, last_part, of_names, parameters
from .cases import Argument, DeviceName, DtypeName, Tensor, Value
from .dtypes import BYTES, format_name

MOST_STORED = 64
"""Most elements of a tensor of integers or booleans that are stored; of a larger one, the bounds are stored."""
MOST_EXACT = 4096
"""Most elements of a stored tensor whose values decide whether the op can run at all."""
MOST_INDEX = 1024
"""Most elements of an index among other indices, which is written as a list."""

_UNDER_TEST = "cuda:0"
"""The device under test in manifests."""
_SAMPLE = 256
"""Elements that are first searched for a negative one."""
_MOST_INTEGER = 2**63 - 1
_ALL = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
_EXACT: Mapping[str, Sequence[int]] = {
    "embedding_bag": (2,),
    "_embedding_bag": (2,),
    "_embedding_bag_forward_only": (2,),
    "repeat_interleave": (0, 1),
    "masked_scatter": (1,),
    "masked_scatter_": (1,),
    "ctc_loss": (2, 3),
    "_ctc_loss": (2, 3),
    "tensor_split": (1,),
    "segment_reduce": _ALL,
    "multilabel_margin_loss": (1,),
    "_pack_padded_sequence": (1,),
    "_pad_packed_sequence": (1,),
    "max_unpool1d": (1,),
    "lstm": _ALL,
    "gru": _ALL,
    "rnn_tanh": _ALL,
    "rnn_relu": _ALL,
}
"""Arguments such as lengths and offsets: with other values within the same bounds, the op would fail."""
_WRITING = frozenset({"setitem", "index_put", "index_put_", "_index_put_impl_", "_unsafe_index_put"})
_CLASSES = frozenset({"cross_entropy", "nll_loss", "nll_loss_nd", "nll_loss_forward", "nll_loss2d_forward"})
"""Losses: negative classes are labels to ignore, not classes."""
_DIVIDING = frozenset({"floordiv", "floor_divide", "remainder", "fmod", "mod", "__mod__", "__rfloordiv__", "__rmod__"})
_DEFINITE = frozenset({"cholesky", "cholesky_ex", "linalg_cholesky", "linalg_cholesky_ex"})
"""Ops that need positive definite matrices."""
_PYTHON_DTYPES: Mapping[object, str] = {float: "float64", int: "int64", bool: "bool", complex: "complex128"}


Filling = tuple[str, dict[str, object], object]
"""`init`, `init_args` and `data` of a tensor."""


class NotExpressible(Exception):
    """A call that no case can express."""


class Values:
    """Converts arguments to those of cases, for one model."""

    def __init__(self) -> None:
        self._parameters: dict[int, tuple[Any, int, str]] = {}

    def arguments(self, name: str, args: Sequence[Any]) -> tuple[Argument, ...]:
        """The positional arguments of a call of the op `name`. Raises NotExpressible."""
        last = last_part(name)
        if last in ("getitem", "setitem"):
            args = [args[0], index_argument(args[1]), *args[2:]]
        exact = _EXACT.get(last, ())
        if last in _WRITING and _decides_by_mask(args):
            exact = (1,)
        return tuple(self._argument(one, last, at, at in exact) for at, one in enumerate(args))

    def _argument(self, value: Any, op: str, at: int, exact: bool) -> Argument:
        if isinstance(value, torch.Tensor):
            return self._tensor(value, op, at, exact)
        if isinstance(value, (list, tuple)) and value and all(isinstance(one, torch.Tensor) for one in value):
            return tuple(self._tensor(one, op, at, exact) for one in value)
        return Value(plain(value))

    def _tensor(self, tensor: torch.Tensor, op: str, at: int, exact: bool) -> Tensor:
        dtype = _dtype(tensor)
        shape = tuple(map(int, tensor.shape))
        if op in _DEFINITE and len(shape) == 2:
            return Tensor(shape, dtype, "eye")
        init, arguments, data = self._filled(tensor, op, at, exact)
        if data is not None and 0 in tensor.stride() and tensor.numel():
            # Elements that share memory cannot be written one by one.
            return _expanded(tensor, dtype)
        if tensor.is_contiguous():
            return Tensor(shape, dtype, init, arguments, data)
        stride, offset = tuple(map(int, tensor.stride())), int(tensor.storage_offset())
        return Tensor(shape, dtype, init, arguments, data, stride=stride, storage_offset=offset, contiguous=False)

    def _filled(self, tensor: torch.Tensor, op: str, at: int, exact: bool) -> Filling:
        """How to fill a similar tensor: if values decide what happens, they are stored, or their bounds."""
        if tensor.is_floating_point() or tensor.is_complex():
            if op in _DEFINITE:
                return "data", {}, _listed(tensor, "a matrix that has to be positive definite")
            return self._sign(tensor), {}, None
        if tensor.numel() <= MOST_STORED:
            return "data", {}, tensor.tolist()
        return _filled_mask(tensor, exact) if tensor.dtype is torch.bool else _filled_integers(tensor, op, at, exact)

    def _sign(self, tensor: torch.Tensor) -> str:
        """`rand` if no element is negative; each parameter is checked once."""
        if not isinstance(tensor, torch.nn.Parameter):
            return _sign(tensor)
        known = self._parameters.get(id(tensor))
        if known is None or known[1] != tensor._version:
            # Keep a reference to the parameter: its id then stays unique.
            known = self._parameters[id(tensor)] = tensor, tensor._version, _sign(tensor)
        return known[2]


def with_tensors_placed(
    name: str, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """The same call with its tensors as positional arguments: keywords in manifests cannot hold tensors.

    Raises NotExpressible.
    """
    tensors = frozenset(
        name for name, value in kwargs.items() if any(isinstance(one, torch.Tensor) for one in tree_leaves(value))
    )
    if not tensors:
        return args, kwargs
    if "out" in tensors:
        raise NotExpressible("it writes into a tensor given as out")
    for known in (parameters(function), of_names(name, tensors)):
        if tensors <= {parameter for parameter, _ in known}:
            placed, rest = _placed(known, args, kwargs, tensors)
            if not tensors & rest.keys():
                return placed, rest
    raise NotExpressible(f"the keyword argument {min(tensors)} is a tensor")


def _placed(
    known: Sequence[tuple[str, object]], args: Sequence[Any], kwargs: Mapping[str, Any], tensors: frozenset[str]
) -> tuple[Sequence[Any], Mapping[str, Any]]:
    rest, placed = dict(kwargs), list(args)
    for parameter, default in known[len(args) :]:
        if not tensors & rest.keys():
            break
        value = rest.pop(parameter, default)
        if value is REQUIRED:
            break
        placed.append(value)
    return placed, rest


def keyword(name: str, value: Any) -> object:
    """The value of a keyword argument. Raises NotExpressible."""
    if name == "device" and value is not None:
        # A factory must create its tensor on the tested side.
        return DeviceName(_UNDER_TEST)
    return plain(value)


def index_argument(index: Any) -> Any:
    """An index in a form for manifests: tensors next to slices and numbers become lists. Raises NotExpressible."""
    if isinstance(index, tuple) and not all(isinstance(one, torch.Tensor) for one in index):
        return tuple(map(_index_part, index))
    return index if isinstance(index, (torch.Tensor, tuple)) else _index_part(index)


def _index_part(part: Any) -> Any:
    if isinstance(part, slice):
        return slice(*(None if one is None else int(one) for one in (part.start, part.stop, part.step)))
    if isinstance(part, list):
        return [_index_part(one) for one in part]
    if isinstance(part, torch.Tensor) or hasattr(part, "__array__"):
        listed = torch.as_tensor(part)
        if listed.dtype is torch.uint8:
            listed = listed.bool()
        if listed.numel() > MOST_INDEX:
            raise NotExpressible("a large index beside other ones")
        return listed.tolist()
    return part


def plain(value: Any) -> object:
    """A constant. Raises NotExpressible."""
    if value is None or value is Ellipsis or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, torch.dtype):
        return DtypeName(str(value).removeprefix("torch."))
    if isinstance(value, (torch.memory_format, torch.layout)):
        name = format_name(str(value))
        if name is None:
            raise NotExpressible(f"manifests have no {value}")
        return name
    if isinstance(value, torch.device):
        return DeviceName(_UNDER_TEST)
    if isinstance(value, slice):
        return slice(*(plain(one) for one in (value.start, value.stop, value.step)))
    if isinstance(value, (tuple, list)):
        parts = [plain(one) for one in value]
        return tuple(parts) if isinstance(value, tuple) else parts
    return _converted(value)


def _converted(value: Any) -> object:
    """Special constants as plain ones: sizes in tensors, types for dtypes, numpy numbers, enumerations."""
    if isinstance(value, torch.Tensor):
        if value.dim() == 0 and not value.is_floating_point() and not value.is_complex():
            return value.item()
        raise NotExpressible("tensors and other values in one argument")
    if isinstance(value, type) and value in _PYTHON_DTYPES:
        return DtypeName(_PYTHON_DTYPES[value])
    if isinstance(value, str):
        return str.__str__(value)
    if hasattr(value, "__array__") and getattr(value, "ndim", None) == 0:
        return plain(value.item())
    for kind in (int, float):
        if isinstance(value, kind):
            return kind(value)
    raise NotExpressible(f"an argument is of type {type(value).__name__}")


def _dtype(tensor: torch.Tensor) -> str:
    """The name of the tensor's dtype. Raises NotExpressible for a tensor that cannot be rebuilt."""
    if tensor.layout is not torch.strided or tensor.is_quantized or tensor.is_nested:
        raise NotExpressible("a tensor is sparse, quantised or nested")
    # There is no public way to check this.
    if tensor.is_meta or torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        raise NotExpressible("a tensor has no values of its own: it is on the meta device or inside of vmap")
    name = _name_of(tensor.dtype)
    if name not in BYTES:
        raise NotExpressible(f"a tensor is of {name}")
    return name


@cache
def _name_of(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _filled_mask(tensor: torch.Tensor, exact: bool) -> Filling:
    if bool(tensor.all()):
        return "ones", {}, None
    if not bool(tensor.any()):
        return "zeros", {}, None
    return ("data", {}, _listed(tensor, "its values")) if exact else ("rand", {}, None)


def _filled_integers(tensor: torch.Tensor, op: str, at: int, exact: bool) -> Filling:
    low, high = _bounds(tensor)
    if low == high:
        return "full", {"fill_value": low}, None
    if exact:
        return "data", {}, _listed(tensor, "its values")
    if op in _CLASSES and at:
        low = max(low, 0)
    elif op in _DIVIDING and low < 0 < high and not bool((tensor == 0).any()):
        low = 1
    return "randint", {"low": low, "high": min(max(high, low) + 1, _MOST_INTEGER)}, None


def _sign(tensor: torch.Tensor) -> str:
    if tensor.is_complex() or not tensor.numel():
        return "randn"
    if tensor.itemsize == 1:
        tensor = tensor.to(torch.float32)
    if tensor.numel() > _SAMPLE:
        # Checking the first elements is enough for nearly all tensors that have negative ones.
        first = tensor.view(-1) if tensor.is_contiguous() else tensor
        while first.dim() > 1:
            first = first[0]
        if first[:_SAMPLE].min().item() < 0:
            return "randn"
    return "rand" if tensor.min().item() >= 0 else "randn"


def _bounds(tensor: torch.Tensor) -> tuple[int, int]:
    if tensor.dtype in (torch.uint16, torch.uint32, torch.uint64):
        tensor = tensor.to(torch.int64)
    low, high = tensor.aminmax()
    return int(low), int(high)


def _listed(tensor: torch.Tensor, what: str) -> object:
    if tensor.numel() > MOST_EXACT:
        raise NotExpressible(f"{what} decide whether it runs, and are too many to write")
    return tensor.tolist()


def _expanded(tensor: torch.Tensor, dtype: str) -> Tensor:
    """A tensor whose elements share memory, as a view of one that holds each element once."""
    base = tensor
    for dimension, step in enumerate(tensor.stride()):
        if step == 0:
            base = base.narrow(dimension, 0, 1)
    view = Tensor(tuple(map(int, tensor.shape)), dtype, "data", data=base.tolist(), contiguous=False)
    return view._replace(preset="expand_view0", base_shape=tuple(map(int, base.shape)))


def _decides_by_mask(args: Sequence[Any]) -> bool:
    """Whether the values are assigned through a mask, which must have as many true elements as there are values."""
    mask, new = args[1], args[2]
    masks = [
        one for one in tree_leaves(mask) if isinstance(one, torch.Tensor) and one.dtype in (torch.bool, torch.uint8)
    ]
    return bool(masks) and isinstance(new, torch.Tensor) and new.numel() > 1
