# SPDX-License-Identifier: Apache-2.0
"""Find the loaders of a models tree and import them; failed imports are listed, never hidden.

See docs/rules.md 1.1, 1.2.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FRAMEWORKS = ("pytorch", "jax")
EXCLUDED = ("suryaocr",)
"""Parent directories whose torch loaders upstream leaves out."""
RED_ONLY = "TT_XLA_RED_ONLY"

_LOADER = "loader.py"


@dataclass(frozen=True)
class Model:
    """One loader class with one of its variants."""

    directory: str
    """Directory of the loader, relative to the models root."""
    variant: Any
    """The member of the loader's enum; None: the model has no variants."""
    loader_class: Any
    info: Any
    """The loader's ModelInfo."""
    prefill: bool = False
    """Whether the class is for LLM prefill only."""

    @property
    def base(self) -> str:
        """The beginning of its ids (docs/rules.md 1.5)."""
        return f"{self.directory}-{self.variant}" if self.variant else self.directory

    @property
    def framework(self) -> str:
        return self.directory.rpartition("/")[2]

    @property
    def group(self) -> str | None:
        group = getattr(self.info, "group", None)
        return None if group is None else str(getattr(group, "value", group))


@dataclass(frozen=True)
class ImportProblem:
    """A loader that contributes no models, and why."""

    directory: str
    error_type: str
    message: str

    def __str__(self) -> str:
        return f"{self.directory}: {self.error_type}: {self.message}".strip().partition("\n")[0]


def loader_directories(models: Path) -> list[str]:
    """Directories that count as loaders, relative to `models`, sorted; PyTorch before JAX, as upstream does."""
    found = []
    for where, _, names in os.walk(models):
        above, _, name = where.rpartition(os.sep)
        excluded = name == "pytorch" and above.rpartition(os.sep)[2] in EXCLUDED
        if name in FRAMEWORKS and _LOADER in names and not excluded:
            found.append(os.path.relpath(where, models).replace(os.sep, "/"))
    return sorted(found, key=lambda directory: (FRAMEWORKS.index(directory.rpartition("/")[2]), directory))


def directories_of(models: Path, test_id: str) -> list[str]:
    """The loader directories that `test_id` may belong to: usually one, since a variant may look like a path."""
    prefixes = {test_id[: match.end()] for match in re.finditer(r"/(?:pytorch|jax)(?=-)", test_id)}
    return sorted(one for one in prefixes if ".." not in one.split("/") and (models / one / _LOADER).is_file())


@cache
def load(models: Path, directory: str) -> tuple[Model, ...] | ImportProblem:
    """The models of the loader in `directory`, which is imported at the first call."""
    try:
        return tuple(_models(models, directory))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a loader raises is the finding
        return ImportProblem(directory, type(error).__name__, str(error))


def _models(models: Path, directory: str) -> Iterator[Model]:
    module = _import(models, directory)
    red_only = os.environ.get(RED_ONLY) == "1"
    for cls in _classes(module):
        for variant in [*cls.query_available_variants()] or [None]:
            model = Model(directory, variant, cls, cls.get_model_info(variant=variant), cls is not module.ModelLoader)
            if not red_only or model.group == "red":
                yield model


def _classes(module: Any) -> list[Any]:
    """`ModelLoader` and the prefill classes defined in this module itself, in upstream's order: by name."""
    main, base = module.ModelLoader, getattr(importlib.import_module("tt_forge_models.base"), "ForgePrefillModel", None)
    if base is None:
        return [main]
    own = [
        one for _, one in sorted(vars(module).items()) if isinstance(one, type) and one.__module__ == module.__name__
    ]
    return [main, *(one for one in own if issubclass(one, base) and one not in (base, main))]


def _import(models: Path, directory: str) -> Any:
    from ..models.loader import import_file, make_importable

    make_importable(models)
    return import_file(models, directory)


def problem_document(problems: list[ImportProblem]) -> list[dict[str, str]]:
    """`problems` as JSON can hold them."""
    return [
        {"loader": one.directory, "error_type": one.error_type, "message": one.message, "python": sys.executable}
        for one in problems
    ]
