# SPDX-License-Identifier: Apache-2.0
"""From what a person types to the case of one training entry: its loader, and all entries that share it."""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from core.base.errors import UsageError
from core.base.files import read_text
from core.base.text import counted
from core.domain.ids import TestId
from core.domain.model import Framework, Loader
from core.matrix import Matrix, check_function, named
from core.providers import info_of
from core.python import ModuleFacts
from core.sources import Lineages, ModelInfos, ModelsTree, loader_file
from core.sources.downloads import fetched_by
from core.workflows.case import Case, CaseEntry
from core.workflows.loader_code.edits import REGISTRY_FILE, users

_LOADER_CLASS = "ModelLoader"
_SHOWN = 5
_NO_ENTRY, _ADD = "A workflow changes what an entry says.", "Add an entry first."
_HINT = "Provide either the YAML key or the model_info.name."


def find_target(matrix: Matrix, text: str, ids_of_model: Callable[[str], list[str]]) -> str:
    """The one training entry that `text` means: an id, a node id, a model's name, or a part that fits only one.

    Raises UsageError if it means none or several, or if there is no workflow for it.
    """
    function, wanted = named(text)
    if wanted in matrix.rows:
        check_function(matrix, function, wanted)
        _refuse(matrix, wanted)
        return wanted
    needle = wanted.lower()
    found = [id for id, lowered in zip(matrix.ids, matrix.lowered, strict=True) if needle and needle in lowered]
    meant = ids_of_model(wanted) or found
    fitting = [id for id in meant if is_target(matrix, id)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise UsageError(f"{text!r} matches {len(fitting)} training entries", _listed(fitting), "Provide the YAML key.")
    _refuse_all(matrix, text, meant)
    closest = _listed(matrix.closest(wanted))
    raise UsageError(
        f"Could not resolve {text} to a YAML entry or loader. {_HINT}", f"Closest:\n{closest}" if closest else ""
    )


def _refuse_all(matrix: Matrix, text: str, ids: Sequence[str]) -> None:
    """Explain for existing tests, none of which can be triaged, why each is rejected."""
    trained = [id for id in ids if not _shape_problem(id)]
    if len(trained) > 1:
        title = f"{text!r} matches {counted(len(trained), 'training test')}, but no training entry"
        raise UsageError(title, f"{_listed(trained)}\n{_NO_ENTRY}", _ADD)
    if ids:
        _refuse(matrix, (trained or ids)[0])


def _listed(ids: Sequence[str]) -> str:
    return "\n".join(f"  {id}" for id in ids[:_SHOWN])


def is_target(matrix: Matrix, id: str) -> bool:
    """Whether workflows exist for the test: PyTorch, training, on a single device, with an entry."""
    return id in matrix.entries and not _shape_problem(id)


def case_of(matrix: Matrix, infos: ModelInfos, id: str) -> Case:
    """All that a workflow needs to know of the training entry `id`. Raises TTMatrixError for an unreadable file."""
    parsed = TestId.parse(id)
    if parsed is None:
        raise UsageError(f"{id} is not a test id")
    checkout = matrix.checkout
    files = _loader_files(matrix, parsed.directory)
    registry = checkout.relative(checkout.models / REGISTRY_FILE)
    paths = [checkout.relative(checkout.models / file) for file in files]
    sources = {path: read_text(checkout.root / path) for path in paths}
    if (checkout.root / registry).is_file():
        sources[registry] = read_text(checkout.root / registry)
    sharing = _sharing(matrix, [file.removesuffix("/loader.py") for file in files])
    target = entry_of(matrix, id)
    scope = [target, *(one for one in entries_of(matrix, sharing) if one.id != id)]
    info = info_of(infos, id)
    return Case(
        target,
        paths[0],
        registry,
        sources,
        tuple(scope),
        tuple(entries_of(matrix, sharing, "inference")),
        info.task if info else "",
        _pages(checkout.models, target),
    )


def _pages(models: Path, target: CaseEntry) -> tuple[str, ...]:
    found = fetched_by(models, target.directory, target.variant)
    links = [*(one.link for one in found.hub), *(one.page for one in found.weights if one.page)]
    return tuple(dict.fromkeys(links))


def entries_of(matrix: Matrix, directories: Iterable[str], mode: str = "training") -> list[CaseEntry]:
    """The entries of these loaders that run on a single device in that mode."""
    wanted = frozenset(directories)
    parsed = ((id, TestId.parse(id)) for id in matrix.entries)
    ids = [id for id, one in parsed if one and one.directory in wanted and not _shape_problem(id, mode)]
    return [entry_of(matrix, id) for id in sorted(ids)]


def entry_of(matrix: Matrix, id: str) -> CaseEntry:
    """The entry that takes effect for `id`."""
    entry = matrix.entries[id]
    return CaseEntry(id, entry.file, dict(entry.fields))


def _refuse(matrix: Matrix, id: str) -> None:
    if problem := _shape_problem(id):
        twin = re.sub(r"-\w+-(inference|training)$", "-single_device-training", id)
        hint = f"There is {twin}" if twin in matrix.entries else "Name a training entry of a PyTorch model."
        raise UsageError(f"No workflow handles {id}", problem, hint)
    if id not in matrix.entries:
        raise UsageError(f"{id} has no entry", _NO_ENTRY, _ADD)


def _shape_problem(id: str, mode: str = "training") -> str:
    parsed = TestId.parse(id)
    if parsed is None:
        return "It does not follow the form of a test id."
    if parsed.framework is not Framework.PYTORCH:
        return "The workflows are for PyTorch loaders; this one is JAX."
    if parsed.llm is not None or parsed.parallelism != "single_device":
        return "The workflows are for whole models on a single device."
    return "" if parsed.mode == mode else "The workflows are for training tests."


def _loader_files(matrix: Matrix, directory: str) -> list[str]:
    """The loader's file, and those of the loaders that its class descends from; relative to the models root."""
    tree = ModelsTree(matrix.checkout.models)
    own = loader_file(directory)
    module = tree.module(own)
    places = Lineages(tree).of(own, module, _LOADER_CLASS) if isinstance(module, ModuleFacts) else ()
    return list(dict.fromkeys([own, *(place.path for place in places if place.path.endswith("/loader.py"))]))


def _sharing(matrix: Matrix, directories: Iterable[str]) -> set[str]:
    loaders: Iterable[Loader] = matrix.loaders.values()
    found = {one for directory in directories for one in users(matrix.checkout.models, loaders, directory)}
    return found | set(directories)
