# SPDX-License-Identifier: Apache-2.0
"""The effects that a workflow yields: it says what to do, the driver does it and sends the answer."""

import hashlib
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from core.base.text import counted
from core.edits import Operation
from core.workflows.loader_code.edits import SourceEdit

T = TypeVar("T")

Answer: TypeAlias = Any
"""The result of an effect, as JSON, because it goes into the journal."""


@dataclass(frozen=True, slots=True)
class RunCpu:
    """Reproduce these tests on CPU. Answer: for each `{id, outcome, run, summary, result}`."""

    ids: tuple[str, ...]
    why: str

    @property
    def title(self) -> str:
        return f"CPU repro, {self.why}: {_count(self.ids)}"


@dataclass(frozen=True, slots=True)
class EditLoader:
    """Put an edit into a file of the models tree. Answer: null."""

    path: str
    """Relative to the checkout."""
    edit: SourceEdit

    @property
    def title(self) -> str:
        return f"edit {self.path}: {self.edit.summary}"


@dataclass(frozen=True, slots=True)
class RevertLoader:
    """Take an edit back, byte for byte. Answer: null."""

    path: str
    edit: SourceEdit

    @property
    def title(self) -> str:
        return f"revert {self.path}"


@dataclass(frozen=True, slots=True)
class FindUsers:
    """Look for the loaders that may return this class. Answer: for each `{directory, sureness, why, task, members}`."""

    output_class: str

    @property
    def title(self) -> str:
        return f"look for loaders that return {self.output_class}"


@dataclass(frozen=True, slots=True)
class RunDevice:
    """Run these tests on a device, in one invocation. Answer: for each `{id, ending, reason, stage, signal}`, or null.

    Null if the CPU has decided already and there is no device to confirm it.
    """

    ids: tuple[str, ...]
    decisive: bool
    """Whether nothing can be concluded without the device."""

    @property
    def title(self) -> str:
        return f"run on a device: {_count(self.ids)}"


@dataclass(frozen=True, slots=True)
class Ask:
    """Have a person choose. Answer: the number of the choice, from 1."""

    question: str
    choices: tuple[str, ...]

    @property
    def title(self) -> str:
        return f"ask: {self.question}"


@dataclass(frozen=True, slots=True)
class Propose:
    """The end: propose these operations, together with the edits that are in place."""

    operations: tuple[Operation, ...]

    @property
    def title(self) -> str:
        return f"propose {counted(len(self.operations), 'operation')}"


@dataclass(frozen=True, slots=True)
class Abort:
    """The end: the workflow cannot reach a conclusion."""

    reason: str

    @property
    def title(self) -> str:
        return "abort"


Effect: TypeAlias = RunCpu | EditLoader | RevertLoader | FindUsers | RunDevice | Ask
End: TypeAlias = Propose | Abort
Steps: TypeAlias = Generator[Effect, Answer, T]
"""A part of a workflow: yields effects, is sent their answers, returns what it found out."""


def identity(effect: Effect) -> dict[str, Any]:
    """What distinguishes an effect from every other, as JSON, without any text for people."""
    match effect:
        case RunCpu() | RunDevice():
            return {"effect": type(effect).__name__, "ids": list(effect.ids)}
        case EditLoader() | RevertLoader():
            digest = hashlib.sha256(effect.edit.after.encode()).hexdigest()
            return {"effect": type(effect).__name__, "path": effect.path, "after": digest}
        case FindUsers():
            return {"effect": "FindUsers", "class": effect.output_class}
        case Ask():
            return {"effect": "Ask", "choices": len(effect.choices)}


def _count(ids: tuple[str, ...]) -> str:
    return ids[0] if len(ids) == 1 else f"{len(ids)} tests"
