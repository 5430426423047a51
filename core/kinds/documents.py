# SPDX-License-Identifier: Apache-2.0
"""Rows in their JSON form. Loaded when rows are printed: a table of tests of models needs none of it."""

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import UNSET

from core import edits, evidence, ops
from core.base.checked_numbers import moment_text
from core.base.errors import TTMatrixError
from core.kinds import records
from core.matrix import NO_ARCH, JobOfRow, Matrix

if TYPE_CHECKING:
    from core.evidence import Observation
    from core.kinds.kind import Kind
    from core.sources import ModelInfos
    from core.sources.handwritten import HandwrittenTest
    from core.workspace import Workspace

SHOWN_RESULTS = 10


def other_row(kind: "Kind", matrix: Matrix, id: str, on: "Workspace") -> records.OtherRow:
    """A row as its columns have it."""
    row = matrix.rows[id]
    names = [one.name for one in kind.own_columns]
    return records.OtherRow(
        id=id,
        kind=kind.name,
        file=matrix.columns["file"][row],
        line=matrix.line_of(row),
        reason=matrix.columns["reason"][row] or None,
        fields={
            name: [*filter(None, matrix.flags[name][row])] if name in matrix.flags else matrix.columns[name][row]
            for name in names
        },
        jobs=[
            records.JobOfOtherRow(name=job.name, file=job.file, runs_on=job.runs_on, cadence=job.cadence or None)
            for job in kind.jobs(matrix, id, on)
        ],
    )


def shown_row(kind: "Kind", matrix: Matrix, id: str, on: "Workspace") -> records.ShownOtherRow:
    """A row as its columns have it, with its newest results and what they mean."""
    found = kind.results(id, on)
    policy = evidence.policy_of(on.checkout, on.paths).policy
    verdicts = {one.arch: str(one.verdict) for one in kind.judged(matrix, id, found, policy)}
    return other_row(kind, matrix, id, on).extended(
        records.ShownOtherRow,
        evidence=results(found[:SHOWN_RESULTS]) or UNSET,
        verdicts=verdicts or UNSET,
    )


def model_test(matrix: Matrix, row: int, arch: str, function: str) -> records.ModelTest:
    """A model test, as a test of one of its functions."""
    entry = matrix.entry(row)
    return records.ModelTest(
        id=matrix.ids[row],
        function=function,
        status=matrix.status[arch or NO_ARCH][row],
        statuses={one: matrix.status[one][row] for one in matrix.schema.archs},
        archs=list(matrix.flags["arch"][row]),
        bringup_status=matrix.columns["bringup"][row] or None,
        reason=entry.fields.get("reason") if entry else None,
        markers=list(matrix.flags["marker"][row]),
        loader=matrix.columns["loader"][row] or None,
        file=entry.file if entry else None,
        line=entry.line if entry else None,
    )


# Placeholders


def placeholder_row(matrix: Matrix, id: str) -> records.Placeholder:
    """The row of a placeholder."""
    row, columns = matrix.rows[id], matrix.columns
    return records.Placeholder(
        id=id,
        kind="placeholder",
        model=columns["model"][row],
        bringup_status=columns["bringup"][row],
        reason=columns["reason"][row],
        file=columns["file"][row],
        line=matrix.line_of(row),
    )


def placeholders_with_tests(
    matrix: Matrix, infos: "ModelInfos", ids: Sequence[str]
) -> list[records.PlaceholderWithTests]:
    """Placeholders, each with the ids of its model's tests that exist now."""
    tests = edits.model_tests_of(matrix.model_tests, infos, ids)
    return [placeholder_row(matrix, id).extended(records.PlaceholderWithTests, tests=tests[id]) for id in ids]


# Hand-written tests


def handwritten_test(test: "HandwrittenTest") -> records.HandwrittenTest:
    """One hand-written test."""
    return records.HandwrittenTest(
        id=test.node_id,
        function=test.name,
        classes=list(test.classes),
        file=test.path,
        line=test.line,
        level=test.level or None,
        markers=sorted(test.markers),
        marks=[records.HandwrittenMark(name=mark.name, given=dict(mark.given)) for mark in test.marks],
        parameters=dict(test.parameters),
        known=not test.unknown,
        why=test.unknown or None,
    )


def shown_handwritten(
    test: "HandwrittenTest", jobs: Sequence[JobOfRow], found: "Sequence[Observation]"
) -> records.ShownHandwritten:
    """One hand-written test with its jobs and its results, of which the newest are shown."""
    return handwritten_test(test).extended(
        records.ShownHandwritten, jobs=jobs_by_machine(jobs), evidence=results(found[:SHOWN_RESULTS])
    )


def results(found: Iterable["Observation"]) -> list[records.HandwrittenResult]:
    """Results of a row that is no test of a model."""
    return [
        records.HandwrittenResult(
            when=moment_text(one.when),
            from_=one.origin,
            run=one.job or one.run,
            arch=one.arch or None,
            ending=str(one.ending),
            why=one.reason or None,
            url=evidence.page_of([one]).url or None,
        )
        for one in found
    ]


def result_text(one: "Observation") -> str:
    """A result in one line."""
    (found,) = results([one])
    return " ".join(filter(None, (found.when, found.from_, found.run, found.arch, found.ending, found.why, found.url)))


def jobs_by_machine(jobs: Sequence[JobOfRow]) -> dict[str, list[records.JobName]]:
    """Jobs by what they run on."""
    return {
        machine: [
            records.JobName(file=job.file, name=job.name, mark=job.mark or "") for job in jobs if job.runs_on == machine
        ]
        for machine in dict.fromkeys(job.runs_on for job in jobs)
    }


# Op cases


def op_cases(tests: ops.OpTests, models: Sequence[str], backend: str, *, dedupe: bool) -> list[records.OpCase]:
    """Each case; the faulty cases of a file come after its valid ones."""
    selected = tests.of_models(models)
    skipped = ops.skips(selected, backend)
    said = ops.deduplicated(selected, skipped, dedupe=dedupe)
    warnings = {
        (manifest.path, problem.case): ops.problem_text(problem)
        for manifest in tests.manifests
        for problem in manifest.problems
        if problem.warning
    }
    found: list[records.OpCase] = []
    for row in selected:
        note = "The op computes nothing" if ops.computes_nothing(row.case) else ""
        found.append(
            records.OpCase(
                id=row.id,
                model=row.manifest.model,
                name=row.case.name,
                op=row.case.op,
                dtype=row.case.dtype,
                file=row.manifest.path,
                line=row.case.line,
                key=said[row.id].key,
                dup_of=said[row.id].dup_of or None,
                skip=skipped.get(row.id),
                problem=warnings.get((row.manifest.path, row.case.name), note) or None,
            )
        )
    return [*found, *_broken(tests, models, {one.id for one in found})]


def listed_cases(tests: ops.OpTests, ids: Sequence[str], *, broken: bool) -> list[records.OpCase]:
    """Cases by their ids; `broken` includes the faulty ones, which have no row."""
    found = {one.id: one for one in op_cases(tests, (), ops.default_backend(), dedupe=True)}
    return [*(found[id] for id in ids if id in found), *(one for one in found.values() if broken and not one.op)]


def shown_case(tests: ops.OpTests, id: str) -> records.ShownOpCase:
    """Everything about one case. Raises TTMatrixError if its manifest has it no more."""
    detail = ops.describe_case(tests, id)
    # The rows may be slightly older than the manifests.
    if detail is None:
        raise TTMatrixError(f"There is no op case {id} any more", "Its manifest has changed.", "Try again.")
    (record,) = listed_cases(tests, [id], broken=False)
    case = detail.case
    return record.extended(
        records.ShownOpCase,
        status=detail.expected.status,
        reason=detail.expected.reason or None,
        inputs=[_input(one) for one in case.inputs],
        keywords={name: ops.value_text(value) for name, value in case.keywords.items()},
        seed=case.seed,
        rtol=case.rtol,
        atol=case.atol,
        pcc=case.pcc,
        marks=case.marks,
        skip_if=[records.OpSkip(expr=one.expr, reason=one.reason or None) for one in case.skip_if],
        xfail_if=case.xfail_if or None,
        xfail_reason=case.xfail_reason or None,
        expects_error=None if case.expects_error is None else ops.raises_text(case.expects_error[0]),
        description=case.description or None,
        bytes=detail.bytes,
        same=detail.same,
    )


def _input(
    one: ops.Tensor | ops.Value | Sequence[ops.Tensor],
) -> records.OpTensor | records.OpValue | records.OpTensors:
    if isinstance(one, ops.Tensor):
        return _tensor(one)
    if isinstance(one, ops.Value):
        return records.OpValue(value=ops.value_text(one.value))
    return records.OpTensors(tensors=[_tensor(tensor) for tensor in one])


def _tensor(one: ops.Tensor) -> records.OpTensor:
    return records.OpTensor(
        shape=one.shape,
        dtype=one.dtype or None,
        init=one.init,
        stride=one.stride,
        offset=one.storage_offset,
        text=ops.tensor_text(one),
    )


def _broken(tests: ops.OpTests, models: Sequence[str], known: Collection[str]) -> list[records.OpCase]:
    """Faulty cases. They are not run."""
    found: dict[str, records.OpCase] = {}
    for manifest in tests.manifests:
        for problem in manifest.problems:
            id = f"{manifest.model}::{problem.case}"
            if problem.warning or not problem.case or (models and manifest.model not in models):
                continue
            if id in known or id in found:
                id = f"{id}::{manifest.path}:{problem.line}"
            found.setdefault(
                id,
                records.OpCase(
                    id=id,
                    model=manifest.model,
                    name=problem.case,
                    op=None,
                    dtype=None,
                    file=manifest.path,
                    line=problem.line,
                    key=None,
                    dup_of=None,
                    skip=None,
                    problem=ops.problem_text(problem),
                ),
            )
    return list(found.values())
