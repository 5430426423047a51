# SPDX-License-Identifier: Apache-2.0
"""Whom an edit reaches: loaders that may return an output class, and loaders that use another's code."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.model import Loader


class Sureness(StrEnum):
    """How much is known of whether a loader returns a class."""

    CONFIRMED = "confirmed"
    """A run has shown it."""
    NAMED = "named"
    """Its code, or code of the models tree that it imports, names the class."""
    POSSIBLE = "possible"
    """It takes its model from a library that defines the class, through a class that fits."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A loader that an edit of the registry may concern."""

    directory: str
    sureness: Sureness
    why: str


def returning(
    models: Path, loaders: Iterable[Loader], output_class: str, seen: Mapping[str, frozenset[str]]
) -> tuple[Reached, ...]:
    """Every loader that may return `output_class`, by directory; loaders with an override of their own are none.

    `seen` has the output classes that runs have shown, by directory: one that has only shown others is left out.
    """
    raise NotImplementedError


def users(models: Path, loaders: Iterable[Loader], directory: str) -> tuple[str, ...]:
    """The directories whose loader class is, or descends from, that of `directory`, itself first."""
    raise NotImplementedError
