# SPDX-License-Identifier: Apache-2.0
"""The model infos that loaders report (docs/rules.md 1.7), derived from their source without importing it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from core.model import Loader, ModelInfo
from core.sources.checkout import Checkout
from core.sources.evaluator.evaluator import Evaluator
from core.sources.evaluator.tree import TreeNames
from core.sources.evaluator.values import Dictionary, EnumMember, Record, TreeClass, Unknown, Value, text
from core.sources.loaders import loader_file

_LOADER_CLASS = "ModelLoader"
_INFO_CLASS = "ModelInfo"
_BASE_FILE = "base.py"
_LOADERS_AT_ONCE = 25
"""How many syntax trees are cached: more take memory, with fewer the shared modules are parsed more often."""

Key: TypeAlias = tuple[str, str | None]
"""Loader directory and variant value; None: the loader has no variants."""


@dataclass(frozen=True, slots=True)
class ModelInfos:
    """The model info of every loader and variant, or why it is only known when the loader runs."""

    known: Mapping[Key, ModelInfo]
    unknown: Mapping[Key, str]
    """The reasons for those that are not in `known`."""


def read_model_infos(checkout: Checkout, loaders: Iterable[Loader]) -> ModelInfos:
    """The infos of each of `loaders` for each of its variants, or the reason why one cannot be derived."""
    evaluator = Evaluator(tree := TreeNames(checkout.models))
    known: dict[Key, ModelInfo] = {}
    unknown: dict[Key, str] = {}
    for number, loader in enumerate(loaders, 1):
        if number % _LOADERS_AT_ONCE == 0:
            evaluator.forget()
        for variant in loader.variants or (None,):
            try:
                known[loader.directory, variant] = _ask(loader, variant, tree, evaluator)
            except Unknown as error:
                unknown[loader.directory, variant] = str(error)
            except RecursionError:
                unknown[loader.directory, variant] = "refers to itself or nests too deeply"
    return ModelInfos(known, unknown)


def _ask(loader: Loader, variant: str | None, tree: TreeNames, evaluator: Evaluator) -> ModelInfo:
    """Evaluate upstream's `get_model_info`, which validates the variant and calls `_get_model_info`."""
    found = tree.lookup(loader_file(loader.directory), _LOADER_CLASS)
    if not isinstance(found, TreeClass):
        raise Unknown(f"{_LOADER_CLASS} is not a class of the models tree")
    for one in tree.ancestors(found):
        if isinstance(one, TreeClass) and one.path != _BASE_FILE and "get_model_info" in one.source.names:
            raise Unknown(f"{one.name} has its own get_model_info")
    member = None if variant is None else _member(found, variant, evaluator)
    return _info(evaluator.call_method(found, "_get_model_info", member), evaluator)


def _member(loader: TreeClass, variant: str, evaluator: Evaluator) -> Value:
    """The key of `_VARIANTS` with the text `variant`."""
    variants = evaluator.attribute(loader, "_VARIANTS")
    for key, _ in variants.items if isinstance(variants, Dictionary) else ():
        if isinstance(key, EnumMember | str) and text(key) == variant:
            return key
    raise Unknown(f"_VARIANTS has no {variant}")


def _info(returned: Value, evaluator: Evaluator) -> ModelInfo:
    if not isinstance(returned, Record) or returned.kind.name != _INFO_CLASS:
        raise Unknown(f"_get_model_info returns no {_INFO_CLASS}")
    variant = evaluator.attribute(returned, "variant")
    parts = {name: _text(returned, name, evaluator) for name in ("model", "group", "task", "source", "framework")}
    return ModelInfo(variant=None if variant is None else text(variant), **parts)


def _text(info: Record, name: str, evaluator: Evaluator) -> str:
    value = evaluator.attribute(info, name)
    if isinstance(value, EnumMember | str):
        return text(value)
    raise Unknown(f"the {name} is not a text")
