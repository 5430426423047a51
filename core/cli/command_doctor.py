# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix doctor`: list the findings in a checkout as a table, JSON or SARIF."""

import argparse
import difflib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from core.base.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from core.base.files import atomic_write
from core.base.text import counted, json_text
from core.cli import records
from core.cli.context import Context
from core.cli.finding_record import finding_record
from core.cli.findings_report import Format, findings_as_sarif, print_findings
from core.doctor import explanation, kinds, severity
from core.domain.model import Finding

_STDOUT = "-"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--fail-on",
        type=_kinds,
        default=(),
        metavar="KIND,...",
        help="exit with 1 only for findings of these kinds; default: for any finding",
    )
    parser.add_argument(
        "--sarif",
        metavar="FILE",
        help="also write a SARIF 2.1.0 log to FILE; - writes it to stdout instead of the table",
    )
    parser.add_argument(
        "--kinds", action="store_true", help="list the kinds of findings and what they mean, and check nothing"
    )

    parser.add_argument(
        "--explain",
        type=_kind,
        metavar="KIND",
        help="print what a kind of finding means, why it hurts and how it is fixed, and check nothing",
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    console = context.console
    if args.explain:
        _explain(args.explain, context)
        return EXIT_OK
    if args.sarif == _STDOUT and console.json:
        raise UsageError(
            "Standard output can take only one document", "--json and --sarif - both write there.", "Use --sarif FILE."
        )
    if args.kinds:
        _print_kinds(context)
        return EXIT_OK
    findings = context.workspace.findings
    if args.sarif is not None:
        _write_sarif(args.sarif, findings, context)
    if console.json:
        console.document([finding_record(one) for one in findings])
    elif args.sarif != _STDOUT:
        _print(findings, context)
    failing = args.fail_on or {finding.kind for finding in findings}
    return EXIT_FINDINGS if any(finding.kind in failing for finding in findings) else EXIT_OK


def _kinds(text: str) -> tuple[str, ...]:
    """Kinds separated by commas. Raises UsageError for an unknown one."""
    known = kinds()
    wanted = tuple(part.strip() for part in text.split(","))
    for kind in wanted:
        if kind not in known:
            near = difflib.get_close_matches(kind, known, 1)
            hint = f"Did you mean {near[0]}?" if near else "ttmatrix doctor --kinds explains them."
            raise UsageError(f"Unknown kind of finding {kind!r}", f"Kinds: {', '.join(known)}", hint)
    return wanted


def _kind(text: str) -> str:
    """One kind. Raises UsageError for an unknown one."""
    (kind,) = _kinds(text.replace(",", " "))
    return kind


def _explain(kind: str, context: Context) -> None:
    if context.console.json:
        said = records.FindingExplained(
            kind=kind, severity=severity(kind), help=kinds()[kind], explanation=explanation(kind)
        )
        context.console.document(said)
    else:
        context.console.line(f"{kind}\n\n{explanation(kind)}")


def _print_kinds(context: Context) -> None:
    if context.console.json:
        context.console.document([records.FindingKind(kind=kind, help=text) for kind, text in kinds().items()])
    else:
        context.console.table(("kind", "help"), kinds().items())


def _print(findings: Sequence[Finding], context: Context) -> None:
    """One line per finding; it ends with the id of the entry, if it is about one."""
    print_findings(findings, Format.TEXT, context)
    _note_unknown_issues(context)
    counts = Counter(one.kind for one in findings)
    by_kind = ", ".join(f"{count:,} {kind}" for kind, count in sorted(counts.items()))
    context.console.note(f"{counted(len(findings), 'finding')}: {by_kind}" if findings else "no findings")


def _note_unknown_issues(context: Context) -> None:
    """Say of how many issues it is not known whether they are closed."""
    states = context.workspace.issue_states
    cited = {issue for one in context.workspace.blames for issue in one.issues}
    unknown = len(cited - states.keys())
    if unknown:
        context.console.note(
            f"whether issues that explain failures are closed is not known here of {unknown} of {len(cited)}:"
            " ttmatrix clusters --issues --refresh asks GitHub"
        )


def _write_sarif(target: str, findings: Sequence[Finding], context: Context) -> None:
    log = findings_as_sarif(findings, context)
    if target == _STDOUT:
        context.console.document(log)
    else:
        atomic_write(Path(target), json_text(log) + "\n")
