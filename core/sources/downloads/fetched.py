# SPDX-License-Identifier: Apache-2.0
"""What a loader fetches for one variant: of the hub, of upstream's cache of files, and through other libraries.

From syntax trees: its own, and those of the modules beside it that its code reaches. Nothing is imported or run.
"""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from core.sources.downloads.code_modules import CodeModules, code_files
from core.sources.downloads.hub import MODEL, HubName, file_of_call, hub_name_of_call
from core.sources.downloads.reached_calls import ReachedCall, reached_calls
from core.sources.downloads.weights import Weights, weights_of_call
from core.sources.loaders import loader_file
from core.sources.stamps import Stamp
from core.sources.variants import checkpoint_of


class Fetched(NamedTuple):
    """What the code of a loader asks others for."""

    hub: tuple[HubName, ...] = ()
    """The checkpoint of the variant first, then what calls name, then what timm takes from there."""
    weights: tuple[Weights, ...] = ()
    """Through libraries that have servers of their own; without what is known to come from the hub.

    Without a name where the loader itself makes that as it runs.
    """
    files: tuple[str, ...] = ()
    """Of upstream's cache of files: addresses, and paths below it; empty: the loader itself makes it as it runs."""
    unknown: tuple[str, ...] = ()
    """The places, `FILE:LINE` below the models tree, that ask for what is only known as the loader runs."""


def fetched_by(models: Path, directory: str, variant: str) -> Fetched:
    """What the loader in `directory`, relative to the root `models`, fetches for a variant, as far as code tells.

    Empty where nothing is fetched, or there is no loader that can be read.
    """
    start = loader_file(directory)
    files = code_files(str(models), start)
    return _fetched(str(models), tuple(files.items()), start, variant)


_Files = tuple[tuple[str, Stamp | None], ...]


@lru_cache(maxsize=4)
def _modules(models: str, files: _Files) -> CodeModules:
    """Where names lead is the same for all variants of a loader."""
    return CodeModules(models, dict(files))


@lru_cache(maxsize=4096)
def _fetched(models: str, files: _Files, start: str, variant: str) -> Fetched:
    modules = _modules(models, files)
    own = modules.file(start)
    if own is None:
        return Fetched()
    found = _Found(start)
    for call in reached_calls(modules, start, variant):
        found.add(call)
    return found.result(checkpoint_of(own.configurations.get(variant, {})), own.says_hub)


class _File(NamedTuple):
    name: str


Thing = HubName | Weights | _File


class _Found:
    """What calls fetch; one that is reached several times counts with the names it has, if it has any."""

    def __init__(self, start: str) -> None:
        self._start = start
        self._things: dict[int, set[Thing]] = {}
        self._places: dict[int, tuple[str, int]] = {}
        self._asks_hub = False

    def add(self, call: ReachedCall) -> None:
        things: list[Thing | None] = [hub_name_of_call(call.node, call.texts)]
        things += weights_of_call(call.node, call.texts)
        if (file := file_of_call(call.node, call.texts)) is not None:
            things.append(_File(file))
        found = {one for one in things if one}
        self._asks_hub |= any(isinstance(one, HubName) and one.kind == MODEL for one in found)
        if found:
            self._places[id(call.node)] = call.path, call.node.lineno
            certain = call.path == self._start or not call.one_of_several
            self._things.setdefault(id(call.node), set()).update(found if certain else ())

    def result(self, checkpoint: str, says_hub: bool) -> Fetched:
        """All of it, with the checkpoint of the variant where the loader is of the hub or asks that for a model."""
        things: list[Thing] = []
        unknown: list[str] = []
        for call, (path, line) in self._places.items():
            named = [one for one in self._things[call] if one.name]
            unnamed = [one for one in self._things[call] if not isinstance(one, HubName)] if path == self._start else []
            things += sorted(named) or unnamed
            of_hub = all(isinstance(one, HubName) for one in self._things[call])
            if not named and not unnamed and not (checkpoint and of_hub and self._things[call]):
                # A name that is not known is that of the variant's checkpoint nearly always.
                unknown.append(f"{path}:{line}")
        asked = [one for one in things if isinstance(one, HubName)]
        weights = [one for one in things if isinstance(one, Weights)]
        own = [HubName(MODEL, checkpoint)] if says_hub or self._asks_hub else []
        timm = [HubName(MODEL, one.on_hub) for one in weights if one.on_hub]
        return Fetched(
            tuple(dict.fromkeys(one for one in (*own, *asked, *timm) if one.is_repository)),
            tuple(dict.fromkeys(one for one in weights if not one.on_hub)),
            tuple(dict.fromkeys(one.name for one in things if isinstance(one, _File))),
            tuple(dict.fromkeys(unknown)),
        )
