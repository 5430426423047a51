# SPDX-License-Identifier: Apache-2.0
"""An op test as data: what a manifest says of its cases, checked and with all defaults filled in."""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple

DEFAULT_DTYPE = "float16"
DEFAULT_SEED = 0
DEFAULT_TOLERANCE = 5e-3
"""Relative and absolute."""


class How(Enum):
    """What a correction does at the place of its mistake."""

    RENAME = "rename"
    """Another name for the key that is there."""
    REPLACE = "replace"
    """Another text for the value that is there."""
    REMOVE = "remove"
    """The key that is there goes, with its value."""
    DISTINGUISH = "distinguish"
    """The case has the name of another one: it goes where it says the same, else it gets a name of its own."""


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
    """The name of the case it is in; empty: the mistake is outside of the cases."""
    hint: str = ""
    """What to write instead, where that is known."""
    warning: bool = False
    """Whether the case is read all the same."""
    correction: Correction | None = None
    """The same for programs, where it takes no judgement."""


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
    """The name torch has for it, without `torch.`."""
    init: str = "rand"
    init_args: Mapping[str, object] = MappingProxyType({})
    data: object = None
    """Nested lists of numbers or booleans, for `init: data`."""
    preset: str = ""
    preset_args: Mapping[str, object] = MappingProxyType({})
    base_shape: tuple[int, ...] | None = None
    """Of the tensor that a preset is a view of; None: the preset works it out."""
    stride: tuple[int, ...] | None = None
    storage_offset: int = 0
    contiguous: bool = True
    """Whether it is made contiguous at the end."""
    device: str = ""
    """Where it was when it was recorded. It is built on the CPU in any case."""
    file: str = ""
    """A path relative to the manifest, for `init: file`."""
    key: str = ""
    """Of one tensor in that file; empty: the file holds a single tensor."""


class Value(NamedTuple):
    """An argument that is no tensor: literals of Python, `slice`, `Ellipsis`, or one of the names above."""

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
    """Skip the case where `expr` is true; see `conditions`."""

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
    """`kwmap` over `attrs`; values as in `Value`."""
    dtype: str = DEFAULT_DTYPE
    seed: int = DEFAULT_SEED
    rtol: float = DEFAULT_TOLERANCE
    atol: float = DEFAULT_TOLERANCE
    pcc: float | None = None
    """The lowest Pearson correlation that passes; None: it is recorded only."""
    description: str = ""
    marks: tuple[str, ...] = ()
    expects_error: tuple[Raises, Raises] | None = None
    """On the reference and on the side under test."""
    skip_if: tuple[Condition, ...] = ()
    xfail_if: str = ""
    """An expression as in `skip_if`; with a reason alone it is `True`."""
    xfail_reason: str = ""
    xfail_strict: bool = False
    line: int = 0
    """Where its list item starts."""
    column: int = 0


class Manifest(NamedTuple):
    """One file of cases. What is wrong in it is in `problems`; cases without a mistake are all in `cases`."""

    path: str
    model: str
    cases: tuple[Case, ...] = ()
    problems: tuple[Problem, ...] = ()
    backend: str = ""
    """The backend that this file is a temporary variant for; empty: it is canonical."""
    canonical: str = ""
    """The path of the file that it is a variant of."""
