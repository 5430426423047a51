# SPDX-License-Identifier: Apache-2.0
"""Which tests the command line names; if all are named by id, only their loaders need to be imported."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .parameters import JAX, LLM, OP_BY_OP, TORCH

MODULE = "tests/runner/test_models.py"
"""The path at the beginning of node ids, even if no such file exists."""

_FRAMEWORKS = {TORCH: ("pytorch",), JAX: ("jax",), LLM: ("pytorch",), OP_BY_OP: ("pytorch", "jax")}


@dataclass(frozen=True)
class Selection:
    """The requested tests of the module."""

    everything: bool = False
    functions: frozenset[str] = frozenset()
    """Test functions requested with all of their ids."""
    names: tuple[str, ...] = ()
    """`function[id]` of single tests."""

    def has(self, function: str, name: str) -> bool:
        return self.everything or function in self.functions or name in self.names

    def ids(self) -> list[str]:
        """The ids of single tests."""
        return [name.partition("[")[2].removesuffix("]") for name in self.names]

    def wants_framework(self, framework: str) -> bool:
        """Whether all loaders of `framework` are needed."""
        return self.everything or any(framework in _FRAMEWORKS.get(function, ()) for function in self.functions)


def take_arguments(arguments: Sequence[str], directory: Path) -> tuple[Selection, list[str]]:
    """The selection in our module, and the arguments that name something else.

    `directory` is where relative paths start. A directory that contains the module selects it too.
    """
    everything, functions, names, rest = False, set(), [], []
    for argument in arguments:
        base, bracket, _ = argument.partition("[")
        path, _, function = base.partition("::")
        relative = os.path.relpath(directory / path, directory).replace(os.sep, "/")
        if relative != MODULE and (function or not MODULE.startswith(f"{relative}/")):
            rest.append(argument)
        elif bracket:
            names.append(argument[len(path) + len("::") :])
        elif function:
            functions.add(function)
        else:
            everything = True
    return Selection(everything, frozenset(functions), tuple(dict.fromkeys(names))), rest


def closest(name: str, known: Iterable[str]) -> str:
    """A hint about what `name` may have meant; empty if nothing is similar."""
    found = difflib.get_close_matches(name, [*known], n=3, cutoff=0.6)
    return f"; closest: {', '.join(found)}" if found else ""
