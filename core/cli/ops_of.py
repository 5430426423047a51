# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix ops of TEST`: the ops of the model of one test, with the results of op-by-op tests."""

import argparse

from core.base.errors import EXIT_OK, UsageError
from core.base.text import counted, one_line
from core.cli import records
from core.cli.context import Context
from core.domain.ids import TestId
from core.domain.model import Function, node_id
from core.ops import (
    JoinedResult,
    OpByOp,
    OpsOfModel,
    chisel_file,
    failed_op,
    ops_of_model,
    read_chisel,
    read_op_by_op,
    read_op_tests,
)
from core.providers import info_of


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="TEST", help="a test of the model: an id, or a part that matches only one")


def execute(args: argparse.Namespace, context: Context) -> int:
    (id,) = context.resolve([args.id])
    test = TestId.parse(id)
    if test is None:
        raise UsageError(f"{id} names no model", "It has no loader, variant and mode.")
    root = context.checkout.root
    found = read_op_by_op(root)
    tests = read_op_tests(root, context.settings.ops_dirs)
    own = node_id(test.function, id)
    ops = ops_of_model(tests, found, test, info_of(context.workspace.model_infos, id), read_chisel(root, own))
    twin = node_id(Function.OP_BY_OP, id) if test.llm is None else ""
    lines = (found.chisel or {}).get(chisel_file(own))
    if context.console.json:
        context.console.document(_document(id, twin, ops, found, lines))
    else:
        _print(id, twin, ops, found, lines, context)
    return EXIT_OK


def _document(id: str, twin: str, ops: OpsOfModel, found: OpByOp, lines: int | None) -> records.OpsOfModel:
    return records.OpsOfModel(
        id=id,
        op_by_op=twin or None,
        models=list(ops.models),
        cases=[row.id for row in ops.rows],
        results=[
            records.OpByOpResult(
                op=one.result.op,
                passed=one.result.passed,
                message=one.result.message or None,
                inputs=[records.OpByOpInput(shape=list(each.shape), dtype=each.dtype) for each in one.result.inputs],
                report=one.result.file,
                joined_by_shape=list(one.cases),
            )
            for one in ops.joined
        ],
        failed_modules=[records.FailedModule(file=file, op=failed_op(file)) for file in found.failed_files],
        chisel_lines=lines,
        problems=list(found.problems),
    )


def _print(id: str, twin: str, ops: OpsOfModel, found: OpByOp, lines: int | None, context: Context) -> None:
    console = context.console
    console.line(one_line(id))
    console.line(f"  op by op  {one_line(twin) or 'none: LLM tests have none'}")
    console.line(
        f"  cases     {counted(len(ops.rows), 'op case')} of {', '.join(map(one_line, ops.models)) or 'no model'}"
    )
    if ops.joined:
        console.table(("op", "result", "tensors", "joined by shape", "message"), map(_cells, ops.joined))
    passed = sum(one.result.passed for one in ops.joined)
    console.note(f"{counted(len(ops.joined), 'op-by-op result')}, {passed:,} passed")
    if found.failed_files:
        console.note(
            f"{counted(len(found.failed_files), 'module')} of failed ops, such as {one_line(found.failed_files[0])}"
        )
    if lines is not None:
        console.note(f"Chisel has {counted(lines, 'line')} of this test.")
    for problem in found.problems:
        console.note(f"cannot read {one_line(problem)}")


def _cells(one: JoinedResult) -> tuple[str, ...]:
    tensors = " ".join(f"{'x'.join(map(str, each.shape)) or 'scalar'}:{each.dtype}" for each in one.result.inputs)
    result = "passed" if one.result.passed else "failed"
    return one_line(one.result.op), result, one_line(tensors), " ".join(one.cases[:3]), one_line(one.result.message)
