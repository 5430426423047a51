# SPDX-License-Identifier: Apache-2.0
"""Which model of the tree the name of a placeholder means: by directory, variant, checkpoint, or the loader's own name.

People write such names in many ways: `Gemma 3 27B`, `google/gemma-3-27b-it`, `oft-net`, `Open VLA`.
"""

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from core.base.errors import TTMatrixError
from core.base.files import read_text
from core.base.text import letters
from core.domain.model import Framework
from core.matrix import Matrix
from core.sources import ModelInfos, loader_file

_WORD = re.compile(r"[A-Za-z0-9.]+")
_MODEL = re.compile(r"\bmodel\s*=\s*f?[\"']([^\"'{}]+)[\"']")
_VAGUE = frozenset({"instruct", "chat", "it", "hf", "base", "preview", "net", "network", "model", "default"})
"""Words that the names of one model have or lack."""
_TASKS = frozenset({"causal_lm", "conditional_generation", *Framework})
_END = re.compile(r"[-_ ](?:\d\d-20\d\d|2[3-9][01]\d|v\d+\.\d+)$", re.IGNORECASE)
"""A date or a version of weights, at the end of a name."""
_CHECKPOINT = re.compile(r"[\"']([\w.-]+/[\w.-]+)[\"']")
_LEAST_OF_ANAGRAM = 8
"""So many letters in another order are the same words: `3D_DenseUNet`, `dense_unet_3d`."""
_LEAST_LETTERS = 3
_LEAST_OF_VARIANT = 8
"""A variant that is shorter is named after a size, not after a model."""
_NEAREST = 0.6
_ALMOST = 0.9


class PlannedModel(NamedTuple):
    """A loader, or one variant of it, with the names that people use for it."""

    base: str
    """The beginning of its ids, without the dash."""
    names: frozenset[str]
    """In letters and digits."""
    checkpoint: str = ""


def read_models(matrix: Matrix, infos: ModelInfos) -> tuple[PlannedModel, ...]:
    """The models of all loaders. Reads a few hundred files."""
    return tuple(model for directory in matrix.loaders for model in _models(matrix, infos, directory))


def models_named(name: str, models: Iterable[PlannedModel]) -> Iterator[str]:
    """The beginnings of the ids of the model that a placeholder names."""
    wanted, models = _spellings(name), tuple(models)
    found = [model.base for model in models if not wanted.isdisjoint(model.names)]
    yield from found or _misspelt(letters(name.rpartition("/")[2]), models)


def _misspelt(name: str, models: Iterable[PlannedModel]) -> Iterator[str]:
    """The models whose names differ in one letter of many, or in the order of two, and in no digit."""
    if len(name) < _LEAST_OF_ANAGRAM:
        return
    digits = re.sub(r"\D", "", name)
    for model in models:
        alike = [one for one in model.names if one[0] == name[0] and len(one) == len(name)]
        # Of most models there is none.
        near = alike and difflib.get_close_matches(name, alike, 1, _ALMOST)
        if near and re.sub(r"\D", "", near[0]) == digits:
            yield model.base


def nearest_models(name: str, models: Sequence[PlannedModel], count: int = 3) -> tuple[str, ...]:
    """The models with the names that are most like that of a placeholder."""
    by_name = {one: model.base for model in reversed(models) for one in model.names if not one.startswith("~")}
    near = difflib.get_close_matches(letters(name.rpartition("/")[2]), by_name, count, _NEAREST)
    return tuple(dict.fromkeys(by_name[one] for one in near))


def _models(matrix: Matrix, infos: ModelInfos, directory: str) -> Iterator[PlannedModel]:
    try:
        source = read_text(matrix.checkout.models / loader_file(directory))
    except TTMatrixError:
        return
    parts = [part for part in directory.split("/") if part not in _TASKS]
    own = {letters("".join(parts)), *map(letters, parts[:1]), *(letters(part) for part in parts[1:] if "_" in part)}
    own |= {spelling for part in parts for spelling in _spellings(part)}
    own |= {_any_order(one) for one in own if len(one) >= _LEAST_OF_ANAGRAM}
    variants = matrix.loaders[directory].variants
    called: set[str] = set()
    if len(variants) < 2:
        called = {spelling for text in _MODEL.findall(source) for spelling in _spellings(text)}
    if not variants:
        called |= {spelling for text in _CHECKPOINT.findall(source) for spelling in _spellings(text)}
    yield PlannedModel(directory, _long_enough({*own, *called}))
    for variant in variants:
        plain = [spelling for spelling in _spellings(variant) if not spelling.startswith("~")]
        names = {f"{above}{spelling}" for above in own if not above.startswith("~") for spelling in plain}
        names |= {_any_order(one) for one in names if len(one) >= _LEAST_OF_ANAGRAM}
        names |= {spelling for spelling in _spellings(variant) if len(spelling) >= _LEAST_OF_VARIANT}
        checkpoint = infos.checkpoints.get((directory, variant), "")
        names |= _spellings(checkpoint) if checkpoint else set()
        yield PlannedModel(f"{directory}-{variant}", _long_enough(names - own), checkpoint)


def _long_enough(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name for name in names if len(name) >= _LEAST_LETTERS)


def _spellings(name: str) -> frozenset[str]:
    """A name without its owner, in letters and digits; also without vague words and dates at its end."""
    last = name.rpartition("/")[2]
    found = {letters(last)}
    undated = _END.sub("", last)
    words = _WORD.findall(undated.replace("_", " "))
    found.add(letters(undated))
    while len(words) > 1 and words[-1].lower() in _VAGUE:
        words = words[:-1]
        found.add(letters("".join(words)))
    found |= {_any_order(one) for one in found if len(one) >= _LEAST_OF_ANAGRAM}
    return frozenset(found)


def _any_order(name: str) -> str:
    return "~" + "".join(sorted(name))
