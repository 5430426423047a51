# SPDX-License-Identifier: Apache-2.0
"""An op test as data: the cases of a manifest, checked and with all defaults filled in."""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple

DEFAULT_DTYPE = "float16"
DEFAULT_SEED = 0
DEFAULT_TOLERANCE = 5e-3
"""Relative and absolute tolerance."""


class How(Enum):
    """How a correction changes the place of its mistake."""

    RENAME = "rename"
    """Replace the name of the key."""
    REPLACE = "replace"
    """Replace the text of the value."""
    REMOVE = "remove"
    """Remove the key and its value."""
    DISTINGUISH = "distinguish"
    """The case has the name of another one: remove it if it is equal, else give it a name of its own."""


class Correction(NamedTuple):
    """What to write at the place of a mistake."""

    how: How
    text: str = ""


class Problem(NamedTuple):
    """A mistake in a manifest. Lines and columns start at 1; 0: unknown."""

    message: str
    line: int = 0
    column: int = 0
    case: str = ""
    """Name of the case with the mistake; empty: the mistake is outside the cases."""
    hint: str = ""
    """What to write instead, if known."""
    warning: bool = False
    """Whether the case is read anyway."""
    correction: Correction | None = None
    """The fix in a form for programs, if it needs no judgement."""


class DtypeName(NamedTuple):
    """A dtype as a value."""

    name: str
    """Without `torch.`: `float16`."""


class DeviceName(NamedTuple):
    """A value that names a device. A recorded `cuda:0` means the device under test."""

    name: str


class FormatName(NamedTuple):
    """A memory format or a layout as a value."""

    name: str
    """Without `torch.`: `channels_last`."""


class Tensor(NamedTuple):
    """One tensor to build."""

    shape: tuple[int, ...]
    dtype: str
    """Torch's name for it, without `torch.`."""
    init: str = "rand"
    init_args: Mapping[str, object] = MappingProxyType({})
    data: object = None
    """Nested lists of numbers or booleans, for `init: data`."""
    preset: str = ""
    preset_args: Mapping[str, object] = MappingProxyType({})
    base_shape: tuple[int, ...] | None = None
    """Shape of the tensor that a preset is a view of; None: derived by the preset."""
    stride: tuple[int, ...] | None = None
    storage_offset: int = 0
    contiguous: bool = True
    """Whether it is made contiguous at the end."""
    device: str = ""
    """The device when it was recorded. The tensor is always built on the CPU."""
    file: str = ""
    """A path relative to the manifest, for `init: file`."""
    key: str = ""
    """Key of the tensor in that file; empty: the file holds a single tensor."""


class Value(NamedTuple):
    """An argument that is not a tensor: a Python literal, `slice`, `Ellipsis`, or one of the names above."""

    value: object


Argument = Tensor | tuple[Tensor, ...] | Value
"""A tuple of tensors is one argument, passed as a list."""


class Raises(NamedTuple):
    """An error that an op must raise."""

    type: str = "RuntimeError"
    match: str = ""
    """A part of its text."""
    match_re: str = ""
    """A regular expression that is searched for in its text."""


class Condition(NamedTuple):
    """Skip the case if `expr` is true; see `conditions`."""

    expr: str
    reason: str = ""


class Case(NamedTuple):
    """One case: an op, its arguments, and what is expected."""

    name: str
    """Unique in its file."""
    op: str
    """As it is written: `torch.add`."""
    inputs: tuple[Argument, ...] = ()
    """Positional arguments."""
    keywords: Mapping[str, object] = MappingProxyType({})
    """Merged from `attrs` and `kwmap`, which takes precedence; values as in `Value`."""
    dtype: str = DEFAULT_DTYPE
    seed: int = DEFAULT_SEED
    rtol: float = DEFAULT_TOLERANCE
    atol: float = DEFAULT_TOLERANCE
    pcc: float | None = None
    """The lowest Pearson correlation that passes; None: it is only recorded."""
    description: str = ""
    marks: tuple[str, ...] = ()
    expects_error: tuple[Raises, Raises] | None = None
    """For the reference and for the tested side."""
    skip_if: tuple[Condition, ...] = ()
    xfail_if: str = ""
    """An expression as in `skip_if`; `True` if only a reason is given."""
    xfail_reason: str = ""
    xfail_strict: bool = False
    line: int = 0
    """Where its list item starts."""
    column: int = 0


class Manifest(NamedTuple):
    """One file of cases. Its mistakes are in `problems`; all cases without a mistake are in `cases`."""

    path: str
    model: str
    cases: tuple[Case, ...] = ()
    problems: tuple[Problem, ...] = ()
    backend: str = ""
    """The backend that this file is a temporary variant for; empty: it is canonical."""
    canonical: str = ""
    """The path of the file that it is a variant of."""
