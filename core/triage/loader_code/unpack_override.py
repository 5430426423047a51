# SPDX-License-Identifier: Apache-2.0
"""Give a loader class its own `unpack_forward_output`."""

from dataclasses import dataclass
from enum import StrEnum

from core.triage.loader_code.edit import Edit, NoSite


class Form(StrEnum):
    """How what is selected becomes one tensor."""

    TENSOR = "tensor"
    """It is one."""
    SUM = "sum"
    """A sequence of tensors: the sum of all their elements."""
    SUM_VALUES = "sum-values"
    """The same over the values of a mapping."""
    SUM_NESTED = "sum-nested"
    """The same over all tensors of a nested structure, by upstream's `extract_tensors_recursive`."""
    CONCAT = "concat"
    """A sequence of tensors, flattened and joined."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What of a forward output the loss depends on."""

    access: str
    """From the output to the part, as Python has it: `[0]`, `.logits`, `["dense_vecs"]`; empty: the whole."""
    form: Form
    structure: str
    """Type and shapes of the output: `list[Tensor] of length 3, shapes ...`."""
    why: str
    """What is selected, which loss reads it, and what is left out."""


def unpack_override(source: str, selection: Selection, *, cls: str = "ModelLoader") -> Edit | NoSite:
    """Add the method after the last one of class `cls`, with its two-part docstring.

    Indentation and line ends are the file's. Where `form` needs upstream's helper and the file does not have it, its
    import is added behind the last import from the models tree. NoSite where the class has the method, or is not
    here.
    """
    raise NotImplementedError


def has_override(source: str, *, cls: str = "ModelLoader") -> bool:
    """Whether class `cls` of this file defines `unpack_forward_output` itself."""
    raise NotImplementedError
