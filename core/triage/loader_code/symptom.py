# SPDX-License-Identifier: Apache-2.0
"""Where a failing CPU phase points to: inputs of the wrong dtype, and lines of the loader in the traceback."""

import re
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
        traceback = _traceback(log)
        low = phase["dtype"]
        lines = tuple(int(line) for line in re.findall(rf'File "[^"\n]*{re.escape(path)}", line (\d+)', traceback))
        leaves = [leaf["name"] for leaf in phase["inputs"] if leaf["dtype"] == "float32" != low]
        named = [name for name in leaves if _is_named(name, f"{traceback}\n{phase['error']}")]
        return cls(tuple(named if named else leaves), lines)


def _traceback(log: str) -> str:
    """The last traceback of the bfloat16 phase, which is printed first."""
    first = log.partition("===== FLOAT32")[0]
    return first.rpartition("Traceback (most recent call last):")[2]


def _is_named(name: str, text: str) -> bool:
    """Whether `text` speaks of an input by its name; a place in a list has none."""
    return name.isidentifier() and re.search(rf"\b{re.escape(name)}\b", text) is not None
