# SPDX-License-Identifier: Apache-2.0
"""What every command is given: the global options, and what follows from them once asked for."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from core.cli.console import Console
from core.matrix.index import Matrix, Universe, index
from core.matrix.lookup import resolve_id
from core.matrix.view import check_arch
from core.settings import Paths, Settings, load_settings, paths
from core.sources.checkout import Checkout, find_checkout


@dataclass(frozen=True, slots=True)
class AppRequest:
    """What the app is to be opened on."""

    repo: Path | None
    """None: the nearest checkout upward from the current directory."""
    arch: str = ""
    query: str = ""


OpenApp = Callable[[AppRequest], int]
"""Opens the app and returns its exit code; given from outside, because core knows no front end."""


@dataclass
class Context:
    """Global options. Nothing is read before a command asks for it."""

    repo: Path | None
    arch: str
    console: Console
    open_app: OpenApp

    @cached_property
    def paths(self) -> Paths:
        return paths()

    @cached_property
    def settings(self) -> Settings:
        return load_settings(self.paths.settings_file)

    @cached_property
    def checkout(self) -> Checkout:
        """The checkout of `--repo`, else the nearest one upward from the current directory."""
        return find_checkout(self.repo or Path.cwd(), upward=self.repo is None)

    @cached_property
    def matrix(self) -> Matrix:
        return self.index(Universe.VALIDATOR)

    def index(self, universe: Universe) -> Matrix:
        """A matrix of the checkout. Raises UsageError where `--arch` names none of its archs."""
        matrix = index(self.checkout, universe)
        check_arch(matrix, self.arch)
        return matrix

    def resolve(self, texts: list[str]) -> list[str]:
        """The ids that the arguments of a command mean."""
        return list(dict.fromkeys(resolve_id(self.matrix, text) for text in texts))
