# SPDX-License-Identifier: Apache-2.0
"""Find a tt-xla checkout and name the places in it."""

import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from core.base.errors import TTMatrixError
from core.sources.advice import setting_up

_TEST_CONFIG = Path("tests/runner/test_config")
_MODELS = Path("third_party/tt_forge_models")


class Checkout(NamedTuple):
    """A tt-xla work tree. Only `find_checkout` guarantees that its directories exist."""

    root: Path

    @property
    def test_config(self) -> Path:
        """Directory of the expectation YAML."""
        return self.root / _TEST_CONFIG

    @property
    def models(self) -> Path:
        """The tt_forge_models submodule's work tree."""
        return self.root / _MODELS

    @property
    def has_own_models(self) -> bool:
        """Whether the models are a repository of their own, as a submodule is."""
        return os.path.lexists(self.models / ".git")

    @property
    def presets(self) -> Path:
        """Directory of the CI matrix presets."""
        return self.root / ".github" / "workflows" / "test-matrix-presets"

    def has_any(self, places: Iterable[str]) -> bool:
        """Whether any of these paths, relative to the checkout, exists."""
        return any((self.root / place).exists() for place in places)

    def relative(self, path: Path) -> str:
        """`path` as it is written in findings and diffs: relative to the checkout, with forward slashes."""
        return path.relative_to(self.root).as_posix()


def find_checkout(start: Path, *, upward: bool = True) -> Checkout:
    """The checkout at `start` or, with `upward`, the nearest one above it.

    Raises TTMatrixError if there is none, or if its models submodule is not checked out.
    """
    start = start.expanduser().absolute()
    candidates = (start, *start.parents) if upward else (start,)
    for root in candidates:
        if (root / _TEST_CONFIG).is_dir():
            checkout = Checkout(root)
            if not _has_loaders(checkout.models):
                raise TTMatrixError(
                    f"{root} has no models",
                    f"{_MODELS} is missing or empty.",
                    setting_up(root, str(_MODELS)),
                )
            return checkout
    raise TTMatrixError(
        f"No tt-xla checkout at {start}" + (" or above it" if upward else ""),
        f"A checkout is a directory that holds {_TEST_CONFIG}.",
        "Name one with --repo DIR, or create the sample with: ttmatrix demo DIR",
    )


def same_place(one: Path, other: Path) -> bool:
    """Whether two paths of checkouts are the same directory."""
    return _resolved(one) == _resolved(other)


@lru_cache(maxsize=1024)
def _resolved(directory: Path) -> Path:
    # Called for each of thousands of runs.
    return directory.resolve()


def _has_loaders(models: Path) -> bool:
    return models.is_dir() and any(models.iterdir())
