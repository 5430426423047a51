# SPDX-License-Identifier: Apache-2.0
"""Op cases as `ttmatrix ops list` and `ttmatrix list --kind op` print them."""

from __future__ import annotations

import csv
from collections.abc import Sequence

from core import ops
from core.base.errors import TTMatrixError
from core.base.text import counted, one_line

# Imported by package, also in annotations, which are not evaluated: `list` needs it for op cases only.
from core.cli import records
from core.cli.context import Context

_HEADER = ("id", "op", "dtype", "file:line", "note")


def print_cases(found: Sequence[records.OpCase], style: str | None, context: Context) -> None:
    """Print cases as `table`, `ids`, `csv` or `json`; without a style, as the console decides."""
    style = style or ("json" if context.console.json else "table")
    if style == "json":
        context.console.document(found)
    elif style == "ids":
        # A faulty case cannot be run.
        context.console.out.writelines(f"{one.id}\n" for one in found if one.op)
    elif style == "csv":
        writer = csv.writer(context.console.out, lineterminator="\n")
        writer.writerow(_HEADER)
        writer.writerows(map(_cells, found))
    else:
        _print(found, context)


def op_records(tests: ops.OpTests, models: Sequence[str], backend: str, *, dedupe: bool) -> list[records.OpCase]:
    """Each case in its JSON form; the faulty cases of a file come after its valid ones."""
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


def show_op_case(id: str, context: Context) -> None:
    """Print everything about one case."""
    tests = ops.read_op_tests(context.checkout.root, context.settings.ops_dirs)
    detail = ops.describe_case(tests, id)
    # The rows may be slightly older than the manifests.
    if detail is None:
        raise TTMatrixError(f"There is no op case {id} any more", "Its manifest has changed.", "Try again.")
    if context.console.json:
        record = next(one for one in op_records(tests, (), ops.default_backend(), dedupe=True) if one.id == id)
        context.console.document(_shown(record, detail))
        return
    context.console.line(one_line(id))
    for name, value in ops.case_lines(detail):
        context.console.line(f"  {name:12} {one_line(value)}")


def _shown(record: records.OpCase, detail: ops.CaseDetail) -> records.ShownOpCase:
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


def nameless_problems(tests: ops.OpTests) -> list[str]:
    """A line for each mistake that is not listed with a case: it is about a whole file, or a case without a name."""
    return [
        f"{one_line(manifest.path)}{f':{problem.line}' if problem.line else ''}: {one_line(ops.problem_text(problem))}"
        for manifest in tests.manifests
        for problem in manifest.problems
        if not problem.warning and not problem.case
    ]


def _broken(tests: ops.OpTests, models: Sequence[str], known: set[str]) -> list[records.OpCase]:
    """Records of faulty cases. They are not run."""
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


def _print(found: Sequence[records.OpCase], context: Context) -> None:
    if found:
        context.console.table(_HEADER, map(_cells, found))
    same = sum(1 for one in found if one.dup_of)
    context.console.note(f"{counted(len(found), 'op case')}, {same:,} the same as another" if found else "no op cases")


def _cells(one: records.OpCase) -> tuple[str, ...]:
    return one.id, one.op or "", one.dtype or "", f"{one.file}:{one.line}", _note(one)


def _note(one: records.OpCase) -> str:
    if one.problem:
        return one.problem
    if one.skip:
        return f"skip: {one.skip}"
    return f"same as {one.dup_of}" if one.dup_of else ""
