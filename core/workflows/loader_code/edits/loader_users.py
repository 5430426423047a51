# SPDX-License-Identifier: Apache-2.0
"""The loaders that an edit affects: those that may return an output class, and those that use another's code."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.base.files import read_loosely
from core.domain.model import Framework, Loader
from core.python import Imported, ModuleFacts
from core.sources import Lineages, ModelsTree, loader_file
from core.workflows.loader_code.edits.registry import may_return
from core.workflows.loader_code.edits.unpack import METHOD
from core.workflows.loader_code.model_library import ModelLibrary, mentioned_by

_CLASS = "ModelLoader"
_IMPORT = re.compile(r"^[ \t]*from [\w.]+ import (?:\([^)]*\)|.*)$|^[ \t]*import .*$", re.MULTILINE)
_SHARED = re.compile(r"(base|config|training_utils|__init__)\.py|tools/.*")
"""Files of the tree that mention every model: a class named there says nothing about a single loader."""


class Confidence(StrEnum):
    """How much is known of whether a loader returns a class."""

    CONFIRMED = "confirmed"
    """A run has shown it."""
    NAMED = "named"
    """Its code, or code of the models tree that it imports, names the class."""
    POSSIBLE = "possible"
    """It imports a model class that fits from a library that defines the output class."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A loader that an edit of the registry may affect."""

    directory: str
    confidence: Confidence
    why: str


def returning(
    models: Path,
    loaders: Iterable[Loader],
    output_class: str,
    seen: Mapping[str, frozenset[str]],
    library: ModelLibrary | None = None,
) -> tuple[Reached, ...]:
    """Every torch loader that may return `output_class`, by directory; loaders with their own override are left out.

    `library` knows what the imported model classes return; for classes that it does not know, their names decide.

    `seen` has the output classes that runs have shown, by directory. A loader with other classes in `seen` is left out
    if only its imports suggest it, because its variants may differ.
    """
    tree = ModelsTree(models)
    lineages = Lineages(tree)
    found = []
    for loader in sorted(loaders, key=lambda one: one.directory):
        if loader.framework is Framework.PYTORCH and not _has_override(tree, lineages, loader.directory):
            reached = _reached(tree, loader.directory, output_class, seen.get(loader.directory), library)
            found += [reached] if reached is not None else []
    return tuple(found)


def users(models: Path, loaders: Iterable[Loader], directory: str) -> tuple[str, ...]:
    """Directories whose loader class is that of `directory` or descends from it; `directory` is first."""
    tree = ModelsTree(models)
    lineages = Lineages(tree)
    path = loader_file(directory)
    others = [
        loader.directory
        for loader in loaders
        if loader.directory != directory and path in _paths(tree, lineages, loader.directory)
    ]
    return (directory, *sorted(others))


def _paths(tree: ModelsTree, lineages: Lineages, directory: str) -> set[str]:
    """The files that define the loader class of `directory`, including its bases."""
    path = loader_file(directory)
    module = tree.module(path)
    return {one.path for one in lineages.of(path, module, _CLASS)} if isinstance(module, ModuleFacts) else set()


def _has_override(tree: ModelsTree, lineages: Lineages, directory: str) -> bool:
    path = loader_file(directory)
    module = tree.module(path)
    if not isinstance(module, ModuleFacts):
        return False
    return any(METHOD in one.facts.methods for one in lineages.of(path, module, _CLASS) if one.path != "base.py")


def _reached(
    tree: ModelsTree, directory: str, output_class: str, seen: frozenset[str] | None, library: ModelLibrary | None
) -> Reached | None:
    if seen and output_class in seen:
        return Reached(directory, Confidence.CONFIRMED, "a run has shown it")
    word = re.compile(rf"\b{re.escape(output_class)}\b")
    modules = [(path, module, _text(tree, path)) for path, module in _modules(tree, loader_file(directory))]
    for path, _, text in modules:
        if word.search(text):
            return Reached(directory, Confidence.NAMED, f"named in {path}")
    if seen:
        return None
    about = mentioned_by(directory, "\n".join(text for _, _, text in modules))
    for path, module, text in modules:
        body = _IMPORT.sub("", text)
        for local, imported in module.imports.items():
            if imported.level == 0 and _returns(imported, output_class, about, library) and _uses(body, local):
                return Reached(directory, Confidence.POSSIBLE, f"{path} imports {imported.name} from {imported.module}")
    return None


def _returns(imported: Imported, output_class: str, about: str, library: ModelLibrary | None) -> bool:
    """Whether an imported class may return `output_class`: by its forward if it can be read, else by its name."""
    named = may_return(imported.module, imported.name, output_class, about)
    known = None
    if library is not None and imported.module.partition(".")[0] == library.name:
        known = library.returned_by(imported.name, about)
    return named if known is None else output_class in known


def _uses(body: str, name: str) -> bool:
    """Whether the code without its imports mentions a class."""
    return re.search(rf"\b{re.escape(name)}\b", body) is not None


def _text(tree: ModelsTree, path: str) -> str:
    return read_loosely(tree.models / path)


def _modules(tree: ModelsTree, path: str) -> Iterator[tuple[str, ModuleFacts]]:
    """The file and everything that it imports from the tree, except files that all loaders share."""
    waiting, known = [path], {path}
    while waiting:
        at = waiting.pop(0)
        module = tree.module(at)
        if not isinstance(module, ModuleFacts):
            continue
        yield at, module
        found = (tree.imported(at, one) for one in module.imports.values())
        fresh = {one[0] for one in found if one is not None and not _SHARED.fullmatch(one[0])} - known
        known |= fresh
        waiting += sorted(fresh)
