# SPDX-License-Identifier: Apache-2.0
"""Findings as a SARIF 2.1.0 log, the format that code hosts and editors import."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from urllib.parse import quote

from core.doctor import severity
from core.domain.model import Finding
from core.edits import FileEdit, in_checkout

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"
_LINE = re.compile(r"[^\n]*\n|[^\n]+")

Edits = Callable[[Finding], Sequence[FileEdit]]
"""The edits of a finding's fix; empty if it has none, or the fix is not possible."""


def sarif_log(findings: Iterable[Finding], kinds: Mapping[str, str], version: str, edits: Edits) -> dict[str, object]:
    """One run of the tool in `version`, with a rule for each of `kinds`; files are relative to the checkout."""
    rules = [{"id": kind, "shortDescription": {"text": text}} for kind, text in kinds.items()]
    order = {kind: index for index, kind in enumerate(kinds)}
    driver = {"name": "ttmatrix", "version": version, "rules": rules}
    results = [_result(finding, order, edits(finding)) for finding in findings]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(finding: Finding, order: Mapping[str, int], edits: Sequence[FileEdit]) -> dict[str, object]:
    text = f"{finding.id}: {finding.message}" if finding.id else finding.message
    result: dict[str, object] = {
        "ruleId": finding.kind,
        "level": severity(finding.kind),
        "message": {"text": text},
        "locations": [{"physicalLocation": _location(finding)}],
    }
    if finding.kind in order:
        result["ruleIndex"] = order[finding.kind]
    if edits:
        text = "; ".join(map(fix_text, finding.fix))
        result["fixes"] = [{"description": {"text": text}, "artifactChanges": [_change(edit) for edit in edits]}]
    return result


def _location(finding: Finding) -> dict[str, object]:
    location: dict[str, object] = {"artifactLocation": _artifact(finding.file)}
    if finding.line:
        column = {"startColumn": finding.column} if finding.column else {}
        location["region"] = {"startLine": finding.line, **column}
    return location


def _artifact(file: str) -> dict[str, str]:
    return {"uri": quote(file), "uriBaseId": _ROOT}


def fix_text(operation: Mapping[str, object]) -> str:
    """What an operation in its JSON form does, on one line."""
    path, target = operation.get("path"), operation.get("to")
    words = [str(operation["op"]), ".".join(map(str, path)) if isinstance(path, list) else str(operation["id"])]
    if "value" in operation:
        words.append(f"to {operation['value']}")
    return " ".join([*words, f"to {target}"] if target else words)


def _change(edit: FileEdit) -> dict[str, object]:
    """The one range of lines in which the file differs; a removed line includes its line end."""
    before, after = _LINE.findall(edit.before), _LINE.findall(edit.after)
    start = _shared(before, after)
    same = _shared(before[start:][::-1], after[start:][::-1])
    end = len(before) - same
    region = {"startLine": start + 1, "startColumn": 1, "endLine": end + 1, "endColumn": 1}
    replacement = {"deletedRegion": region, "insertedContent": {"text": "".join(after[start : len(after) - same])}}
    return {"artifactLocation": _artifact(in_checkout(edit.file)), "replacements": [replacement]}


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """The number of lines that both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (mine, yours) in pairs if mine != yours), min(len(one), len(other)))
