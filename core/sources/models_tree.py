# SPDX-License-Identifier: Apache-2.0
"""The Python files of the models tree, each read at most once, and the imports between them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.sources.modules import ImportedName, ModuleFacts, read_module
from core.sources.stamps import Stamp, stamp_of

PREFILL_BASE = "ForgePrefillModel"


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that cannot be read or parsed. Lines and columns start at 1; 0: unknown."""

    reason: str
    line: int = 0
    column: int = 0


def imported_module(importer: str, name: ImportedName) -> str | None:
    """The module `name` is imported from, as a path in the models tree without its ending.

    None where it is not of the tree; the empty path is the tree itself.
    """
    parts = [part for part in name.module.split(".") if part]
    if name.level:
        above = importer.split("/")
        return "/".join(above[: -name.level] + parts) if name.level <= len(above) else None
    if parts[:1] == ["tt_forge_models"]:
        return "/".join(parts[1:])
    return "/".join(parts[2:]) if parts[:2] == ["third_party", "tt_forge_models"] else None


Known = Mapping[str, tuple[Stamp | None, ModuleFacts | Unreadable]]
"""What an earlier reading gave, by path relative to the models root."""


@dataclass(slots=True)
class ModelsTree:
    """Reads each module of the models tree at most once."""

    models: Path
    known: Known = field(default_factory=dict)
    """Taken where the stamp is still the same."""
    _modules: dict[str, ModuleFacts | Unreadable] = field(default_factory=dict)
    _files: dict[str, str | None] = field(default_factory=dict)

    def module(self, path: str) -> ModuleFacts | Unreadable:
        """Facts of the file at `path`, relative to the models root."""
        if path not in self._modules:
            stamp, facts = self.known.get(path, (None, None))
            unchanged = facts is not None and stamp is not None and stamp_of(self.models / path) == stamp
            self._modules[path] = facts if facts is not None and unchanged else _read(self.models / path)
        return self._modules[path]

    @property
    def modules(self) -> Mapping[str, ModuleFacts | Unreadable]:
        """All that was read so far."""
        return self._modules

    @property
    def has_prefill_classes(self) -> bool:
        """Whether the tree's base module defines ForgePrefillModel, as it does since May 2026."""
        base = self.module("base.py")
        return isinstance(base, Unreadable) or PREFILL_BASE in base.classes

    def imported(self, importer: str, name: ImportedName) -> tuple[str, ModuleFacts] | None:
        """The module of the tree that `name` is imported from, seen from the file `importer`."""
        target = imported_module(importer, name)
        path = self.file_of(target) if target is not None else None
        facts = self.module(path) if path else None
        return (path, facts) if path and isinstance(facts, ModuleFacts) else None

    def file_of(self, module: str) -> str | None:
        """The file of a module of the tree, relative to the models root; None where there is none."""
        if module not in self._files:
            names = [f"{module}.py", f"{module}/__init__.py"] if module else ["__init__.py"]
            self._files[module] = next((name for name in names if (self.models / name).is_file()), None)
        return self._files[module]


def _read(path: Path) -> ModuleFacts | Unreadable:
    try:
        return read_module(path.read_text(encoding="utf-8-sig"), str(path))
    except SyntaxError as error:
        return Unreadable(error.msg, error.lineno or 0, error.offset or 0)
    except (OSError, ValueError, RecursionError) as error:
        return Unreadable(str(error))
