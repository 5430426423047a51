# SPDX-License-Identifier: Apache-2.0
"""The calls that a loader's code reaches for one variant, in its own and other modules. Nothing is run.

It starts at the methods that a run calls and follows names: a named function is reached, with the arguments of the
call; of a named class, the methods that reached code names. Lookups by a text, as in a registry, are not found.
"""

import ast
import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from core.python import statements_in
from core.sources.configurations import Configuration
from core.sources.downloads.code_modules import CodeModules, Definition, Function, Module, Place
from core.sources.downloads.constant_texts import SOMETHING, Texts, assignments, dotted, live_parts
from core.sources.models_tree import PREFILL_BASE

_LOADER = "ModelLoader"
_CALLED_BY_RUNS = re.compile(
    r"__init__$|load_(model|inputs|config|parameters|multichip_model|shard_spec|activation)|unpack_forward_output$"
    r"|get_|wrapper_model$"
)
"""Methods of a loader that runs call. Others only prepare output for people, unless one of these names them."""
_IMPLICIT = frozenset({"forward", "setup", "__call__", "__getitem__", "__iter__", "__next__", "__post_init__"})
"""Methods that are called without being named, such as those of torch and jax modules and of data sets."""
_GIVEN = ("variant", "dtype_override", "batch_size")
"""Parameters of a loader's methods that runs may set; for others the defaults apply."""
_MOST_ARGUMENTS = 6
"""How many different arguments of one function are followed; with more, its arguments are unknown."""
_MOST_VISITS = 4000

Arguments = tuple[tuple[str, str | None], ...]
"""Every parameter of a function with its text; None: unknown."""


class ReachedCall(NamedTuple):
    """One call, with the context of its expressions."""

    node: ast.Call
    texts: Texts
    path: str
    """The path of its file, relative to the models tree."""
    one_of_several: bool
    """Whether it is in a branch whose condition is unknown, so that only one of several branches runs."""


class _Class(NamedTuple):
    module: Module
    node: ast.ClassDef

    @property
    def methods(self) -> Iterator[Function]:
        return (one for one in self.node.body if isinstance(one, Function))


class _Visit(NamedTuple):
    module: Module
    owner: _Class | None
    function: Function
    arguments: Arguments
    one_of_several: bool = False


class _Mention(NamedTuple):
    """The place where something is named; `call` is None if it is not called."""

    call: ast.Call | None
    texts: Texts
    one_of_several: bool = False


def reached_calls(modules: CodeModules, start: str, variant: str) -> Iterator[ReachedCall]:
    """The calls that the loader at `start`, a path of `modules`, reaches for a variant; some of them repeatedly."""
    own = modules.file(start)
    if own is not None:
        yield from _Walk(modules, own, variant).calls()


class _Walk:
    def __init__(self, modules: CodeModules, own: Module, variant: str) -> None:
        self._modules = modules
        self._own = own
        self._waiting: deque[_Visit] = deque()
        self._seen: dict[int, set[Arguments]] = {}
        self._values: set[int] = set()
        self._classes: dict[int, _Class] = {}
        self._methods: dict[str, list[tuple[_Class, Function]]] = {}
        self._mentions: dict[str, list[_Mention]] = {}
        self._fields: dict[int, dict[str, str | None]] = {}
        self._loaders = [list(self._with_bases(*one, set())) for one in _loader_classes(modules, own)]
        self._lineage = [own, *(one.module for lineage in self._loaders for one in lineage)]
        inherited = (one.configurations for one in self._lineage)
        self._configuration: Configuration = next((one[variant] for one in inherited if variant in one), {})
        self._variant = {f"self.{name}": variant for name in ("_variant", "variant") if variant}

    def calls(self) -> Iterator[ReachedCall]:
        self._begin()
        bodies = [
            self._own.tree.body,
            *(one.body for one in self._own.definitions.values() if isinstance(one, ast.ClassDef)),
        ]
        top = [one for body in bodies for one in body if not isinstance(one, Definition)]
        yield from self._follow(top, self._scope(self._own), None)
        visits = 0
        while self._waiting and visits < _MOST_VISITS:
            visits += 1
            one = self._waiting.popleft()
            yield from self._follow(one.function.body, self._inside(one), one)

    def _begin(self) -> None:
        """Start with the methods of the loader that a run calls; without a loader class, with all functions."""
        for lineage in self._loaders:
            taken: set[str] = set()
            for one in lineage:
                self._enter(one)
                for method in one.methods:
                    if _CALLED_BY_RUNS.match(method.name) and method.name not in taken:
                        self._queue(_Visit(one.module, one, method, _of_run(method, self._scope(one.module))))
                    taken.add(method.name)
        if not self._loaders:
            for function in self._own.definitions.values():
                if isinstance(function, Function):
                    self._visit(self._own, None, function, _Mention(None, self._scope(self._own)))

    def _follow(self, body: list[ast.stmt], texts: Texts, at: _Visit | None) -> Iterator[ReachedCall]:
        module = at.module if at else self._own
        called: set[int] = set()
        for node, one_of_several in live_parts(body, texts, at.one_of_several if at else False):
            if isinstance(node, ast.Call):
                yield ReachedCall(node, texts, module.path, one_of_several)
                called.add(id(node.func))
                mention = _Mention(node, texts, one_of_several)
                if not self._parent_initializer(mention, at):
                    self._name(module, node.func, mention)
            elif isinstance(node, ast.Name | ast.Attribute) and id(node) not in called:
                self._name(module, node, _Mention(None, texts, one_of_several))

    def _parent_initializer(self, mention: _Mention, at: _Visit | None) -> bool:
        """Whether it is `super().__init__(...)`, which is followed into the base class."""
        match mention.call:
            case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__")):
                if at and at.owner:
                    above = list(self._with_bases(at.owner.module, at.owner.node, set()))[1:]
                    self._initialize(above, mention)
                return True
        return False

    def _name(self, module: Module, node: ast.expr, mention: _Mention) -> None:
        """Reach the definition of a name or attribute."""
        if not isinstance(node, ast.Name | ast.Attribute):
            return
        text = dotted(node)
        place = None if text.partition(".")[0] in mention.texts.bound else self._modules.place(module, text)
        if place is not None:
            self._reach(place, mention)
        if isinstance(node, ast.Attribute) and node.attr != "__init__":
            self._mentions.setdefault(node.attr, []).append(mention)
            for owner, method in self._methods.get(node.attr, ()):
                self._visit(owner.module, owner, method, mention)

    def _reach(self, place: Place, mention: _Mention) -> None:
        module, name = place
        found = module.definitions.get(name.partition(".")[0])
        if isinstance(found, ast.ClassDef):
            lineage = list(self._with_bases(module, found, set()))
            for one in lineage:
                self._enter(one)
            if "." not in name:
                self._initialize(lineage, mention)
        elif found is not None and "." not in name:
            self._visit(module, None, found, mention)
        elif (value := module.constants.get(name)) is not None and id(value) not in self._values:
            self._values.add(id(value))
            for node in ast.walk(value):
                if isinstance(node, ast.Name | ast.Attribute):
                    self._name(module, node, _Mention(None, self._scope(module)))

    def _initialize(self, lineage: list[_Class], mention: _Mention) -> None:
        for one in lineage:
            for method in one.methods:
                if method.name == "__init__":
                    if made := self._visit(one.module, one, method, mention):
                        self._set_fields(made, lineage)
                    return

    def _set_fields(self, made: _Visit, lineage: list[_Class]) -> None:
        """Record the attributes that an initializer sets; those that are always the same are known in all methods."""
        texts = self._inside(made)
        for name, value in assignments(statements_in(made.function.body)).items():
            if name.startswith("self."):
                text = texts.text(value)
                for one in lineage:
                    fields = self._fields.setdefault(id(one.node), {})
                    fields[name] = text if fields.get(name, text) == text else None

    def _enter(self, one: _Class) -> None:
        """Reach a named class: from now on, its methods are reached where their names are mentioned."""
        if id(one.node) in self._classes:
            return
        self._classes[id(one.node)] = one
        for method in one.methods:
            self._methods.setdefault(method.name, []).append((one, method))
            implied = [_Mention(None, self._scope(one.module))] if method.name in _IMPLICIT else []
            for mention in (*self._mentions.get(method.name, ()), *implied):
                self._visit(one.module, one, method, mention)

    def _visit(self, module: Module, owner: _Class | None, function: Function, mention: _Mention) -> _Visit | None:
        """Follow a function with the given arguments; None: that was done before."""
        many = len(self._seen.get(id(function), ())) >= _MOST_ARGUMENTS
        unknown = many or mention.call is None
        given = _unknown(function) if unknown else _given(mention, function, owner, self._scope(module))
        return self._queue(_Visit(module, owner, function, given, mention.one_of_several))

    def _queue(self, visit: _Visit) -> _Visit | None:
        seen = self._seen.setdefault(id(visit.function), set())
        if visit.arguments in seen:
            return None
        seen.add(visit.arguments)
        self._waiting.append(visit)
        return visit

    def _with_bases(self, module: Module, node: ast.ClassDef, seen: set[int]) -> Iterator[_Class]:
        """A class and its bases within the tree, nearest first."""
        if id(node) in seen:
            return
        seen.add(id(node))
        yield _Class(module, node)
        for base in node.bases:
            place = self._modules.place(module, dotted(base))
            above = place.module.definitions.get(place.name) if place else None
            if place and isinstance(above, ast.ClassDef):
                yield from self._with_bases(place.module, above, seen)

    def _scope(self, module: Module) -> Texts:
        """The context of expressions outside of functions."""

        def elsewhere(name: str) -> tuple[Texts, ast.expr] | None:
            place = self._modules.place(module, name)
            value = place.module.constants.get(place.name) if place and place.module is not module else None
            return None if place is None or value is None else (self._scope(place.module), value)

        own = self._variant if module in self._lineage else {}
        bound = {**own, "__name__": module.path}
        return Texts(self._configuration, module.imports, module.constants, bound, elsewhere)

    def _inside(self, visit: _Visit) -> Texts:
        """The context of expressions in a function."""
        scope = self._scope(visit.module)
        local, stored = _local(visit.function)
        given = dict(visit.arguments)
        unknown = {name: None for name in stored if name not in local or name in given}
        assigned = {name: value for name, value in {**scope.assigned, **local}.items() if name not in unknown}
        fields = self._fields.get(id(visit.owner.node), {}) if visit.owner else {}
        return replace(scope, assigned=assigned, bound={**scope.bound, **fields, **given, **unknown})


def _loader_classes(modules: CodeModules, own: Module) -> Iterator[_Class]:
    """The classes in a loader's file that runs instantiate: the loader, and that of prefill if there is one."""
    place = modules.place(own, _LOADER)
    loader = place.module.definitions.get(place.name) if place else None
    if place and isinstance(loader, ast.ClassDef):
        yield _Class(place.module, loader)
    for one in own.definitions.values():
        bases = [dotted(base).rpartition(".")[2] for base in one.bases] if isinstance(one, ast.ClassDef) else []
        if isinstance(one, ast.ClassDef) and one is not loader and PREFILL_BASE in bases:
            yield _Class(own, one)


@lru_cache(maxsize=4096)
def _local(function: Function) -> tuple[Mapping[str, ast.expr], frozenset[str]]:
    """The values that a function assigns exactly once, and all names that it binds."""
    nodes = [one for part in function.body for one in ast.walk(part)]
    stored = frozenset(one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store))
    return assignments(statements_in(function.body)), stored


def _parameters(function: Function) -> list[tuple[str, ast.expr | None]]:
    """The parameters by name with their defaults, in order; keyword-only ones come last."""
    some = function.args
    named = [*some.posonlyargs, *some.args]
    defaults = [*[None] * (len(named) - len(some.defaults)), *some.defaults]
    both = [*zip(named, defaults, strict=True), *zip(some.kwonlyargs, some.kw_defaults, strict=True)]
    return [(name.arg, default) for name, default in both]


def _unknown(function: Function) -> Arguments:
    return tuple((name, None) for name, _ in _parameters(function))


def _of_run(function: Function, scope: Texts) -> Arguments:
    """The arguments that a run passes to a method of the loader, as far as they are known."""
    return tuple((name, None if name in _GIVEN else scope.text(default)) for name, default in _parameters(function))


def _given(mention: _Mention, function: Function, owner: _Class | None, scope: Texts) -> Arguments:
    """The arguments that a call passes to a function, by parameter."""
    call = mention.call
    assert call is not None
    static = any(isinstance(one, ast.Name) and one.id == "staticmethod" for one in function.decorator_list)
    parameters = _parameters(function)
    taken = parameters if owner is None or static else parameters[1:]
    open_ended = any(isinstance(one, ast.Starred) for one in call.args) or any(not one.arg for one in call.keywords)
    given: dict[str, str | None] = {name: None if open_ended else scope.text(default) for name, default in taken}
    positional = [] if any(isinstance(one, ast.Starred) for one in call.args) else call.args
    values = [
        *zip((name for name, _ in taken), positional, strict=False),
        *((one.arg, one.value) for one in call.keywords),
    ]
    for name, value in values:
        if name in given:
            text = mention.texts.text(value)
            given[name] = SOMETHING if text is None else text
    return (*((name, None) for name, _ in parameters[: len(parameters) - len(taken)]), *given.items())
