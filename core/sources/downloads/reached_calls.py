# SPDX-License-Identifier: Apache-2.0
"""The calls that a loader's code reaches when a run uses one of its variants. Nothing is run.

It starts at the methods that a run calls, on an instance of the loader as a run makes it.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

from core.base.errors import TTMatrixError
from core.base.files import read_bytes
from core.python import (
    CallGraph,
    Class,
    Function,
    Instance,
    Opaque,
    Parsed,
    Program,
    ReachedCall,
    Unknown,
    Value,
    last_name,
    parse_python,
    unknown_object,
)
from core.sources.models_tree import CHECKPOINT, LOADER_CLASS, PREFILL_BASE, VARIANTS, models_resolver
from core.sources.stamps import Stamp
from core.sources.variants import is_variant, variant_items

_CALLED_BY_RUNS = re.compile(
    r"__init__$|load_(model|inputs|config|parameters|multichip_model|shard_spec|activation)|unpack_forward_output$"
    r"|get_|wrapper_model$"
)
"""Methods of a loader that runs call. Others only prepare output for people, unless one of these names them."""
_GIVEN = ("variant", "dtype_override", "batch_size")
"""Parameters of a loader's methods that runs may set; for others the defaults apply."""
_CONFIGURED = "_variant_config"
_OF_VARIANT = ("_variant", "variant")


class Asked(NamedTuple):
    """A loader's code for one variant."""

    calls: Iterator[ReachedCall]
    """The calls that it reaches; some of them repeatedly."""
    checkpoint: str
    """The checkpoint in the configuration of the variant; empty: it has none."""


class LoaderCode:
    """The code of one loader, at one moment."""

    def __init__(self, models: str, files: Mapping[str, Stamp | None], start: str) -> None:
        """`files` are those to follow, by path relative to the root `models`; `start` is that of the loader."""
        self._start = start

        def parse(path: str) -> Parsed:
            return _parsed(f"{models}/{path}", files.get(path))

        self._program = Program(models_resolver(models), only=files, parse=parse, lenient=True)
        self.own = self._program.module(start)

    @property
    def says_hub(self) -> bool:
        """Whether it states that models are from the hub."""
        return "HUGGING_FACE" in self.own.source

    def asked(self, variant: str, looked_at: Collection[str]) -> Asked:
        """What the loader does for a variant; `looked_at` are the names of calls that download something."""
        graph = CallGraph(self._program, looked_at)
        loaders = [self._made(graph, one, variant) for one in self._loaders()]
        return Asked(self._calls(graph, loaders), _checkpoint(loaders))

    def _calls(self, graph: CallGraph, loaders: list[Instance]) -> Iterator[ReachedCall]:
        for made in loaders:
            lineage = [one for one in made.of.line() if isinstance(one, Class)]
            methods: dict[str, Function] = {}
            for one in lineage:
                graph.enter(one)
                for name, value in one.names.items():
                    if isinstance(value, Function):
                        methods.setdefault(name, value)
            for name, method in methods.items():
                if _CALLED_BY_RUNS.match(name):
                    graph.start(method, made, dict.fromkeys(_GIVEN, Opaque("is given by the run")))
        if not loaders:
            for value in self.own.names.values():
                if isinstance(value, Function):
                    graph.start(value)
        yield from graph.module(self.own)
        yield from graph.calls()

    def _loaders(self) -> Iterator[Class]:
        """The classes in a loader's file that runs instantiate: the loader, and that of prefill if there is one."""
        loader = self._class(LOADER_CLASS)
        if loader is not None:
            yield loader
        for name in self.own.names:
            one = self._class(name)
            if one is not None and one is not loader and PREFILL_BASE in _names_of_bases(one):
                yield one

    def _class(self, name: str) -> Class | None:
        try:
            found = self._program.module_attribute(self._start, name)
        except (Unknown, RecursionError):
            return None
        return found if isinstance(found, Class) else None

    def _made(self, graph: CallGraph, of: Class, variant: str) -> Instance:
        """An instance of a loader as a run makes it."""
        member, configuration = self._configured(graph, of, variant)
        known = dict.fromkeys(_OF_VARIANT, member) if variant else {}
        return graph.instance(of, {**known, _CONFIGURED: configuration}, {"variant": member} if variant else {})

    def _configured(self, graph: CallGraph, of: Class, variant: str) -> tuple[Value, Value]:
        """A variant as it is written, and its configuration."""
        expressions = self._program.expressions
        with suppress(Unknown, RecursionError), self._program.budget():
            written = expressions.attribute(of, VARIANTS)
            for key, value in written.items() if isinstance(written, dict) else ():
                if is_variant(expressions, key, variant):
                    return key, self._written(graph, of, variant) if isinstance(value, Opaque) else value
        return variant, self._written(graph, of, variant)

    def _written(self, graph: CallGraph, of: Class, variant: str) -> Instance:
        """A configuration that cannot be made, with the fields that are written."""
        with suppress(Unknown, RecursionError), self._program.budget():
            for one in variant_items(self._program.expressions, of, variant):
                fields = {name: graph.value(node, one.scope) for name, node in one.words.items()}
                return unknown_object(self.own, fields)
        return unknown_object(self.own, {})


def _checkpoint(loaders: list[Instance]) -> str:
    """The checkpoint in the configuration of a variant, as far as its first loader shows it."""
    configured = loaders[0].fields[_CONFIGURED] if loaders else None
    name = configured.fields.get(CHECKPOINT) if isinstance(configured, Instance) else ""
    return name if isinstance(name, str) else ""


def _names_of_bases(of: Class) -> list[str]:
    return [last_name(one) for one in of.node.bases]


@lru_cache(maxsize=64)
def _parsed(file: str, stamp: Stamp | None) -> Parsed:
    """Cached: some files are of many loaders."""
    try:
        source = read_bytes(file)
    except TTMatrixError as error:
        raise OSError(str(error)) from None
    return parse_python(source), source
