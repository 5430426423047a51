# SPDX-License-Identifier: Apache-2.0
"""Where a failing CPU phase points to: inputs of the wrong dtype, and lines of the loader in the traceback."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.workflows.loader_code.analysis.frames import Followed, Path

_OTHER = "float32"
_STEP = re.compile(r"\[(-?\d+)\]|([^.\[\]]+)")
_SINGLE = "tensor"
"""The name that the CPU repro gives an input that is a single tensor."""


@dataclass(frozen=True, slots=True)
class Symptom:
    """What a bfloat16 phase has shown of tensors in another floating dtype."""

    leaves: tuple[str, ...] = ()
    """Paths of float32 inputs as the CPU repro names them: `row`, `[0]`, `targets[0].boxes`, `tensor`."""
    lines: tuple[int, ...] = ()
    """Lines of the loader in the traceback, the innermost last."""
    others: tuple[tuple[str, Followed], ...] = ()
    """The inputs that no cast may reach, because they are not floating-point tensors."""
    floats: tuple[str, ...] = ()
    """All float32 inputs, also if the error names only some of them."""
    weights: frozenset[str] = frozenset()
    """The floating dtypes of the model's own parameters and buffers."""

    @property
    def all_of_the_model(self) -> bool:
        """Whether no weight at all follows the override: then the model does not fit its inputs."""
        return self.weights == {_OTHER}

    @property
    def part_of_the_model(self) -> bool:
        return _OTHER in self.weights

    @classmethod
    def of_phase(cls, phase: Mapping[str, Any], log: str, path: str) -> "Symptom":
        """Read one phase of a CPU repro's result, and its traceback from `log`.

        `path` is the loader's file as it ends in a traceback: `tabular_fusion/pytorch/loader.py`. If several inputs are
        float32 and the error names some of them, only those count.
        """
        traceback = _traceback(log)
        low = phase["dtype"]
        lines = tuple(int(line) for line in re.findall(rf'File "[^"\n]*{re.escape(path)}", line (\d+)', traceback))
        leaves = [leaf["name"] for leaf in phase["inputs"] if leaf["dtype"] == _OTHER != low]
        named = [name for name in leaves if _is_named(name, f"{traceback}\n{phase['error']}")]
        weights = phase.get("weights") or () if low != _OTHER else ()
        others = tuple(_others(phase["inputs"]))
        return cls(tuple(named if named else leaves), lines, others, tuple(leaves), frozenset(weights))


def path_of(leaf: str) -> Path:
    """The keys and indexes in the name that the CPU repro gives to an input."""
    if leaf == _SINGLE:
        return ()
    return tuple(int(index) if index else key for index, key in _STEP.findall(leaf))


def _others(inputs: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, Followed]]:
    for leaf in inputs:
        if leaf["dtype"] is None:
            yield leaf["name"], Followed.NO_TENSOR
        elif "float" not in leaf["dtype"]:
            yield leaf["name"], Followed.OTHER_TENSOR


def _traceback(log: str) -> str:
    """The last traceback of the bfloat16 phase, which is printed first."""
    first = log.partition("===== FLOAT32")[0]
    return first.rpartition("Traceback (most recent call last):")[2]


def _is_named(name: str, text: str) -> bool:
    """Whether `text` mentions an input by its name; an index in a list is no name."""
    return name.isidentifier() and re.search(rf"\b{re.escape(name)}\b", text) is not None
