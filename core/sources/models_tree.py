# SPDX-License-Identifier: Apache-2.0
"""The Python files of the models tree, each read once: the imports between them, and the ancestry of classes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.base.files import read_bytes
from core.base.fork import in_fork
from core.python import ClassFacts, Imported, ModuleFacts, Resolver, read_module
from core.sources.content_cache import ContentCache
from core.sources.stamps import Stamp, stamp_of

PREFILL_BASE = "ForgePrefillModel"
LOADER_FILE = "loader.py"
LOADER_CLASS = "ModelLoader"
VARIANTS = "_VARIANTS"
"""Its table of variants: their keys, each with a configuration."""
CHECKPOINT = "pretrained_model_name"
"""The field of a configuration that names what is downloaded."""
TREE_NAMES = ("tt_forge_models", "third_party.tt_forge_models")
"""The names that code and tests give the models tree."""
_WORTH_A_FORK = 40
"""From this many files to parse, two processes are faster than one."""
_OUR_SHARE = 0.4
"""Share of the files that this process parses: less than half, because it also reads YAML meanwhile."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that cannot be read or parsed. Lines and columns start at 1; 0: unknown."""

    reason: str
    line: int = 0
    column: int = 0


def loader_file(directory: str) -> str:
    """The path of a loader relative to the models root."""
    return f"{directory}/{LOADER_FILE}"


def models_resolver(models: Path | str) -> Resolver:
    """The modules below the models root, by the names that its code and the tests give the tree."""
    return Resolver(models, TREE_NAMES)


CachedModules = Mapping[str, tuple[Stamp | None, ModuleFacts | Unreadable]]
"""The result of an earlier reading, by path relative to the models root."""


@dataclass(slots=True)
class ModelsTree:
    """Reads each module of the models tree at most once."""

    models: Path
    known: CachedModules = field(default_factory=dict)
    """Used for files whose stamp is unchanged."""
    cached: ContentCache[ModuleFacts] | None = None
    """Used for other files that say what they said in another state of the checkout."""
    _modules: dict[str, ModuleFacts | Unreadable] = field(default_factory=dict)
    _elsewhere: frozenset[str] = frozenset()
    """Files that another process reads; `_collect` waits for it."""
    _collect: Callable[[], Mapping[str, ModuleFacts | Unreadable]] = dict
    files: Resolver = field(init=False)

    def __post_init__(self) -> None:
        self.files = models_resolver(self.models)

    def module(self, path: str) -> ModuleFacts | Unreadable:
        """Facts of the file at `path`, relative to the models root."""
        if path in self._elsewhere:
            self._modules.update(self._collect())
            self._elsewhere = frozenset()
        if path not in self._modules:
            self._modules[path] = self._unless_changed(path) or self._cached_or_read(path)
        return self._modules[path]

    def read_ahead(self, paths: Sequence[str]) -> None:
        """Prepare for many files that will be requested in this order.

        If there are enough files to parse, a second process reads the later ones meanwhile.
        """
        unread: list[str] = []
        for path in paths:
            facts = self._unless_changed(path)
            if facts is None:
                unread.append(path)
            else:
                self._modules[path] = facts
        if len(unread) >= _WORTH_A_FORK:
            theirs = unread[int(len(unread) * _OUR_SHARE) :]
            self._elsewhere = frozenset(theirs)
            self._collect = in_fork(lambda: {path: self._read(path) for path in theirs})

    @property
    def modules(self) -> Mapping[str, ModuleFacts | Unreadable]:
        """All modules that were read so far."""
        return self._modules

    @property
    def has_prefill_classes(self) -> bool:
        """Whether the tree's base module defines ForgePrefillModel, as it does since May 2026."""
        base = self.module("base.py")
        return isinstance(base, Unreadable) or PREFILL_BASE in base.classes

    def imported(self, importer: str, name: Imported) -> tuple[str, ModuleFacts] | None:
        """The module of the tree that `name` is imported from, as seen from the file `importer`."""
        target = self.files.module(importer, name)
        path = self.files.file(target) if target is not None else None
        facts = self.module(path) if path else None
        return (path, facts) if path and isinstance(facts, ModuleFacts) else None

    def _unless_changed(self, path: str) -> ModuleFacts | Unreadable | None:
        """The cached facts of a file that has not changed."""
        stamp, facts = self.known.get(path, (None, None))
        return facts if stamp is not None and stamp_of(f"{self.models}/{path}") == stamp else None

    def _cached_or_read(self, path: str) -> ModuleFacts | Unreadable:
        if self.cached is None:
            return self._read(path)
        if known := self.cached.get(path):
            return known
        facts = self._read(path)
        return self.cached.put(path, facts, [path]) if isinstance(facts, ModuleFacts) else facts

    def _read(self, path: str) -> ModuleFacts | Unreadable:
        try:
            # As bytes: decoding some hundred files beforehand takes longer than reading them.
            return read_module(read_bytes(f"{self.models}/{path}"), path)
        except SyntaxError as error:
            return Unreadable(error.msg, error.lineno or 0, error.offset or 0)
        except (OSError, ValueError, RecursionError) as error:
            return Unreadable(str(error))


@dataclass(frozen=True, slots=True)
class ClassPlace:
    """A class and its place."""

    path: str
    """The path of its module, relative to the models root."""
    module: ModuleFacts
    name: str
    facts: ClassFacts


class Lineages:
    """Classes with their bases, cached: hundreds of loaders descend from the same few classes."""

    def __init__(self, tree: ModelsTree) -> None:
        self.tree = tree
        self._known: dict[tuple[str, str], tuple[ClassPlace, ...]] = {}

    def of(self, path: str, module: ModuleFacts, name: str) -> tuple[ClassPlace, ...]:
        """The class that `name` means in a module, and its bases within the tree, nearest first, without repetitions.

        Empty if it is not a class of the tree.
        """
        if (path, name) not in self._known:
            # A class that descends from itself ends here; Python would reject it.
            self._known[path, name] = ()
            # A shared base comes after all classes that share it, as in Python's own order.
            found = {(one.path, one.name): one for one in reversed(list(self._find(path, module, name)))}
            self._known[path, name] = tuple(reversed(found.values()))
        return self._known[path, name]

    def _find(self, path: str, module: ModuleFacts, name: str) -> Iterator[ClassPlace]:
        if name in module.classes:
            facts = module.classes[name]
            yield ClassPlace(path, module, name, facts)
            for base in facts.bases:
                yield from self.of(path, module, base)
        elif name in module.imports and (found := self.tree.imported(path, module.imports[name])):
            yield from self.of(*found, module.imports[name].name)

    def may_raise(self, path: str, module: ModuleFacts) -> bool:
        """Whether a module seems to look up a name that nothing binds. Evaluating it tells whether it raises."""
        return bool(module.unbound) or any(self._lacks(path, module, *pair) for pair in module.attributes)

    def _lacks(self, path: str, module: ModuleFacts, name: str, attribute: str) -> bool:
        places = self.of(path, module, name)
        return bool(places) and not any(attribute in place.facts.names for place in places)
