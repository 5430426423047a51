# SPDX-License-Identifier: Apache-2.0
"""What a loader fetches, from its syntax tree: checkpoints and datasets of the Hugging Face hub, files of a cache."""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from core.sources.syntax import parse_python
from core.sources.variants import checkpoints_in
from core.sources.weights import weights_of

_NAME = re.compile(r"[\w.-]+/[\w.-]+")
_ADDRESS = "https://huggingface.co/"
_MODEL, _DATASET = "model", "dataset"
_CALLS = {
    "from_pretrained": _MODEL,
    "hf_hub_download": _MODEL,
    "snapshot_download": _MODEL,
    "load_dataset": _DATASET,
}
_OF_MODELS = ("HUGGING_FACE", *(f"{call}(" for call, kind in _CALLS.items() if kind == _MODEL))
"""Texts of which a loader that asks the hub for models has one: the origin that it states, or a call."""
_SIGNS = (*_OF_MODELS, *(f"{call}(" for call in _CALLS))
_CACHED_FILE = "get_file"
"""Upstream's own way to files that CI has in a cache (tools/utils.py of the models tree)."""
_PATHS = {_MODEL: "", _DATASET: "datasets/"}


class HubName(NamedTuple):
    """A repository of the hub."""

    kind: str
    """`model` or `dataset`."""
    name: str
    """`owner/name`."""

    @property
    def link(self) -> str:
        """Its page."""
        return f"{_ADDRESS}{_PATHS[self.kind]}{self.name}"


@lru_cache(maxsize=64)
def hub_names(source: str, variant: str) -> tuple[HubName, ...]:
    """What the loader with this text fetches from the hub for a variant: its checkpoint first, then what calls name.

    What timm takes from there comes last. Only constants are read, and no other variant's checkpoint. Empty where the
    loader asks no hub, or is no Python.
    """
    found = [HubName(_MODEL, one.on_hub) for one in weights_of(source, variant)]
    if any(sign in source for sign in _SIGNS):
        try:
            tree = parse_python(source)
        except (SyntaxError, ValueError):
            return ()
        own = checkpoints_in(tree).get(variant, "") if any(sign in source for sign in _OF_MODELS) else ""
        found = [HubName(_MODEL, own), *_called(tree), *found]
    return tuple(dict.fromkeys(one for one in found if _NAME.fullmatch(one.name)))


def _called(tree: ast.Module) -> Iterator[HubName]:
    """The constants that calls of the hub's libraries have as their first argument."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(attr=call) | ast.Name(id=call), args=[ast.Constant(value=str(name)), *_]
            ) if call in _CALLS:
                yield HubName(_CALLS[call], name)


@lru_cache(maxsize=64)
def cached_files(source: str) -> tuple[str, ...]:
    """What the loader with this text asks upstream's cache of files for: addresses, and paths below the cache.

    Constants alone are known; what is not is an empty text. Empty where it asks for none, or is no Python.
    """
    if f"{_CACHED_FILE}(" not in source:
        return ()
    try:
        tree = parse_python(source)
    except (SyntaxError, ValueError):
        return ()
    return tuple(dict.fromkeys(_asked(tree)))


def _asked(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[asked, *_]) if name == _CACHED_FILE:
                yield _constant(asked)


def _constant(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Call(func=ast.Name(id="str"), args=[ast.Constant(value=str(text))]):
            return text
    return ""
