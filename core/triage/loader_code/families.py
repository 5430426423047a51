# SPDX-License-Identifier: Apache-2.0
"""Which part of a forward output the training loss depends on, by what the model is for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.triage.loader_code.unpack_override import Selection


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to unpack an output, for a person or a rule to take."""

    selection: Selection
    attribute: str = ""
    """Name of the attribute where a line of the registry would do; empty: it takes an override."""


@dataclass(frozen=True, slots=True)
class Unpacking:
    """What could stand for an output. One choice: the family settles it; several: a person decides."""

    family: str
    """For people: `image classification`; empty: no family is known for the task."""
    choices: tuple[Choice, ...]
    why: str
    """Why this one, or why it cannot be told."""


def unpacking(task: str, output: Mapping[str, Any]) -> Unpacking:
    """The loss-relevant part of `output`, the structure that the CPU repro reports, for a model of `task`.

    `task` is the value of upstream's `ModelTask`. What the table does not settle is never guessed.
    """
    raise NotImplementedError
