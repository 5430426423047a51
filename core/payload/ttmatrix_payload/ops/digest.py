# SPDX-License-Identifier: Apache-2.0
"""What makes two cases the same test, and which one of them represents the others.

The digest covers the op, its arguments, the expected errors and the dtype: everything that decides what is computed.
It leaves out names, models, descriptions, marks, seeds, tolerances and recorded devices.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .cases import Argument, Case, DeviceName, DtypeName, FormatName, Raises, Tensor, Value

VERSION = 1
"""Version of the rules below. The digest includes it, so that results of other rules never match."""


def digest(case: Case) -> str:
    """The key of a case, as 64 hexadecimal digits."""
    return hashlib.sha256(_json(canonical(case)).encode()).hexdigest()


def canonical(case: Case) -> dict[str, object]:
    """The content of the digest, as JSON with one form for each meaning."""
    return {
        "version": VERSION,
        "op": case.op,
        "inputs": [_argument(one) for one in case.inputs],
        "keywords": {name: _value(value) for name, value in case.keywords.items()},
        "expects_error": None if case.expects_error is None else [_raises(one) for one in case.expects_error],
        "dtype": case.dtype,
    }


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _argument(argument: Argument) -> object:
    if isinstance(argument, Value):
        return {"value": _value(argument.value)}
    if isinstance(argument, Tensor):
        return {"tensor": _tensor(argument)}
    return {"tensors": [_tensor(one) for one in argument]}


def _raises(raises: Raises) -> dict[str, str]:
    return raises._asdict()


def _value(value: object) -> object:
    """A value with its type: 1, 1.0 and True differ, and so do a list and a tuple."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        # As text: JSON has no infinity, and the shortest text that reads back is the same everywhere.
        return {"float": repr(value)}
    if isinstance(value, list):
        return [_value(one) for one in value]
    if isinstance(value, (DtypeName, DeviceName, FormatName)):
        return _name(value)
    if isinstance(value, tuple):
        return {"tuple": [_value(one) for one in value]}
    if isinstance(value, slice):
        return {"slice": [value.start, value.stop, value.step]}
    assert value is ..., f"no canonical form of {type(value).__name__}"
    return {"ellipsis": True}


def _name(name: DtypeName | DeviceName | FormatName) -> object:
    if isinstance(name, DtypeName):
        return {"dtype": name.name}
    if isinstance(name, FormatName):
        return {"format": name.name}
    # The recorded device does not matter: it means the tested one.
    return {"device": "cuda" if name.name.startswith("cuda") else name.name}


def _tensor(tensor: Tensor) -> dict[str, object]:
    stride = normal_stride(tensor)
    return {
        "shape": list(tensor.shape),
        "dtype": tensor.dtype,
        "stride": None if stride is None else list(stride),
        "offset": tensor.storage_offset,
        # With a contiguous layout there is nothing to make contiguous.
        "contiguous": tensor.contiguous if stride is not None or tensor.preset else True,
        "init": tensor.init,
        "init_args": _arguments(tensor.init_args),
        "data": None if tensor.data is None else hashlib.sha256(_json(_value(tensor.data)).encode()).hexdigest(),
        "preset": [tensor.preset, _arguments(tensor.preset_args)],
        "base_shape": None if tensor.base_shape is None else list(tensor.base_shape),
        "file": [tensor.file, tensor.key],
    }


def _arguments(arguments: Mapping[str, object]) -> dict[str, object]:
    return {name: _value(value) for name, value in arguments.items()}


def normal_stride(tensor: Tensor) -> tuple[int, ...] | None:
    """The stride, with 0 for dimensions of size 1, whose stride has no meaning. None: contiguous."""
    if tensor.stride is None or 0 in tensor.shape:
        return None
    normal = tuple(0 if size == 1 else step for size, step in zip(tensor.shape, tensor.stride, strict=True))
    return None if normal == _ordinary(tensor.shape) else normal


def _ordinary(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(0 if size == 1 else step)
        step *= size
    return tuple(reversed(strides))


class Group(NamedTuple):
    """Cases that are the same test."""

    key: str
    """Their digest."""
    case: Case
    """The case to run: the first, with the strictest tolerances of all."""
    members: tuple[int, ...]
    """Positions of all members in the input; the first represents the others."""


def group(cases: Sequence[Case], *, directories: Sequence[str] = (), dedupe: bool = True) -> tuple[Group, ...]:
    """The tests to run for a selection of cases, in the order of the selection.

    Cases that are expected to fail under different conditions stay separate, whatever their digest. So do those with
    files in different `directories` (of each case's manifest, in the same order). Without `dedupe` each case is a
    group of its own.
    """
    keys = [digest(case) for case in cases]
    members: dict[object, list[int]] = {}
    for index, case in enumerate(cases):
        place = directories[index] if directories and _has_file(case) else ""
        apart = (keys[index], case.xfail_if, case.xfail_strict, place) if dedupe else index
        members.setdefault(apart, []).append(index)
    return tuple(Group(keys[of[0]], _strictest([cases[one] for one in of]), tuple(of)) for of in members.values())


def _has_file(case: Case) -> bool:
    tensors = (one for argument in case.inputs for one in (argument if type(argument) is tuple else (argument,)))
    return any(isinstance(one, Tensor) and one.file for one in tensors)


def _strictest(cases: list[Case]) -> Case:
    first = cases[0]
    limits = [case.pcc for case in cases if case.pcc is not None]
    return first._replace(
        rtol=min(case.rtol for case in cases),
        atol=min(case.atol for case in cases),
        pcc=max(limits) if limits else None,
    )
