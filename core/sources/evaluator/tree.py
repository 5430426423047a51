# SPDX-License-Identifier: Apache-2.0
"""Names and classes across the files of the models tree: imports, inheritance and attribute lookup."""

import ast
import builtins
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from core.files import read_bytes
from core.python import Imported, parse_python
from core.sources.evaluator.namespace import Bound, ClassSource, Unclear, read_namespace
from core.sources.evaluator.values import External, Lazy, Scope, TreeClass, Unknown
from core.sources.models_tree import ModelsTree

Ancestor: TypeAlias = TreeClass | External
Found: TypeAlias = TreeClass | External | Lazy

_PLAIN_BASES = frozenset({"abc.ABC", "enum.Enum", "enum.StrEnum", "builtins.object", "builtins.str", "typing.Protocol"})
"""Classes outside the tree without any attribute that a loader would use."""


class TreeNames:
    """Reads files below `models` on request, each at most once until `forget`."""

    def __init__(self, models: Path) -> None:
        self._models = models
        self._files = ModelsTree(models)
        self._namespaces: dict[str, Mapping[str, Bound] | Unclear] = {}
        self._found: dict[tuple[str, str], Found] = {}
        self._ancestors: dict[TreeClass, tuple[Ancestor, ...]] = {}

    def forget(self) -> None:
        """Clear the cached files; they are read again on request."""
        self._namespaces.clear()
        self._found.clear()
        self._ancestors.clear()

    def lookup(self, path: str, name: str) -> Found:
        """The meaning of the global `name` in the file at `path`. Raises Unknown if it is not certain."""
        if (path, name) not in self._found:
            self._found[path, name] = self._find(path, name)
        return self._found[path, name]

    def ancestors(self, of: TreeClass, pending: tuple[TreeClass, ...] = ()) -> tuple[Ancestor, ...]:
        """Python's method resolution order of `of`, itself first."""
        if of in pending:
            raise Unknown(f"{of.name} inherits from itself")
        if of not in self._ancestors:
            bases = [self._base(of, node) for node in of.source.bases]
            lines = [self.ancestors(base, (*pending, of)) if isinstance(base, TreeClass) else (base,) for base in bases]
            self._ancestors[of] = (of, *_merge([list(line) for line in (*lines, bases)]))
        return self._ancestors[of]

    def attribute(self, of: TreeClass, name: str, *, after: TreeClass | None = None) -> tuple[TreeClass, Bound]:
        """The attribute `name` of the class `of` with the class that binds it; with `after`, as for `super()` there."""
        line = self.ancestors(of)
        for ancestor in line[line.index(after) + 1 if after in line else 0 :]:
            if isinstance(ancestor, TreeClass):
                if name in ancestor.source.names:
                    return ancestor, ancestor.source.names[name]
            elif ancestor.name not in _PLAIN_BASES:
                raise Unknown(f"{of.name} inherits from {ancestor.name}, which is not in the tree")
        raise Unknown(f"{of.name} has no {name}")

    def is_enum(self, of: TreeClass) -> bool:
        """Whether `of` is an enum, so that the names it binds are members."""
        return any(_last(one.name).endswith("Enum") for one in self.ancestors(of) if one is not of)

    def prints_value(self, of: TreeClass) -> bool:
        """Whether the text of a member of `of` is its value, as in upstream's StrEnum."""
        for one in self.ancestors(of):
            if _last(one.name) == "StrEnum":
                return True
            if isinstance(one, TreeClass) and "__str__" in one.source.names:
                return False
        return False

    def is_text(self, of: TreeClass) -> bool | None:
        """Whether the members of the enum `of` are texts; None: that, or their equality, is unknown."""
        line = self.ancestors(of)
        outside = {one.name for one in line if not isinstance(one, TreeClass)}
        own = any("__eq__" in one.source.names for one in line if isinstance(one, TreeClass))
        if own or not outside <= _PLAIN_BASES:
            return None
        return not outside.isdisjoint({"builtins.str", "enum.StrEnum"})

    def _find(self, path: str, name: str) -> Found:
        bound = self._namespace(path).get(name)
        match bound:
            case ClassSource():
                return TreeClass(path, name, bound)
            case ast.expr():
                return Lazy(bound, Scope(path))
            case Imported():
                return self._imported(path, bound)
            case None if hasattr(builtins, name):
                return External(f"builtins.{name}")
            case None:
                raise Unknown(f"{path} does not bind {name}")
            case Unclear(reason=reason):
                raise Unknown(f"{name} {reason}")
            case _:
                raise Unknown(f"{name} is a function")

    def _imported(self, importer: str, name: Imported) -> Found:
        module = self._files.files.module(importer, name) if name.name else None
        if module is None:
            return External(".".join(filter(None, (name.module, name.name))))
        path = self._files.files.file(module)
        if path is None:
            raise Unknown(f"There is no {module}.py")
        return self.lookup(path, name.name)

    def _base(self, of: TreeClass, node: ast.expr) -> Ancestor:
        found = self.lookup(of.path, node.id) if isinstance(node, ast.Name) else External(ast.unparse(node))
        if isinstance(found, Lazy):
            raise Unknown(f"{of.name} inherits from what is computed")
        return found

    def _namespace(self, path: str) -> Mapping[str, Bound]:
        if path not in self._namespaces:
            self._namespaces[path] = _read(self._models, path)
        names = self._namespaces[path]
        if isinstance(names, Unclear):
            raise Unknown(names.reason)
        return names


def _read(models: Path, path: str) -> Mapping[str, Bound] | Unclear:
    try:
        return read_namespace(parse_python(read_bytes(models / path), path).body)
    except SyntaxError as error:
        return Unclear(f"{path} cannot be parsed: {error.msg}")
    except FileNotFoundError:
        return Unclear(f"There is no {path}")
    except (OSError, ValueError, RecursionError) as error:
        return Unclear(f"{path} cannot be read: {error}")


def _merge(lines: list[list[Ancestor]]) -> Iterator[Ancestor]:
    """The C3 merge of the bases' orders. Raises Unknown if Python would reject the class."""
    while lines := [line for line in lines if line]:
        head = next((line[0] for line in lines if not any(line[0] in other[1:] for other in lines)), None)
        if head is None:
            raise Unknown("its bases have no consistent order")
        yield head
        lines = [line[1:] if line[0] == head else line for line in lines]


def _last(name: str) -> str:
    return name.rpartition(".")[2]
