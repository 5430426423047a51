# SPDX-License-Identifier: Apache-2.0
"""The keys of a tensor in a manifest: from a node to typed values, and from these to a `Tensor` that can be built."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

from .cases import Correction, How, Tensor
from .dtypes import BYTES, INTEGERS, SPELLINGS, dtype_name
from .nodes import (
    Bad,
    Node,
    Noted,
    Notes,
    fields,
    integer,
    integers,
    items,
    near,
    scalar,
    shown,
    text,
    truth,
)
from .paths import path_refusal

MOST_ELEMENTS = 2**36
"""Most elements of one tensor, including gaps between its elements. They take 128 GiB in 16 bits."""
MOST_DIMENSIONS = 64
MOST_TENSORS = 1024
"""Most tensors of one list."""
_MOST_DATA = 2**20
_MOST_DEPTH = 32
_LARGEST_HALF = 65504

KEYS = (
    "shape",
    "dtype",
    "init",
    "init_args",
    "data",
    "preset",
    "preset_args",
    "base_shape",
    "contiguous",
    "stride",
    "storage_offset",
    "device",
)
INITS: Mapping[str, tuple[str, ...]] = {
    "rand": ("low", "high"),
    "randn": (),
    "zeros": (),
    "ones": (),
    "arange": (),
    "randint": ("low", "high"),
    "uniform": ("low", "high"),
    "data": ("data",),
    "xavier": (),
    "full": ("fill_value",),
    "eye": (),
    "file": ("path", "key"),
}
"""Ways to fill a tensor, each with the keys of its `init_args`."""
PRESETS: Mapping[str, tuple[str, ...]] = {
    "noncontig_slice": ("dim", "step"),
    "transpose_view": ("dim0", "dim1"),
    "expand_view0": (),
}
"""Views of a base, each with the keys of its `preset_args`."""
_OF_FLOATS = frozenset({"randn", "uniform", "xavier"})


class Flaw(Exception):
    """A contradiction in a tensor, and the key that it concerns."""

    def __init__(self, key: str, message: str, *, unused: bool = False) -> None:
        super().__init__(message)
        self.key, self.message = key, message
        self.correction = Correction(How.REMOVE) if unused else None
        """An unused key can be removed without loss."""


class TensorKeys(NamedTuple):
    """The keys written for a tensor, with checked types. None and empty: not written."""

    shape: tuple[int, ...]
    dtype: str = ""
    init: str = ""
    init_args: Mapping[str, object] | None = None
    data: object = None
    preset: str = ""
    preset_args: Mapping[str, object] | None = None
    base_shape: tuple[int, ...] | None = None
    contiguous: bool | None = None
    stride: tuple[int, ...] | None = None
    storage_offset: int = 0
    device: str = ""


def read_tensor(node: Node, case_dtype: str, notes: Notes) -> Tensor:
    """One tensor. Raises Bad; a mistake in a single key is noted."""
    before = len(notes.found)
    found = fields(node, KEYS, notes, "tensor")
    if "shape" not in found:
        raise Bad("a tensor needs a shape", node)
    values: dict[str, object] = {}
    for name, field in found.items():
        with notes.catch():
            values[name] = _READERS[name](field.value, notes)
    if "shape" not in values or any(not problem.warning for problem in notes.found[before:]):
        raise Noted
    try:
        tensor, warning = build_tensor(TensorKeys(**values), case_dtype)  # type: ignore[arg-type]
    except Flaw as flaw:
        place = found[flaw.key].value if flaw.key in found else node
        raise Bad(flaw.message, place, correction=flaw.correction if flaw.key in found else None) from None
    if warning:
        notes.add(warning, node, warning=True)
    return tensor


def _shape(what: str) -> Callable[[Node, Notes], tuple[int, ...]]:
    return lambda node, _: integers(node, what, MOST_DIMENSIONS, 0, MOST_ELEMENTS)


def _dtype(node: Node, _: Notes) -> str:
    return read_dtype(node)


def read_dtype(node: Node) -> str:
    """Torch's name of a dtype. Raises Bad."""
    written = text(node, "dtype", 64)
    name = dtype_name(written)
    if not name:
        raise no_dtype(written, node)
    return name


def no_dtype(written: str, node: Node) -> Bad:
    """The mistake of a text that means no dtype; a suggestion keeps the way in which it is written."""
    bare = written.removeprefix("torch.")
    hint, correction = near(bare, SPELLINGS, How.REPLACE)
    if correction is not None and bare != written:
        correction = Correction(How.REPLACE, f"torch.{correction.text}")
    return Bad(f"{shown(written)} is not a dtype", node, hint, correction)


def _one_of(what: str, known: Mapping[str, object]) -> Callable[[Node, Notes], str]:
    def read(node: Node, _: Notes) -> str:
        written = text(node, what, 64)
        if written not in known:
            raise Bad(f"unknown {what} {shown(written)}", node, *near(written, known, How.REPLACE))
        return written

    return read


def _arguments(node: Node, notes: Notes, what: str) -> dict[str, object]:
    """The arguments of `init` or `preset`: numbers by name, a path, or data. The name decides which are allowed."""
    if node.id == "sequence":
        return {"data": _data(node, notes)}
    known = sorted({key for table in (INITS, PRESETS) for keys in table.values() for key in keys})
    read: dict[str, object] = {}
    for name, field in fields(node, known, notes, what).items():
        if name == "data":
            read[name] = _data(field.value, notes)
        elif name in ("path", "key"):
            read[name] = text(field.value, name, 1024)
        else:
            value = scalar(field.value, name)
            if not isinstance(value, (int, float)):
                raise Bad(f"{name} must be a number, not {shown(value)}", field.value)
            read[name] = value
    return read


def _data(node: Node, _: Notes) -> object:
    return _nested(node, [_MOST_DATA], 0)


def _nested(node: Node, left: list[int], depth: int) -> object:
    if node.id == "sequence":
        if depth >= _MOST_DEPTH:
            raise Bad(f"data nests more than {_MOST_DEPTH} deep", node)
        return [_nested(item, left, depth + 1) for item in items(node, "data", _MOST_DATA)]
    left[0] -= 1
    if left[0] < 0:
        raise Bad(f"data has more than {_MOST_DATA:,} values", node)
    value = scalar(node, "data")
    if not isinstance(value, (int, float)):
        raise Bad(f"data must be numbers, not {shown(value)}", node)
    return value


_READERS: Mapping[str, Callable[[Node, Notes], object]] = {
    "shape": _shape("shape"),
    "dtype": _dtype,
    "init": _one_of("init", INITS),
    "init_args": lambda node, notes: _arguments(node, notes, "init_args"),
    "data": _data,
    "preset": _one_of("preset", PRESETS),
    "preset_args": lambda node, notes: _arguments(node, notes, "preset_args"),
    "base_shape": _shape("base_shape"),
    "contiguous": lambda node, _: truth(node, "contiguous"),
    "stride": _shape("stride"),
    "storage_offset": lambda node, _: integer(node, "storage_offset", 0, MOST_ELEMENTS),
    "device": lambda node, _: text(node, "device", 64),
}


def build_tensor(keys: TensorKeys, case_dtype: str) -> tuple[Tensor, str]:
    """A tensor with all defaults filled in, and a warning or an empty text. Raises Flaw."""
    init = keys.init or ("data" if keys.data is not None else "rand")
    arguments = dict(keys.init_args or {})
    dtype = keys.dtype or ("int64" if init == "randint" else case_dtype)
    if unknown := [name for name in arguments if name not in INITS[init]]:
        there = ", ".join(INITS[init]) or "none"
        raise Flaw("init_args", f"init: {init} takes no {unknown[0]} (its init_args: {there})")
    data = keys.data if keys.data is not None else arguments.pop("data", None)
    elements = _check_layout(keys)
    # A preset's base tensor is filled, not the view.
    filled = keys.shape if keys.base_shape is None else keys.base_shape
    init = _checked_init(init, arguments, dtype, filled, data)
    preset_arguments = _checked_preset(keys)
    given = bool(keys.preset) or keys.stride is not None
    tensor = Tensor(
        shape=keys.shape,
        dtype=dtype,
        init=init,
        init_args={name: arguments[name] for name in arguments if init != "file"},
        data=data,
        preset=keys.preset,
        preset_args=preset_arguments,
        base_shape=keys.base_shape,
        stride=keys.stride,
        storage_offset=keys.storage_offset,
        contiguous=not given if keys.contiguous is None else keys.contiguous,
        device=keys.device,
        file=str(arguments.get("path", "")),
        key=str(arguments.get("key", "")),
    )
    warning = ""
    if init == "arange" and dtype == "float16" and elements > _LARGEST_HALF + 1:
        warning = f"arange over {elements:,} elements exceeds float16, whose largest value is {_LARGEST_HALF}"
    return tensor, warning


def _check_layout(keys: TensorKeys) -> int:
    """The number of elements. Raises Flaw if it exceeds the limit."""
    elements = math.prod(keys.shape)
    if elements > MOST_ELEMENTS:
        raise Flaw("shape", f"shape has {elements:,} elements; at most {MOST_ELEMENTS:,} are read")
    if keys.stride is None:
        if keys.storage_offset + elements > MOST_ELEMENTS:
            raise Flaw("storage_offset", f"storage_offset leads beyond {MOST_ELEMENTS:,} elements")
        return elements
    if keys.preset:
        raise Flaw("stride", "a tensor has a preset or a stride, not both")
    if len(keys.stride) != len(keys.shape):
        raise Flaw("stride", f"stride has {len(keys.stride)} numbers, shape has {len(keys.shape)}")
    if storage_elements(keys.shape, keys.stride, keys.storage_offset) > MOST_ELEMENTS:
        raise Flaw("stride", f"stride and storage_offset lead beyond {MOST_ELEMENTS:,} elements")
    return elements


def storage_elements(shape: tuple[int, ...], stride: tuple[int, ...] | None, offset: int) -> int:
    """The number of elements in the storage for such a tensor."""
    if 0 in shape:
        return offset
    if stride is None:
        return offset + math.prod(shape)
    return offset + sum((size - 1) * step for size, step in zip(shape, stride, strict=True)) + 1


def _checked_init(init: str, arguments: dict[str, object], dtype: str, shape: tuple[int, ...], data: object) -> str:
    """The init to use: `rand` with bounds is `randint` or `uniform`. Raises Flaw."""
    whole = dtype in INTEGERS
    if init == "rand" and whole:
        if "high" not in arguments:
            raise Flaw("init", f"rand gives only zeros in {dtype}: write init: randint, with init_args: {{high: N}}")
        init = "randint"
    elif init == "rand" and arguments and dtype != "bool":
        init = "uniform"
    if init in _OF_FLOATS and (whole or dtype == "bool"):
        raise Flaw("init", f"init: {init} needs a floating dtype, not {dtype}")
    checks: Mapping[str, Callable[[], None]] = {
        "randint": lambda: _check_randint(arguments, dtype),
        "uniform": lambda: _check_uniform(arguments),
        "full": lambda: _check_fill(arguments),
        "data": lambda: _check_data(data, shape),
        "file": lambda: _check_file(arguments),
        "xavier": lambda: _check_dimensions(init, shape, len(shape) >= 2, "2 dimensions or more"),
        "eye": lambda: _check_dimensions(init, shape, len(shape) == 2, "2 dimensions"),
    }
    if init in checks:
        checks[init]()
    if data is not None and init != "data":
        raise Flaw("data", f"data is for init: data, not {init}", unused=True)
    return init


def _check_randint(arguments: dict[str, object], dtype: str) -> None:
    low, high = arguments.setdefault("low", 0), arguments.get("high")
    if type(low) is not int or type(high) is not int:
        raise Flaw("init_args", "init: randint needs init_args with high, and low, as whole numbers")
    if low >= high:
        raise Flaw("init_args", f"low must be below high, not {low} and {high}")
    bits = 8 * BYTES[dtype]
    least, most = (0, 2**bits) if dtype.startswith("uint") else (-(2 ** (bits - 1)), 2 ** (bits - 1))
    if dtype == "bool":
        least, most = 0, 2
    if dtype in (*INTEGERS, "bool") and (low < least or high > most):
        raise Flaw("init_args", f"{low} to {high} does not fit into {dtype}")


def _check_uniform(arguments: dict[str, object]) -> None:
    low, high = arguments.setdefault("low", 0), arguments.setdefault("high", 1)
    if not isinstance(low, (int, float)) or not isinstance(high, (int, float)):
        raise Flaw("init_args", "low and high must be numbers")
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise Flaw("init_args", f"low must not be above high, not {low} and {high}")


def _check_fill(arguments: dict[str, object]) -> None:
    if "fill_value" not in arguments:
        raise Flaw("init", "init: full needs init_args: {fill_value: NUMBER}")


def _check_data(data: object, shape: tuple[int, ...]) -> None:
    if data is None:
        raise Flaw("init", "init: data needs the values in data")
    there = _count(data)
    if there != math.prod(shape):
        raise Flaw("data", f"data has {there:,} values, shape needs {math.prod(shape):,}")


def _count(data: object) -> int:
    return sum(map(_count, data)) if isinstance(data, list) else 1


def _check_file(arguments: dict[str, object]) -> None:
    if reason := path_refusal(str(arguments.get("path", ""))):
        raise Flaw("init_args", reason)


def _check_dimensions(init: str, shape: tuple[int, ...], right: bool, needed: str) -> None:
    if not right:
        raise Flaw("shape", f"init: {init} needs {needed}, not {len(shape)}")


def _checked_preset(keys: TensorKeys) -> Mapping[str, object]:
    """The arguments of a preset with its defaults; its view of `base_shape` must have `shape`. Raises Flaw."""
    given = dict(keys.preset_args or {})
    if not keys.preset:
        for name, there in (("preset_args", given), ("base_shape", keys.base_shape)):
            if there:
                raise Flaw(name, f"{name} needs a preset: {', '.join(PRESETS)}", unused=True)
        return given
    if unknown := [name for name in given if name not in PRESETS[keys.preset]]:
        raise Flaw("preset_args", f"preset: {keys.preset} takes no {unknown[0]}")
    if keys.storage_offset:
        raise Flaw("storage_offset", "a tensor with a preset has no storage_offset")
    rank = len(keys.shape)
    defaults: Mapping[str, Mapping[str, object]] = {
        "noncontig_slice": {"dim": 1 if rank > 1 else 0, "step": 2},
        "transpose_view": {"dim0": 0, "dim1": 1},
    }
    arguments = {**defaults.get(keys.preset, {}), **given}
    for name, value in arguments.items():
        low, high = (1, 2**16) if name == "step" else (-rank, rank - 1)
        if type(value) is not int or not low <= value <= high:
            raise Flaw("preset_args", f"{name} must be a whole number from {low} to {high}, not {shown(value)}")
    base = keys.base_shape if keys.base_shape is not None else _base_of(keys, arguments)
    if math.prod(base) > MOST_ELEMENTS:
        raise Flaw("base_shape", f"the base has more than {MOST_ELEMENTS:,} elements")
    if not _fits(keys.preset, base, keys.shape, arguments):
        raise Flaw("base_shape", f"{keys.preset} of {list(base)} does not have the shape {list(keys.shape)}")
    return arguments


def _base_of(keys: TensorKeys, arguments: Mapping[str, object]) -> tuple[int, ...]:
    if keys.preset == "expand_view0":
        raise Flaw("preset", "preset: expand_view0 needs a base_shape")
    base = list(keys.shape)
    if keys.preset == "noncontig_slice":
        base[_integer(arguments["dim"])] *= _integer(arguments["step"])
    else:
        first, second = _integer(arguments["dim0"]), _integer(arguments["dim1"])
        base[first], base[second] = base[second], base[first]
    return tuple(base)


def _fits(preset: str, base: tuple[int, ...], shape: tuple[int, ...], arguments: Mapping[str, object]) -> bool:
    if preset == "expand_view0":
        aligned = (1,) * (len(shape) - len(base)) + base
        return len(base) <= len(shape) and all(one in (1, size) for one, size in zip(aligned, shape, strict=True))
    if len(base) != len(shape):
        return False
    view = list(base)
    if preset == "noncontig_slice":
        dim, step = _integer(arguments["dim"]), _integer(arguments["step"])
        view[dim] = -(-view[dim] // step)
    else:
        first, second = _integer(arguments["dim0"]), _integer(arguments["dim1"])
        view[first], view[second] = view[second], view[first]
    return tuple(view) == shape


def _integer(value: object) -> int:
    assert isinstance(value, int)
    return value
