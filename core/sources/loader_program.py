# SPDX-License-Identifier: Apache-2.0
"""The loaders of a models tree, evaluated from their source: variants, model infos, and what asking for them raises.

Nothing is imported (docs/rules.md 1.1, 1.7).
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from core.domain.model import Finding, Loader, ModelInfo
from core.python import (
    Class,
    Instance,
    Member,
    Opaque,
    Program,
    Raised,
    Raises,
    Unknown,
    Value,
    unknown_object,
    written_items,
)
from core.sources.checkout import Checkout
from core.sources.content_cache import ContentCache, Contents
from core.sources.models_tree import CHECKPOINT, LOADER_CLASS, VARIANTS, loader_file, models_resolver
from core.sources.variants import Replaced, replaced_variants, variant_items

_INFO_CLASS = "ModelInfo"
_BASE_FILE = "base.py"
_LOADERS_AT_ONCE = 25
"""How many syntax trees stay in memory: more take room, with fewer the shared modules are parsed more often."""

Key: TypeAlias = tuple[str, str | None]
"""Loader directory and variant value; None: the loader has no variants."""


class Stage(StrEnum):
    """When upstream meets an exception of a loader."""

    IMPORT = "import"
    """It is imported, or its variants are read: it contributes no tests, and nothing says so."""
    INFO = "info"
    """Its model info is asked for: every collection of model tests ends with an INTERNALERROR."""
    INSTANCE = "instance"
    """It is made: its tests fail."""


class Failure(NamedTuple):
    """What a loader raises; the path is relative to the checkout."""

    stage: Stage
    raised: Raised

    def finding(self, directory: str) -> Finding:
        """The failure of the loader in `directory`, for people."""
        kind, what = _TOLD[self.stage]
        return Finding(kind, f"{what} {self.raised.text}", self.raised.path, self.raised.line, id=directory)


_TOLD = {
    Stage.IMPORT: ("broken-loader", "Contributes no tests: importing it"),
    Stage.INFO: ("raising-loader", "Ends every collection of model tests with an INTERNALERROR: its model info"),
    Stage.INSTANCE: ("raising-loader", "Its tests fail: making the loader"),
}


@dataclass(frozen=True, slots=True)
class ModelInfos:
    """The model info of every loader and variant, or why there is none."""

    known: Mapping[Key, ModelInfo]
    unknown: Mapping[Key, str]
    """The reason why there is none, or why it is only known when the loader runs."""
    failures: Mapping[str, Failure] = field(default_factory=dict)
    """What the loaders raise that cannot be imported, asked or made, by directory."""
    checkpoints: Mapping[Key, str] = field(default_factory=dict)
    """What the configurations of variants name for download, as far as it is known."""
    replaced: Mapping[str, tuple[Replaced, ...]] = field(default_factory=dict)
    """The variants that their own tables replace, by directory."""


class LoaderProgram:
    """Evaluates loaders; every method raises Unknown, or Raises where upstream would get that exception."""

    def __init__(self, checkout: Checkout) -> None:
        self._checkout = checkout
        self._program = Program(models_resolver(checkout.models))
        self._expressions = self._program.expressions
        self._variants: dict[Class, dict[str, Value]] = {}
        self._answers: dict[tuple[Class, str | None], ModelInfo | Raised | str] = {}

    def forget(self) -> None:
        """Let go of all modules that were read."""
        self._program.forget()
        self._variants.clear()
        self._answers.clear()

    @contextmanager
    def reading(self, directory: str) -> Iterator[None]:
        """What is asked for in the block is about the loader in `directory`."""
        with self._program.inputs.reading(loader_file(directory)):
            yield

    def inputs(self, directory: str) -> frozenset[str]:
        """All that the answers about a loader depend on, as paths below the models tree."""
        return self._program.inputs.of(loader_file(directory))

    def raised(self, path: str) -> Raised | None:
        """What importing the module at `path` raises."""
        return self._program.module(path).raised

    def loader(self, directory: str, name: str = LOADER_CLASS) -> Class:
        """A class of a loader's file."""
        if raised := self.raised(loader_file(directory)):
            raise Raises(*raised)
        found = self._program.module_attribute(loader_file(directory), name)
        if not isinstance(found, Class):
            raise Unknown(f"{name} is not a class of the models tree")
        return found

    def variants(self, of: Class) -> dict[str, Value]:
        """The keys of a loader's `_VARIANTS` by their texts, which are in ids."""
        if of not in self._variants:
            with self._program.budget():
                found = self._expressions.attribute(of, VARIANTS)
                if not isinstance(found, dict):
                    raise Unknown("_VARIANTS is not a dict")
                self._variants[of] = {self._expressions.text(key): key for key in found}
        return self._variants[of]

    def variants_of(self, path: str, name: str) -> tuple[str, ...] | None:
        """The texts of the variants of a class in the file at `path`; None: they are not known."""
        with suppress(Unknown, RecursionError):
            return tuple(self.variants(self.loader(path.rpartition("/")[0], name)))
        return None

    def info(self, of: Class, variant: str | None) -> ModelInfo:
        """What a loader reports about one of its variants; asked once."""
        key = of, variant
        if key not in self._answers:
            # Not the exception itself: it would hold the frames of everybody who asks, and what these hold.
            try:
                self._answers[key] = self._info(of, variant)
            except Raises as error:
                self._answers[key] = error.raised
            except Unknown as error:
                self._answers[key] = str(error)
            except RecursionError:
                self._answers[key] = "refers to itself or nests too deeply"
        answer = self._answers[key]
        if isinstance(answer, ModelInfo):
            return answer
        raise Raises(*answer) if isinstance(answer, Raised) else Unknown(answer)

    def _info(self, of: Class, variant: str | None) -> ModelInfo:
        with self._program.budget():
            member = None if variant is None else self._member(of, variant)
            made = self._asked(of, member)
            return ModelInfo(
                variant=self._variant(made),
                **{name: self._text(made, name) for name in ("model", "group", "task", "source", "framework")},
            )

    def checkpoint(self, of: Class, variant: str) -> str:
        """What the configuration of a variant names for download; empty: nothing, or it is not known."""
        with suppress(Unknown, RecursionError), self._program.budget():
            configured = self._expressions.attribute(of, VARIANTS)[self._member(of, variant)]
            if isinstance(configured, Opaque):
                configured = unknown_object(of.scope.module, self._written(of, variant))
            name = self._expressions.attribute(configured, CHECKPOINT)
            return self._expressions.text(name) if isinstance(name, Member | str) else ""
        return ""

    def replaced(self, directory: str) -> tuple[Replaced, ...]:
        """The variants that tables of a loader's file replace, or those of its bases."""
        found: dict[Replaced, None] = {}
        with suppress(Unknown, RecursionError), self._program.budget():
            loader = self.loader(directory)
            # Tests are also made of others of its classes: for a prefill there is one beside it.
            names = self._program.module(loader_file(directory)).names.values()
            for one in (loader, *(one for one in names if isinstance(one, Class) and VARIANTS in one.names)):
                if not self._has_each_key(one):
                    found |= dict.fromkeys(replaced_variants(self._expressions, one))
        return tuple(found)

    def _has_each_key(self, of: Class) -> bool:
        """Whether a table has as many variants as keys are written, as mostly: then none is replaced."""
        item = next(written_items(of, VARIANTS), None)
        return item is None or (None not in item.table.keys and len(item.table.keys) == len(self.variants(of)))

    def _written(self, of: Class, variant: str) -> Mapping[str, Value]:
        """The fields that are written of a configuration, which cannot be made."""
        for item in variant_items(self._expressions, of, variant):
            return {name: self._expressions.soft(node, item.scope) for name, node in item.words.items()}
        return {}

    def failure(self, directory: str) -> Failure | None:
        """What upstream's collection, or a run, gets from a loader; None: nothing that is certain."""
        stages = (
            (Stage.IMPORT, lambda: self.variants(self.loader(directory))),
            (Stage.INFO, lambda: self._all_infos(self.loader(directory))),
            (Stage.INSTANCE, lambda: self._instance(self.loader(directory))),
        )
        for stage, ask in stages:
            try:
                ask()
            except Raises as error:
                return Failure(stage, placed(self._checkout, error.raised))
            except (Unknown, RecursionError):
                continue
        return None

    def _all_infos(self, of: Class) -> None:
        """Nothing, unless upstream gets an exception when it asks a loader for a model info."""
        keys = self.variants(of)
        for variant in keys or (None,):
            try:
                self.info(of, variant)
            except Raises:
                raise
            except Unknown:
                continue
        if _holder(of, "get_model_info"):
            # It validates a variant before it asks; that goes the same way for all variants of a loader.
            with self._program.budget():
                self._called(of, "get_model_info", next(iter(keys.values()), None))

    def _instance(self, of: Class) -> None:
        """Nothing, unless making a loader must fail: an abstract method is missing."""
        if of.is_simple and (missing := sorted(of.abstract())):
            message = f"{of.name} does not define {' and '.join(missing)}, which is abstract"
            raise Raises("TypeError", message, of.scope.module.path, of.node.lineno)

    def _member(self, of: Class, variant: str) -> Value:
        keys = self.variants(of)
        if variant not in keys:
            raise Unknown(f"_VARIANTS has no {variant}")
        return keys[variant]

    def _asked(self, of: Class, member: Value) -> Instance:
        """The result of `_get_model_info`, or of `get_model_info` where a loader has its own."""
        holder = _holder(of, "get_model_info")
        own = holder is not None and holder.scope.module.path != _BASE_FILE
        name = "get_model_info" if own else "_get_model_info"
        if _holder(of, name) is None:
            raise Unknown(f"{of.name} has no {name}")
        made = self._called(of, name, member)
        if not isinstance(made, Instance) or made.of.name != _INFO_CLASS:
            raise Unknown(f"{name} returns no {_INFO_CLASS}")
        return made

    def _called(self, of: Class, name: str, member: Value) -> Value:
        return self._expressions.call(self._expressions.attribute(of, name), [member], {})

    def _variant(self, info: Instance) -> str | None:
        value = self._expressions.attribute(info, "variant")
        return None if value is None else self._expressions.text(value)

    def _text(self, info: Instance, name: str) -> str:
        value = self._expressions.attribute(info, name)
        if isinstance(value, Member | str):
            return self._expressions.text(value)
        raise Unknown(f"the {name} is not a text")


def _holder(of: Class, name: str) -> Class | None:
    """The class of the tree that gives `of` a name."""
    return next((one for one in of.line() if isinstance(one, Class) and name in one.names), None)


class LoaderInfos(NamedTuple):
    """What is known of one loader."""

    variants: tuple[str, ...]
    """Those that were asked for."""
    known: Mapping[str | None, ModelInfo]
    unknown: Mapping[str | None, str]
    failure: Failure | None
    checkpoints: Mapping[str, str]
    replaced: tuple[Replaced, ...]


def read_model_infos(
    checkout: Checkout, loaders: Iterable[Loader], cached: ContentCache[LoaderInfos] | None = None
) -> ModelInfos:
    """The infos of each of `loaders` for each of its variants, or the reason why one cannot be derived.

    `cached` has what is known of loaders whose files are the same, and gets what is new.
    """
    cached = ContentCache(Contents(checkout.models)) if cached is None else cached
    program = LoaderProgram(checkout)
    known: dict[Key, ModelInfo] = {}
    unknown: dict[Key, str] = {}
    failures: dict[str, Failure] = {}
    checkpoints: dict[Key, str] = {}
    replaced: dict[str, tuple[Replaced, ...]] = {}
    evaluated = 0
    for loader in loaders:
        found = cached.get(loader.directory)
        if found is None or found.variants != loader.variants:
            evaluated += 1
            if evaluated % _LOADERS_AT_ONCE == 0:
                program.forget()
            found = cached.put(loader.directory, _infos(program, loader), program.inputs(loader.directory))
        known |= {(loader.directory, variant): info for variant, info in found.known.items()}
        unknown |= {(loader.directory, variant): reason for variant, reason in found.unknown.items()}
        checkpoints |= {(loader.directory, variant): name for variant, name in found.checkpoints.items()}
        if found.failure:
            failures[loader.directory] = found.failure
        if found.replaced:
            replaced[loader.directory] = found.replaced
    return ModelInfos(known, unknown, failures, checkpoints, replaced)


def _infos(program: LoaderProgram, loader: Loader) -> LoaderInfos:
    known: dict[str | None, ModelInfo] = {}
    unknown: dict[str | None, str] = {}
    checkpoints: dict[str, str] = {}
    with program.reading(loader.directory):
        for variant in loader.variants or (None,):
            try:
                of = program.loader(loader.directory)
                if variant and (checkpoint := program.checkpoint(of, variant)):
                    checkpoints[variant] = checkpoint
                known[variant] = program.info(of, variant)
            except Unknown as error:
                unknown[variant] = str(error)
        failure, replaced = program.failure(loader.directory), program.replaced(loader.directory)
        return LoaderInfos(loader.variants, known, unknown, failure, checkpoints, replaced)


def placed(checkout: Checkout, raised: Raised) -> Raised:
    """An exception of the models tree with its path relative to the checkout."""
    return raised._replace(path=checkout.relative(checkout.models / raised.path)) if raised.path else raised
