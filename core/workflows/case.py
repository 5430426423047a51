# SPDX-License-Identifier: Apache-2.0
"""What a workflow is about: one training entry, its loader, and all that shares the loader."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.domain.ids import TestId
from core.domain.model import Status


@dataclass(frozen=True, slots=True)
class CaseEntry:
    """One entry that a workflow may change or look at."""

    id: str
    file: str
    """Where the entry is, relative to the test_config directory."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """Values as YAML parses them."""

    @property
    def status(self) -> str:
        return str(self.fields.get("status") or Status.UNSPECIFIED)

    @property
    def reason(self) -> str:
        return str(self.fields.get("reason") or "")

    @property
    def directory(self) -> str:
        """Directory of the loader, relative to the models root."""
        parsed = TestId.parse(self.id)
        return parsed.directory if parsed else ""

    @property
    def variant(self) -> str:
        """The variant in the test id; empty if it has none."""
        parsed = TestId.parse(self.id)
        return (parsed.variant if parsed else "") or ""

    @property
    def shadowed(self) -> tuple[str, ...]:
        """Archs on which something other than the entry's own status or reason takes effect."""
        overrides = self.fields.get("arch_overrides")
        archs = overrides.items() if isinstance(overrides, Mapping) else ()
        ours = {"status", "bringup_status", "reason", "assert_pcc"}
        return tuple(str(arch) for arch, values in archs if isinstance(values, Mapping) and ours & values.keys())


@dataclass(frozen=True, slots=True)
class Case:
    """One training entry with what its workflow needs to know. Nothing in it changes while the workflow runs."""

    target: CaseEntry
    loader: str
    """The loader's file, relative to the checkout."""
    registry: str
    """The file of the registry of output classes, relative to the checkout."""
    sources: Mapping[str, str]
    """Texts by path relative to the checkout: the loader, the loaders it descends from (nearest first), the registry.

    A file that does not exist is absent.
    """
    scope: tuple[CaseEntry, ...]
    """Every training entry whose loader runs this loader's code, the target first."""
    inference: tuple[CaseEntry, ...] = ()
    """The inference entries of the same loaders: looked at, never changed."""
    task: str = ""
    """What the model is for, as upstream's `ModelTask` names it; empty: unknown."""
    pages: tuple[str, ...] = ()
    """Web pages of what the loader downloads for the target's variant, the model's own first."""

    @property
    def id(self) -> str:
        return self.target.id

    @property
    def loader_files(self) -> tuple[str, ...]:
        """Files in which loader code may be edited, the loader's own first."""
        return tuple(path for path in self.sources if path != self.registry)
