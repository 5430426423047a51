# SPDX-License-Identifier: Apache-2.0
"""What of a forward output stands for it in training."""

from dataclasses import dataclass
from enum import StrEnum

METHOD = "unpack_forward_output"
"""Of a loader class: gives the tensor that backward starts from."""


class Form(StrEnum):
    """How what is selected becomes one tensor."""

    TENSOR = "tensor"
    """It is one."""
    SUM = "sum"
    """A sequence of tensors: the sum of all their elements."""
    SUM_VALUES = "sum-values"
    """The same over the values of a mapping."""
    SUM_PARTS = "sum-parts"
    """The same over `parts`, each of which is a tensor."""
    SUM_NESTED = "sum-nested"
    """The same over all tensors of a nested structure, by upstream's `extract_tensors_recursive`."""
    SUM_GRADIENTS = "sum-gradients"
    """The same over those of them that require a gradient."""
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
    """What is selected, and what is left out."""
    loss: str = ""
    """Which loss reads it, as a sentence; empty: nobody has said so yet."""
    parts: tuple[str, ...] = ()
    """Accesses of the tensors that are added up, where `form` wants them."""

    @property
    def label(self) -> str:
        """What is selected in a few words: `output[0]`, `sum of output.logits`, `output[0] + output[2]`."""
        if self.form is Form.SUM_PARTS:
            return " + ".join(f"output{part}" for part in self.parts)
        return f"output{self.access}" if self.form is Form.TENSOR else f"sum of output{self.access}"
