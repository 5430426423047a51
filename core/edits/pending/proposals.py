# SPDX-License-Identifier: Apache-2.0
"""Proposal files: operations with what justifies them. A plain list of operations is one without justification."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.edits.operations import Operation, parse_operations, read_operations
from core.edits.pending.change import BaseEntry, Change
from core.errors import UsageError
from core.files import Malformed, parsed, typed


@dataclass(frozen=True, slots=True)
class _Base:
    """What a proposal was made on, as its file says it."""

    commit: str
    file: str
    fields: Mapping[str, object] | None


@dataclass(frozen=True, slots=True)
class ProposedChange:
    """One proposal, as it was made."""

    change: Change
    commit: str = ""
    """The commit the checkout was on; empty: nobody says."""
    lines: tuple[str, ...] = ()
    """What justifies it."""


@dataclass(frozen=True, slots=True)
class ProposalFile:
    """What a file asks for."""

    made: tuple[ProposedChange, ...]

    @property
    def operations(self) -> tuple[Operation, ...]:
        return tuple(op for one in self.made for op in one.change.ops)

    @property
    def evidence(self) -> Mapping[str, tuple[str, ...]]:
        """By id, a line for each thing that justifies its change."""
        found: dict[str, dict[str, None]] = {}
        for one in self.made:
            for op in one.change.ops if one.lines else ():
                found.setdefault(op.id, {}).update(dict.fromkeys(one.lines))
        return {id: tuple(lines) for id, lines in found.items()}


def parse_proposals(text: str) -> ProposalFile:
    """Read a JSON list of operations, or of proposals `{id, arch, verdict, why, evidence, ops}`.

    A proposal may have a `base` `{commit, file, fields}`: the commit and the entry it was made on.
    Raises UsageError that names the operation or proposal (from 0) and what is wrong with it.
    """
    try:
        raw = parsed(text)
    except Malformed:
        raw = None
    if not (isinstance(raw, list) and any(isinstance(item, dict) and "ops" in item for item in raw)):
        return ProposalFile((ProposedChange(Change(parse_operations(text))),))
    return ProposalFile(tuple(_made(index, item) for index, item in enumerate(raw)))


def _made(index: int, item: object) -> ProposedChange:
    operations = _operations(index, item)
    assert isinstance(item, dict)
    lines = tuple(dict.fromkeys(_lines([item.get("why"), item.get("evidence")])))
    if item.get("base") is None:
        return ProposedChange(Change(operations), "", lines)
    try:
        base, id = typed(item["base"], _Base), typed(item.get("id"), str)
    except Malformed as error:
        raise UsageError(
            f"Proposal {index} cannot be understood",
            f"base: must be an object with commit and file, which are text, and fields, an object or null ({error})",
        ) from error
    return ProposedChange(Change(operations, bases=(BaseEntry(base.file, id, base.fields),)), base.commit, lines)


def _operations(index: int, item: object) -> tuple[Operation, ...]:
    if not isinstance(item, dict) or not isinstance(item.get("ops"), list):
        raise UsageError(f"Proposal {index} cannot be understood", "ops: must be a list of operations")
    try:
        return read_operations(item["ops"])
    except UsageError as error:
        raise UsageError(f"Proposal {index} cannot be understood", f"{error.title}. {error.detail}") from error


def _lines(value: object) -> Iterable[str]:
    """All texts in a value given as evidence; numbers and booleans say nothing by themselves."""
    if isinstance(value, str):
        if value.strip():
            yield value.strip()
    elif isinstance(value, dict):
        link = value.get("url") or value.get("link")
        yield from _lines(link if link else list(value.values()))
    elif isinstance(value, list):
        for item in value:
            yield from _lines(item)
