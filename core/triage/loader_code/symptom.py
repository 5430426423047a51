# SPDX-License-Identifier: Apache-2.0
"""Where a failing CPU phase points to: inputs of the wrong dtype, and lines of the loader in the traceback."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Symptom:
    """What a bfloat16 phase has shown of tensors in another floating dtype."""

    leaves: tuple[str, ...] = ()
    """Paths of float32 inputs as the CPU repro names them: `row`, `[0]`, `targets[0].boxes`, `tensor`."""
    lines: tuple[int, ...] = ()
    """Lines of the loader in the traceback, the innermost last."""

    @classmethod
    def of_phase(cls, phase: Mapping[str, Any], log: str, path: str) -> "Symptom":
        """Read one phase of a CPU repro's result, and its traceback from `log`.

        `path` is the loader's file as a traceback ends it: `tabular_fusion/pytorch/loader.py`. Where several inputs
        are float32 and the error names some of them, only those are meant.
        """
        raise NotImplementedError
