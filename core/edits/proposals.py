# SPDX-License-Identifier: Apache-2.0
"""Proposal files: operations with what justifies them. A plain list of operations is one without justification."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.edits.operations import Operation, parse_operations
from core.errors import UsageError


@dataclass(frozen=True, slots=True)
class Proposed:
    """What a file asks for."""

    operations: tuple[Operation, ...]
    evidence: Mapping[str, tuple[str, ...]]
    """By id, a line for each thing that justifies its change."""


def parse_proposed(text: str) -> Proposed:
    """Read a JSON list of operations, or of proposals `{id, arch, verdict, why, evidence, ops}`.

    Raises UsageError that names the operation or proposal (from 0) and what is wrong with it.
    """
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError):
        raw = None
    if not (isinstance(raw, list) and any(isinstance(item, dict) and "ops" in item for item in raw)):
        return Proposed(parse_operations(text), {})
    operations: list[Operation] = []
    evidence: dict[str, tuple[str, ...]] = {}
    for index, item in enumerate(raw):
        found = _operations(index, item)
        operations += found
        lines = tuple(_lines([item.get("why"), item.get("evidence")]))
        for op in found:
            evidence[op.id] = tuple(dict.fromkeys((*evidence.get(op.id, ()), *lines)))
    return Proposed(tuple(operations), evidence)


def _operations(index: int, item: object) -> tuple[Operation, ...]:
    if not isinstance(item, dict) or not isinstance(item.get("ops"), list):
        raise UsageError(f"Proposal {index} cannot be understood", "ops: must be a list of operations")
    try:
        return parse_operations(json.dumps(item["ops"]))
    except UsageError as error:
        raise UsageError(f"Proposal {index} cannot be understood", f"{error.title}. {error.detail}") from error


def _lines(value: object) -> Iterable[str]:
    """Texts wherever they stand in what somebody took for evidence; numbers and truths say nothing by themselves."""
    if isinstance(value, str):
        if value.strip():
            yield value.strip()
    elif isinstance(value, dict):
        link = value.get("url") or value.get("link")
        yield from _lines(link if link else list(value.values()))
    elif isinstance(value, list):
        for item in value:
            yield from _lines(item)
