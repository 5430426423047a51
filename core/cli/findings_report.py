# SPDX-License-Identifier: Apache-2.0
"""Findings as text, as annotations of GitHub, and as SARIF: what `doctor` and `check` print."""

import json
from collections.abc import Iterable, Sequence
from enum import StrEnum

from core import __version__
from core.cli.context import Context
from core.cli.sarif import sarif_log
from core.doctor import kinds, severity
from core.domain.model import Finding, Severity
from core.edits import FileEdit, parse_operations, plan

_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
"""GitHub's words."""
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


class Format(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    GITHUB = "github"
    SARIF = "sarif"
    JSON = "json"


def print_findings(findings: Sequence[Finding], wanted: Format, context: Context) -> None:
    """Print findings in a form other than JSON."""
    console = context.console
    if wanted is Format.SARIF:
        console.document(findings_as_sarif(findings, context))
    elif wanted is Format.GITHUB:
        console.out.write("".join(f"{annotation(one)}\n" for one in findings))
    elif findings:
        console.table(("file:line", "severity", "kind", "message"), map(_row, findings))


def _row(one: Finding) -> tuple[str, str, str, str]:
    return place(one), severity(one.kind), one.kind, f"{one.message} [{one.id}]" if one.id else one.message


def place(finding: Finding) -> str:
    """The file with the line, if that is known."""
    return f"{finding.file}:{finding.line}" if finding.line else finding.file


def annotation(one: Finding) -> str:
    """A command of a workflow run that puts the finding beside the line of the change."""
    given: Iterable[tuple[str, object]] = (
        ("file", one.file),
        ("line", one.line),
        ("col", one.column),
        ("title", f"{one.kind}: {one.id}" if one.id else one.kind),
    )
    properties = ",".join(f"{name}={str(value).translate(_PROPERTY)}" for name, value in given if value)
    return f"::{_LEVELS[severity(one.kind)]} {properties}::{one.message.translate(_DATA)}"


def findings_as_sarif(findings: Sequence[Finding], context: Context) -> dict[str, object]:
    """A SARIF 2.1.0 log with the fixes of the findings."""

    def edits(finding: Finding) -> Sequence[FileEdit]:
        if not finding.fix:
            return ()
        operations = parse_operations(json.dumps(finding.fix))
        planned = plan(context.checkout.test_config, operations, context.matrix.schema)
        return () if planned.rejected else planned.files

    return sarif_log(findings, kinds(), __version__, edits)
