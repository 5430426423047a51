# SPDX-License-Identifier: Apache-2.0
"""Names of dtypes, devices and memory formats as manifests write them, without torch."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from .cases import DeviceName, FormatName

BYTES: Mapping[str, int] = MappingProxyType(
    {
        "bool": 1,
        "uint8": 1,
        "uint16": 2,
        "uint32": 4,
        "uint64": 8,
        "int8": 1,
        "int16": 2,
        "int32": 4,
        "int64": 8,
        "float16": 2,
        "bfloat16": 2,
        "float32": 4,
        "float64": 8,
        "complex32": 4,
        "complex64": 8,
        "complex128": 16,
        "float8_e4m3fn": 1,
        "float8_e5m2": 1,
        "float8_e4m3fnuz": 1,
        "float8_e5m2fnuz": 1,
        "float8_e8m0fnu": 1,
        "qint8": 1,
        "quint8": 1,
        "qint32": 4,
    }
)
"""Torch's dtypes by the name that torch prints, each with the bytes of one element."""
INTEGERS = frozenset(name for name in BYTES if name.startswith(("int", "uint")))

_ALIASES = {
    "fp16": "float16",
    "bf16": "bfloat16",
    "fp32": "float32",
    "fp64": "float64",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "short": "int16",
    "int": "int32",
    "long": "int64",
    "chalf": "complex32",
    "cfloat": "complex64",
    "cdouble": "complex128",
    "boolean": "bool",
}
SPELLINGS: Mapping[str, str] = MappingProxyType({**{name: name for name in BYTES}, **_ALIASES})
"""All spellings of dtypes, in lower case and without `torch.`, with torch's own name for each."""

_FORMAT = re.compile(r"torch\.(contiguous_format|preserve_format|channels_last|channels_last_3d|strided)")
_DEVICE = re.compile(r"(cpu|cuda|mps|xpu|xla|tt|spyre|hpu|npu|meta|privateuseone|vulkan|ipu)(:\d{1,3})?")


def dtype_name(text: str) -> str:
    """Torch's name, without `torch.`, of the dtype that `text` means in any spelling; empty for none."""
    return SPELLINGS.get(text.lower().removeprefix("torch."), "")


def device_name(text: str) -> DeviceName | None:
    """The device that `text` names, as `cuda:0`; None for none."""
    return DeviceName(text) if _DEVICE.fullmatch(text) else None


def format_name(text: str) -> FormatName | None:
    """The memory format or layout that `text` names, as `torch.channels_last`; None for none."""
    match = _FORMAT.fullmatch(text)
    return FormatName(match[1]) if match else None
