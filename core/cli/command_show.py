# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix show`: everything about one test of a model, one op case, or one hand-written test."""

import argparse
from collections.abc import Sequence

from core import kinds
from core.base.errors import EXIT_OK, TTMatrixError
from core.base.text import one_line, printable
from core.ci import job_name, markers_by_arch
from core.cli import absent_report, records
from core.cli.context import Context
from core.cli.evidence_report import evidence_text, judgement_document
from core.cli.finding_record import finding_record
from core.cli.history_report import as_document as step_document, steps_text
from core.cli.performance_record import between_commits, performance_record
from core.cli.row_printers import show
from core.domain.ids import TestId
from core.domain.model import ModelInfo
from core.evidence import page_of
from core.evidence.analysis import Series, perf_lines, series_name
from core.history import Step
from core.matrix import NO_ARCH, Detail, text_of
from core.providers import info_of
from core.sources import read_lacking
from core.sources.ci import Job, read_skip_prefixes
from core.sources.downloads import Fetched

_SHOWN_SIBLINGS = 12
_SHOWN_STEPS = 3


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id",
        metavar="ID",
        help="a test id, a pytest node id, or a part that matches only one id; model::case: an op case; "
        "tests/torch/...py::...: a hand-written test; the name of a placeholder; benchmark::NAME: a benchmark",
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    if found := kinds.find(args.id, context.workspace):
        matrix = found.kind.add(context.matrix, context.workspace)
        show(found.kind, found.id, matrix, context)
        return EXIT_OK
    detail = context.workspace.describe(context.resolve([args.id])[0])
    fetched = context.workspace.fetched(detail.id)
    info = info_of(context.workspace.model_infos, detail.id)
    jobs = context.workspace.selected.of(context.matrix.rows[detail.id])
    steps = _last_steps(detail.id, context)
    if context.console.json:
        context.console.document(_document(detail, fetched, info, jobs, steps, context))
    else:
        _print(detail, fetched, info, jobs, steps, context)
    return EXIT_OK


def _performance(id: str, context: Context) -> Sequence[Series]:
    return context.workspace.performance_of(id, context.evidence.ended_runs)


def _print_performance(id: str, context: Context) -> None:
    for one in _performance(id, context):
        context.console.line(f"  {one_line(series_name(one))}")
        for words, _ in perf_lines(one):
            context.console.line(f"    {words}")


def _evidence(id: str, context: Context) -> list[records.Judgement]:
    seen = context.evidence.verdicts.seen.get(id, {})
    return [judgement_document(one, seen.get(one.arch, ())) for one in context.evidence.verdicts.of(id)]


def _markers(detail: Detail, info: ModelInfo | None, context: Context) -> dict[str, list[str] | None]:
    """All markers that pytest gives the test, by arch (`base`: without `--arch`); null: it is deselected there."""
    prefixes, _ = read_skip_prefixes(context.checkout)
    archs = [arch or None for arch in detail.effective]
    found = markers_by_arch(context.matrix, detail.id, archs, info.group if info else None, prefixes)
    return {arch or "base": None if names is None else sorted(names) for arch, names in found.items()}


def _last_steps(id: str, context: Context) -> Sequence[Step]:
    """The last commits that changed the entry; none without git, as everything else can still be shown."""
    try:
        found = [step for one in context.workspace.history.of(id) if one.location for step in one.steps[:_SHOWN_STEPS]]
    except TTMatrixError as error:
        context.console.note(str(error))
        return ()
    return found[:_SHOWN_STEPS]


def _document(
    detail: Detail,
    fetched: Fetched,
    info: ModelInfo | None,
    jobs: Sequence[Job],
    steps: Sequence[Step],
    context: Context,
) -> records.ShownTest:
    """The detail as JSON: effective values by arch (`base`: without `--arch`), each with its provenance."""
    return records.ShownTest(
        id=detail.id,
        function=detail.function,
        node_id=detail.node_id,
        known=detail.known,
        loader=detail.loader or None,
        model_info=records.ShownModel(**info._asdict(), name=info.name) if info else None,
        hub=[records.ShownHub(kind=one.kind, name=one.name, link=one.link) for one in fetched.hub],
        weights=[
            records.ShownWeights(library=one.library, repository=one.repository, name=one.name, page=one.page or None)
            for one in fetched.weights
        ],
        supported_archs=list(detail.supported),
        entries=[
            records.ShownEntry(
                file=one.path,
                line=one.entry.line,
                end_line=one.entry.end_line,
                text=one.text,
                fields=one.entry.fields,
            )
            for one in detail.declared
        ],
        effective={
            arch or "base": {
                name: records.EffectiveValue(value=one.value, from_=one.provenance) for name, one in values.items()
            }
            for arch, values in detail.effective.items()
        },
        jobs={
            arch: [
                records.JobName(file=job.file, name=job.name, mark=job.test_mark) for job in jobs if job.runs_on == arch
            ]
            for arch in dict.fromkeys(job.runs_on for job in jobs)
        },
        commits=[step_document(step) for step in steps],
        siblings=list(detail.siblings),
        findings=[finding_record(one) for one in detail.findings],
        markers=_markers(detail, info, context),
        evidence=_evidence(detail.id, context),
        absent=absent_report.absent_document(detail.id, read_lacking(context.checkout)),
        performance=[performance_record(one, between_commits(context)) for one in _performance(detail.id, context)],
    )


def _of_other_kinds(id: str, info: ModelInfo | None, context: Context) -> list[tuple[str, str]]:
    """What rows of other kinds say about a test."""
    test = TestId.parse(id)
    found = (kind.of_model(test, info, context.workspace) for kind in kinds.kinds()) if test else ()
    return [said for said in found if said]


def _print(
    detail: Detail,
    fetched: Fetched,
    info: ModelInfo | None,
    jobs: Sequence[Job],
    steps: Sequence[Step],
    context: Context,
) -> None:
    console, lacking = context.console, read_lacking(context.checkout)
    console.line(one_line(detail.id))
    console.line(f"  node id  {one_line(detail.node_id)}")
    console.line(f"  loader   {one_line(detail.loader) or _no_loader(detail.id, context)}")
    if info:
        console.line(f"  model    {one_line(info.name)}, group {one_line(info.group)}")
    console.out.writelines(f"  hub      {one.kind} {one_line(one.name)}, {one.link}\n" for one in fetched.hub)
    console.out.writelines(
        f"  weights  {one_line(' '.join(filter(None, (one.text, one.page))))}\n" for one in fetched.weights
    )
    console.line(f"  archs    {' '.join(map(one_line, detail.supported))}")
    for name, said in _of_other_kinds(detail.id, info, context):
        console.line(f"  {name:8} {said}")
    for one in detail.declared:
        console.line(f"\n{one_line(one.path)}:{one.entry.line}")
        console.line(printable(one.text))
    known = bool(detail.declared) or detail.id not in lacking.entries
    if not detail.declared:
        console.line()
        console.prose(*absent_report.entry_lines(detail.id, lacking))
    if known:
        _print_effective(detail, context)
    _print_evidence(detail.id, context)
    _print_performance(detail.id, context)
    console.line()
    console.prose(*absent_report.jobs_lines(len(jobs), detail.id, lacking))
    console.prose(*(f"  {one_line(job_name(job))}" for job in jobs if known))
    if steps:
        console.line("\nLast changes:")
        console.prose(*steps_text(steps))
    if detail.siblings:
        console.line(f"\nEntries of the same loader: {len(detail.siblings)}")
        for sibling in detail.siblings[:_SHOWN_SIBLINGS]:
            console.line(f"  {one_line(sibling)}")
    for finding in detail.findings:
        console.line()
        console.prose(f"{finding.kind}: {one_line(finding.message)} ({one_line(finding.file)}:{finding.line})")


def _print_effective(detail: Detail, context: Context) -> None:
    context.console.line()
    context.console.table(
        ("field", "value", "from", "archs"),
        (
            (name, text_of(effective.value) or "-", effective.provenance, " ".join(archs))
            for name in detail.effective[NO_ARCH]
            for effective, archs in detail.grouped(name)
        ),
    )


def _no_loader(id: str, context: Context) -> str:
    parsed = TestId.parse(id)
    absent = absent_report.loader_line(parsed.directory, context) if parsed else ""
    return absent or "none: no loader generates this id"


def _print_evidence(id: str, context: Context) -> None:
    seen = context.evidence.verdicts.seen.get(id, {})
    if seen:
        context.console.line("\nEvidence:")
        for one in context.evidence.verdicts.of(id):
            results = evidence_text(one.arch, seen.get(one.arch, ()))
            context.console.line(f"  {results}: {one.verdict}, {one_line(one.why)}")
            if page := page_of(one.rows).url:
                context.console.line(f"    {page}")
