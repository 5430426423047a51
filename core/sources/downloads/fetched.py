# SPDX-License-Identifier: Apache-2.0
"""What a loader downloads for one variant: from the hub, from upstream's file cache, and through other libraries.

Derived from its syntax tree and those of the modules that its code reaches. Nothing is imported or run.
"""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from core.python import ReachedCall, Unknown
from core.sources.downloads.code_files import code_files
from core.sources.downloads.hub import CACHED_FILE, CALLS, MODEL, HubName, file_of_call, hub_name_of_call
from core.sources.downloads.reached_calls import LoaderCode
from core.sources.downloads.weights import Weights, weights_of_call
from core.sources.models_tree import loader_file
from core.sources.stamps import Stamp


class Fetched(NamedTuple):
    """The downloads of the code of a loader."""

    hub: tuple[HubName, ...] = ()
    """The checkpoint of the variant first, then repositories named in calls, then those that timm uses."""
    weights: tuple[Weights, ...] = ()
    """Downloads through libraries with their own servers, without those that are known to come from the hub.

    The name is empty if the loader computes it at run time.
    """
    files: tuple[str, ...] = ()
    """Files of upstream's cache: addresses, and paths below it; empty: computed by the loader at run time."""
    unknown: tuple[str, ...] = ()
    """The places, `FILE:LINE` below the models tree, of downloads that are only known when the loader runs."""


def fetched_by(models: Path, directory: str, variant: str) -> Fetched:
    """The downloads of a loader for a variant, as far as its code shows; `directory` is relative to the root `models`.

    Empty if nothing is downloaded, or if there is no readable loader.
    """
    return _fetched(str(models), code_of(models, directory), loader_file(directory), variant)


Code = tuple[tuple[str, Stamp | None], ...]
"""The files that an answer depends on, relative to the models tree, each with its stamp."""


def code_of(models: Path, directory: str) -> Code:
    """The code that `fetched_by` follows for a loader."""
    return tuple(code_files(str(models), loader_file(directory)).items())


@lru_cache(maxsize=4)
def _code(models: str, files: Code, start: str) -> LoaderCode | None:
    """The code of a loader, cached, because names resolve in the same way for all its variants; None: unreadable."""
    try:
        return LoaderCode(models, dict(files), start)
    except Unknown:
        return None


@lru_cache(maxsize=4096)
def _fetched(models: str, files: Code, start: str, variant: str) -> Fetched:
    code = _code(models, files, start)
    if code is None:
        return Fetched()
    asked = code.asked(variant, CALL_NAMES)
    found = _Found(start)
    for call in asked.calls:
        found.add(call)
    return found.result(asked.checkpoint, code.says_hub)


CALL_NAMES = frozenset({*CALLS, CACHED_FILE})
"""Functions whose own code is not followed."""


class _File(NamedTuple):
    name: str


Thing = HubName | Weights | _File


class _Found:
    """Collects downloads; one that is reached several times counts with its known names, if it has any."""

    def __init__(self, start: str) -> None:
        self._start = start
        self._things: dict[int, set[Thing]] = {}
        self._places: dict[int, tuple[str, int]] = {}
        self._asks_hub = False

    def add(self, call: ReachedCall) -> None:
        things: list[Thing | None] = [hub_name_of_call(call)]
        things += weights_of_call(call)
        if (file := file_of_call(call)) is not None:
            things.append(_File(file))
        found = {one for one in things if one}
        self._asks_hub |= any(isinstance(one, HubName) and one.kind == MODEL for one in found)
        if found:
            self._places[id(call.node)] = call.path, call.node.lineno
            certain = call.path == self._start or not call.one_of_several
            self._things.setdefault(id(call.node), set()).update(found if certain else ())

    def result(self, checkpoint: str, says_hub: bool) -> Fetched:
        """All downloads, with the checkpoint of the variant if the loader uses the hub or requests a model from it."""
        things: list[Thing] = []
        unknown: list[str] = []
        for call, (path, line) in self._places.items():
            named = [one for one in self._things[call] if one.name]
            unnamed = [one for one in self._things[call] if not isinstance(one, HubName)] if path == self._start else []
            things += sorted(named) or unnamed
            of_hub = all(isinstance(one, HubName) for one in self._things[call])
            if not named and not unnamed and not (checkpoint and of_hub and self._things[call]):
                # An unknown name nearly always means the variant's checkpoint.
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
