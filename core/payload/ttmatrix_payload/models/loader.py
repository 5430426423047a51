# SPDX-License-Identifier: Apache-2.0
"""Import one loader module and create loader objects from it, as upstream's `DynamicLoader` does."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

MODELS = Path("third_party/tt_forge_models")

_IMPORTED: dict[tuple[Path, str], ModuleType] = {}


class Problem(Exception):
    """A fault of the environment or the request, not of the model."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def import_loader(checkout: Path, directory: str) -> ModuleType:
    """The module of `directory`/loader.py, with `tt_forge_models` and `third_party.tt_forge_models` importable.

    Changes the working directory and the import path. A module is imported only once, also in
    a fork. Raises Problem if there is no such file, and whatever the module raises.
    """
    if (checkout, directory) in _IMPORTED:
        return _IMPORTED[checkout, directory]
    models = checkout / MODELS
    if not (models / directory / "loader.py").is_file():
        raise Problem("no-loader", f"There is no {models / directory / 'loader.py'}")
    own = str(Path(__file__).resolve().parents[2])
    sys.path[:] = [entry for entry in sys.path if entry != own]
    make_importable(models)
    os.chdir(checkout)
    module = _IMPORTED[checkout, directory] = import_file(models, directory)
    return module


def make_importable(models: Path) -> None:
    """Put the tree at `models` on the import path, under both names that loaders import it by."""
    wanted = [str(models.parent), str(models)]
    parent, name = MODELS.parts
    if models.parts[-2:] == MODELS.parts:
        wanted.append(str(models.parents[1]))
    else:
        # A clone of the models alone may have any name and be anywhere.
        _make_package(name, [str(models)])
        _make_package(parent, [])
        _make_package(f"{parent}.{name}", [str(models)])
    sys.path[:] = [*wanted, *(entry for entry in sys.path if entry not in wanted)]


def _make_package(name: str, path: list[str]) -> None:
    package = ModuleType(name)
    package.__path__ = path
    sys.modules.setdefault(name, package)


def import_file(models: Path, directory: str) -> ModuleType:
    """Execute and return the module of one loader. Needs `make_importable`; raises whatever the module raises."""
    package = "tt_forge_models." + directory.replace("/", ".")
    spec = importlib.util.spec_from_file_location(f"{package}.loader", models / directory / "loader.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    module.__package__ = package
    # Stored under a name that nobody imports: other loaders may import the same file by its real name.
    sys.modules[f"tt-forge-models.{directory}"] = module
    spec.loader.exec_module(module)
    return module


def loader_factory(module: ModuleType, args: argparse.Namespace) -> Callable[[], Any]:
    """A function that makes a fresh loader object of the class and variant that `args` ask for.

    Raises Problem, listing the variants, if no class has the variant.
    """
    offers = []
    for cls in candidate_classes(module, args):
        variants = {str(getattr(key, "value", key)): key for key in cls.query_available_variants()}
        if args.variant in variants or (args.variant is None and not variants):
            return partial(cls, variant=variants.get(args.variant))
        offers.append(f"{cls.__name__} has {', '.join(variants) or 'no variants'}")
    wanted = "Loader without variants" if args.variant is None else f"Variant {args.variant!r}"
    raise Problem("unknown-variant", f"{wanted} not found in {args.loader}: {'; '.join(offers) or 'no class'}")


def candidate_classes(module: ModuleType, args: argparse.Namespace) -> list[Any]:
    """The loader classes that can serve the phase; for prefill only those written in this very module."""
    if args.class_name:
        return [getattr(module, args.class_name)]
    if args.phase != "llm_prefill":
        return [module.ModelLoader]
    # Use the name from which the module imports its base class; under another name it would be another class.
    base = importlib.import_module("tt_forge_models.base").ForgePrefillModel
    classes = [value for value in vars(module).values() if isinstance(value, type)]
    return [cls for cls in classes if issubclass(cls, base) and cls.__module__ == module.__name__]


def missing_package(error: BaseException | None, args: argparse.Namespace) -> Problem | None:
    """What to install, if `error` says that a package from outside the checkout is missing; else None."""
    if not isinstance(error, ModuleNotFoundError) or not error.name:
        return None
    package = error.name.partition(".")[0]
    models = args.checkout / MODELS
    roots = (args.checkout, models, models.parent)
    if any((root / package).exists() or (root / f"{package}.py").exists() for root in roots):
        return None
    requirements = models / args.loader / "requirements.txt"
    hint = f"; the loader's own list is {requirements}" if requirements.is_file() else ""
    return Problem("missing-package", f"Package {package!r} is not installed for {sys.executable}{hint}")
