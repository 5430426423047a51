# SPDX-License-Identifier: Apache-2.0
"""Weights that loaders download through libraries with their own servers: which ones are missing, and their sizes.

No network is used: torchvision's own source has the addresses and sizes of its weights.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from core.base.text import counted
from core.runs.planning.downloads import (
    HUB_KINDS,
    Download,
    Kind,
    Sources,
    asked_packages,
    hub_cache,
    listed,
    requirement_places,
)
from core.runs.planning.loader_downloads import asked_by
from core.runs.planning.preflight_checks import Level, Obstacle
from core.runs.spec import RunSpec
from core.sources import Checkout
from core.sources.downloads import Library, WeightFile, Weights, torchvision_files

_SOURCES = ("lib/python3*/site-packages/torchvision/models", "lib/python3*/dist-packages/torchvision/models")
"""Relative to the environment of an interpreter."""
_OF_TORCHVISION = "pytorch/vision"
_ORIGINS = ("", "_coco", "_rwightman", "_lukemelas")
"""Suffixes that torchvision appends to the name of a model in file names."""
_ODD = re.compile(r"[^\w.*+-]")
"""Characters of a loader's name that have another meaning in a pattern."""


def with_weights(
    found: Sources, checkout: Checkout, tests: Iterable[str], python: Path, environ: Mapping[str, str]
) -> Sources:
    """`found` with the missing weights that `tests` need, and their cache."""
    wanted = {one for _, asked in asked_by(checkout, tests) for one in asked.weights}
    downloads = sorted(
        {absent for one in wanted if (absent := _absent(one, python, environ))}, key=lambda one: (one.kind, one.name)
    )
    notes = _notes(wanted, environ)
    return replace(found, downloads=[*found.downloads, *downloads], notes=[*found.notes, *notes])


def _absent(weights: Weights, python: Path, environ: Mapping[str, str]) -> Download | None:
    checkpoints = _torch_home(environ) / "hub/checkpoints"
    if weights.address:
        return None if _is_there(checkpoints, weights.address) else Download(Kind.FILE, weights.address)
    known = _of_torchvision(python).get((weights.name, weights.member)) if _is_torchvision(weights) else None
    if known:
        here = _is_there(checkpoints, known.address)
    else:
        here = bool(weights.name) and all(
            any(True for name in names for _ in place.glob(_ODD.sub("?", name)))
            for place, *names in _places(weights, checkpoints, environ)
        )
    return None if here else Download(Kind.WEIGHTS, weights.text, known.size if known else None)


def _is_torchvision(weights: Weights) -> bool:
    return weights.library is Library.TORCHVISION


def _places(weights: Weights, checkpoints: Path, environ: Mapping[str, str]) -> Iterator[tuple[Path, *tuple[str, ...]]]:
    """The place of each part after its download: a directory, and patterns of names in it.

    The names of a repository's weights are not known, except torchvision's: its code in the cache shows that it was
    downloaded.
    """
    if weights.library is Library.TIMM:
        yield hub_cache(environ), f"models--timm--{weights.name}.*"
    elif weights.library is Library.PYTORCHCV:
        yield Path("~/.torch/models").expanduser(), f"{weights.name}-*.pth"
    else:
        repository, _, reference = weights.repository.partition(":")
        if repository:
            yield checkpoints.parent, f"{repository.replace('/', '_')}_{reference or '*'}"
        if weights.pretrained and repository in ("", _OF_TORCHVISION):
            yield checkpoints, *(f"{weights.name}{origin}-*" for origin in _ORIGINS)


def _is_there(checkpoints: Path, address: str) -> bool:
    """Whether the file that torch.hub stores for an address exists."""
    with suppress(ValueError):
        base = os.path.basename(urlsplit(address).path)  # noqa: PTH119 - a part of an address
        return bool(base) and (checkpoints / base).exists()
    return False


def _torch_home(environ: Mapping[str, str]) -> Path:
    """The cache directory of torch.hub, found as torch.hub does."""
    return Path(environ.get("TORCH_HOME") or f"{environ.get('XDG_CACHE_HOME') or '~/.cache'}/torch").expanduser()


def _notes(wanted: Iterable[Weights], environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    if any(one.library in (Library.TORCH_HUB, Library.TORCHVISION) for one in wanted):
        setting = next((name for name in ("TORCH_HOME", "XDG_CACHE_HOME") if environ.get(name)), "")
        said = f"{setting} says so" if setting else "TORCH_HOME is not set, so this is in your home directory"
        yield f"Files of torch.hub and torchvision are cached in {_torch_home(environ) / 'hub'}", f"{said}."


def _of_torchvision(python: Path) -> Mapping[tuple[str, str], WeightFile]:
    """The weight files of the torchvision beside `python`, by model and member of its weights; empty without one."""
    places = [place for pattern in _SOURCES for place in python.parent.parent.glob(pattern)]
    return torchvision_files(places[0]) if places else {}


def fetched_elsewhere(specs: Sequence[RunSpec]) -> list[Obstacle]:
    """The notes about runs that leave this machine and share a checkout; none if their loaders download nothing."""
    away = [spec for spec in specs if spec.needs and not spec.cases]
    found = wanted(Checkout(away[0].cwd), [spec.test_id for spec in away]) if away else []
    if not found:
        return []
    places = " and ".join(sorted({spec.needs for spec in away}))
    kinds = [(kind, [one.name for one in found if one.kind is kind]) for kind in Kind]
    words = "; ".join(f"{counted(len(names), kind)}: {listed(names)}" for kind, names in kinds if names)
    what = f"Runs on {places} download what is not there yet: {words}"
    remedy = "What those machines have is not known here, so you are not asked. The log of a run shows its downloads"
    return [Obstacle(Level.NOTE, what, remedy)]


def wanted(checkout: Checkout, tests: Iterable[str]) -> list[Download]:
    """All that the loaders of `tests` download with empty caches, as far as they name it; without sizes."""
    tests = list(dict.fromkeys(tests))
    found = [
        Download(Kind.PACKAGE, one) for place in requirement_places(checkout, tests) for one in asked_packages(place)
    ]
    for _, asked in asked_by(checkout, tests):
        found += (Download(HUB_KINDS[one.kind], one.name) for one in asked.hub)
        found += (
            Download(Kind.FILE, one.address) if one.address else Download(Kind.WEIGHTS, one.text)
            for one in asked.weights
        )
        found += (Download(Kind.FILE, one) for one in asked.files if one)
    return list(dict.fromkeys(found))
