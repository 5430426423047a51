# SPDX-License-Identifier: Apache-2.0
"""Which classes a class of the models tree descends from, followed through imports, nothing imported."""

from collections.abc import Iterator
from dataclasses import dataclass

from core.sources.models_tree import ModelsTree
from core.sources.modules import ClassFacts, ModuleFacts


@dataclass(frozen=True, slots=True)
class ClassPlace:
    """A class and where it stands."""

    path: str
    """Of its module, relative to the models root."""
    module: ModuleFacts
    name: str
    facts: ClassFacts


class Lineages:
    """Classes with their bases, each worked out once: hundreds of loaders descend from the same few classes."""

    def __init__(self, tree: ModelsTree) -> None:
        self.tree = tree
        self._known: dict[tuple[str, str], tuple[ClassPlace, ...]] = {}

    def of(self, path: str, module: ModuleFacts, name: str) -> tuple[ClassPlace, ...]:
        """What `name` means in a module: the class and its bases within the tree, nearest first, each once.

        Empty where it is no class of the tree.
        """
        if (path, name) not in self._known:
            # A class that descends from itself ends here; Python would not have it at all.
            self._known[path, name] = ()
            # A base that several share stands after all of them, as in Python's own order.
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
