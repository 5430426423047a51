# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix ir`: the programs that runs have left: by stage, their ops, compared, and run where they are code."""

import argparse
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from core.base.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from core.base.processes import own_identity, run_command, run_in_terminal
from core.base.text import counted, one_line, printable
from core.cli import records
from core.cli.context import Context
from core.cli.verbs import Verb, configure_verbs, execute_verb
from core.evidence.github import InUse
from core.runs import EVERYTHING, device_leases, how_to_dump
from core.runs.ir import (
    Change,
    Generated,
    Op,
    Ops,
    Program,
    ProgramDiff,
    Row,
    Stage,
    count_ops,
    diff_programs,
    generated,
    programs,
    programs_in,
    read_ops,
    same_program,
    stage_of,
)
from core.runs.store import RunRecord, RunStore

_MODULE = "ttnn"
_LACKS = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({_MODULE!r}) is None)"
_PLACE_HELP = "a run, a directory such as an IR dump of CI, either with :PROGRAM, a part of a program's name; or a file"
_SIGNS = {Change.REMOVED: "-", Change.ADDED: "+", Change.CHANGED: "~", Change.OPERANDS: "^"}


def configure(parser: argparse.ArgumentParser) -> None:
    configure_verbs(parser, _VERBS)


def execute(args: argparse.Namespace, context: Context) -> int:
    return execute_verb(_VERBS, args, context)


def _configure_list(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("program", metavar="RUN", help=_PLACE_HELP)
    _add_stage(parser)


def _list(args: argparse.Namespace, context: Context) -> int:
    found = _wanted(args.program, args.stage, context)
    if context.console.json:
        context.console.document(
            [records.Program(stage=one.stage, name=one.name, file=str(one.file), bytes=one.size) for one in found]
        )
    else:
        context.console.table(("stage", "bytes", "program"), ((one.stage, f"{one.size:,}", one.name) for one in found))
    return EXIT_OK


def _configure_ops(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("program", metavar="IR", help=_PLACE_HELP)
    _add_stage(parser)
    parser.add_argument("--find", metavar="TEXT", help="list the ops whose line has this text, with their source lines")


def _ops(args: argparse.Namespace, context: Context) -> int:
    found = _wanted(args.program, args.stage, context)
    return _find(found, args.find, context) if args.find else _count(found, context)


def _count(found: list[Program], context: Context) -> int:
    documents, broken = [], False
    for one in found:
        counts = count_ops(one.file, one.stage)
        broken = broken or bool(counts.broken)
        documents.append(
            records.ProgramOps(
                stage=one.stage,
                name=one.name,
                total=counts.total,
                ops=counts.by_name,
                broken=counts.broken or None,
            )
        )
        if not context.console.json:
            context.console.note(f"{one.name} ({one.stage}): {counted(counts.total, 'op')}")
            context.console.table(("count", "op"), ((f"{count:,}", name) for name, count in counts.by_name.items()))
        if counts.broken:
            context.console.note(counts.broken)
    if context.console.json:
        context.console.document(documents)
    return EXIT_FINDINGS if broken else EXIT_OK


def _find(found: list[Program], text: str, context: Context) -> int:
    hits = []
    for one in found:
        ops = read_ops(one.file, one.stage)
        hits += [(one, op) for op in ops.with_text(text)]
        if ops.broken:
            context.console.note(ops.broken)
    if context.console.json:
        context.console.document(
            [
                records.OpInProgram(program=one.name, line=op.line, op=op.name, source=op.place or None, text=op.text)
                for one, op in hits
            ]
        )
    elif hits:
        rows = ((one.name, str(op.line), op.place, one_line(op.text)) for one, op in hits)
        context.console.table(("program", "line", "source", "op"), rows)
    context.console.note(counted(len(hits), "op"))
    return EXIT_OK if hits else EXIT_FINDINGS


def _configure_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a run of codegen_py or codegen_cpp, or RUN:GRAPH")
    parser.add_argument("--plan", action="store_true", help="print the command and execute nothing")


def _run(args: argparse.Namespace, context: Context) -> int:
    run, _, part = args.run.partition(":")
    record = RunStore(context.paths.runs).record(run)
    found = generated(record, part)
    line = f"cd {shlex.quote(str(found.directory))} && {shlex.join(found.command)}"
    if args.plan:
        context.console.line(line)
        return EXIT_OK
    _refuse_without_module(record, found, line)
    context.console.note(line)
    # The lease ends with this process.
    if (held := device_leases().take(record.spec.devices or (EVERYTHING,), own_identity())) is not None:
        raise UsageError("The device is in use", f"Process {held.owner.pid} has it.", "ttmatrix queue shows what runs.")
    if context.console.json:
        # Standard output is for the document.
        done = run_command(found.command, cwd=found.directory, env=found.environment)
        context.console.note(printable(f"{done.stdout}{done.stderr}").rstrip())
        code = done.returncode
    else:
        code = run_in_terminal(found.command, cwd=found.directory, env=found.environment)
    if context.console.json:
        context.console.document(records.CodeRun(directory=str(found.directory), command=found.command, exit_code=code))
    context.console.note(f"exit code {code}")
    return EXIT_OK if code == 0 else EXIT_FINDINGS


def _refuse_without_module(record: RunRecord, found: Generated, line: str) -> None:
    """Raise UsageError if the interpreter of the run cannot import what generated Python imports first."""
    python = record.spec.argv[0]
    if not found.is_python:
        return
    asked = run_command([python, "-c", _LACKS], cwd=found.directory, env=found.environment)
    if asked.returncode:
        raise UsageError(
            f"{python} cannot import {_MODULE}",
            "Generated Python is not standalone: it needs a build of tt-xla.",
            f"Where there is one: source venv/activate, then {line}",
        )


def _configure_diff(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("before", metavar="IR", help=_PLACE_HELP)
    parser.add_argument("after", metavar="OTHER", help="what to compare it with, named in the same way")
    _add_stage(parser)


def _diff(args: argparse.Namespace, context: Context) -> int:
    before, after = (_wanted(text, args.stage, context) for text in (args.before, args.after))
    found = [(one, other, diff_programs(_ops_of(one), _ops_of(other))) for one, other in _pairs(before, after)]
    if not found:
        raise UsageError(
            "The two have no program in common",
            f"{', '.join(one.name for one in before)} and {', '.join(one.name for one in after)}.",
            "Name two programs: RUN:PART, or files.",
        )
    if context.console.json:
        context.console.document([_diff_document(*one) for one in found])
    else:
        for one in found:
            _print_diff(*one, context)
    return EXIT_OK if all(one[2].same and not one[2].broken for one in found) else EXIT_FINDINGS


def _pairs(before: Sequence[Program], after: Sequence[Program]) -> Iterator[tuple[Program, Program]]:
    """The pairs to compare: two single programs regardless of their stages, else those that correspond."""
    if len(before) == 1 and len(after) == 1:
        yield before[0], after[0]
        return
    for one in before:
        if other := same_program(one, list(after)):
            yield one, other


def _ops_of(program: Program) -> Ops:
    return read_ops(program.file, program.stage)


def _print_diff(before: Program, after: Program, diff: ProgramDiff, context: Context) -> None:
    counts = ", ".join(f"{count:,} {change}" for change, count in diff.counts.items() if count) or "no ops"
    context.console.note(f"{before.name} ({before.stage}), {after.name} ({after.stage}): {counts}")
    for line in diff.broken:
        context.console.note(line)
    for at in diff.differences:
        context.console.line("\n".join(_lines(diff[at])))


def _lines(row: Row) -> Iterator[str]:
    sides = [op for op in (row.left, row.right) if op is not None]
    sign = _SIGNS[row.change]
    for number, op in enumerate(sides):
        source = f"   {op.place}" if op.place else ""
        yield f"{sign if not number else ' '} {op.line:>6}  {one_line(op.text)}{source}"


def _diff_document(before: Program, after: Program, diff: ProgramDiff) -> records.ProgramsCompared:
    return records.ProgramsCompared(
        before=records.ProgramName(name=before.name, stage=before.stage),
        after=records.ProgramName(name=after.name, stage=after.stage),
        counts=records.ProgramCounts(**{str(name): number for name, number in diff.counts.items()}),
        ops={name: both for name, both in diff.by_name.items()},
        differences=[
            records.OpDifference(change=row.change, before=_side(row.left), after=_side(row.right))
            for row in map(diff.__getitem__, diff.differences)
        ],
        broken=diff.broken,
    )


def _side(op: Op | None) -> records.ComparedOp | None:
    return None if op is None else records.ComparedOp(line=op.line, op=op.name, text=op.text, source=op.place or None)


def _add_stage(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stage", choices=tuple(Stage), type=Stage, help="only programs of this stage")


def _of_run(record: RunRecord, part: str, stage: Stage | None) -> list[Program]:
    """The programs of a run whose names contain `part`. Raises UsageError if there is none."""
    every = programs(record)
    found = [one for one in every if part in one.name and stage in (None, one.stage)]
    if not found:
        known = ", ".join(one.name for one in every)
        hint = "" if known else how_to_dump(record.spec)
        raise UsageError(
            f"Run {record.spec.run_id} has left no such program", f"It has: {known}." if known else "", hint
        )
    return found


def _wanted(text: str, stage: Stage | None, context: Context) -> list[Program]:
    """The programs that `text` names. Raises UsageError if there is none."""
    file = Path(text)
    if file.is_file():
        kind = stage or stage_of(file.name) or Stage.OTHER
        return [Program(str(file), file, kind, file.stat().st_size)]
    place, _, part = text.partition(":")
    if Path(place).is_dir():
        return _of_directory(Path(place), part, stage)
    return _of_run(RunStore(context.paths.runs).record(place), part, stage)


def _of_directory(directory: Path, part: str, stage: Stage | None) -> list[Program]:
    """The programs below a directory whose names contain `part`. Raises UsageError if there is none."""
    # Until this process ends: an artefact of CI that is being read is not removed.
    InUse(directory)
    every = programs_in(directory)
    found = [one for one in every if part in one.name and stage in (None, one.stage)]
    if not found:
        known = ", ".join(one.name for one in every[:20])
        raise UsageError(f"{one_line(str(directory))} has no such program", f"It has: {known}." if known else "")
    return found


_VERBS: Mapping[str, Verb] = {
    "list": Verb("list the programs of a run by stage", _configure_list, _list),
    "ops": Verb("count the ops of a program, or list some with their source lines", _configure_ops, _ops),
    "run": Verb("execute the code that an export has generated", _configure_run, _run),
    "diff": Verb("compare two programs op by op, without names of values and locations", _configure_diff, _diff),
}
