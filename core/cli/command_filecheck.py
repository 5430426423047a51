# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix filecheck`: try a pattern on a program dumped by a run, or write a first one. Runs no model."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from core.base.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from core.base.files import plain, read_text
from core.base.text import one_line
from core.cli import records
from core.cli.context import Context
from core.runs import PatternResult, check_pattern, find_tool, first_pattern, how_to_dump, is_run_id
from core.runs.store import RunStore


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "pattern", metavar="PATTERN", help="a file of CHECK lines, or the name of one in tests/filecheck"
    )
    parser.add_argument("program", metavar="IR", help="a file of IR, or a run that has left one")
    parser.add_argument(
        "--first", metavar="FROM-TO", help="write PATTERN, which must not exist, from these lines of the IR instead"
    )


def execute(args: argparse.Namespace, context: Context) -> int:
    if args.first:
        return _write(Path(args.pattern), Path(args.program), args.first, context)
    pattern = _pattern(args.pattern, context)
    program = _program(args.program, pattern, context)
    tool = find_tool()
    result = check_pattern(tool, pattern, program)
    if context.console.json:
        context.console.document(
            records.PatternChecked(
                tool=str(tool.program),
                version=tool.version,
                pattern=str(pattern),
                program=str(program),
                passed=result.passed,
                message=result.message,
                lines=[records.PatternLine(**plain(one)) for one in result.lines],
            )
        )
    else:
        context.console.note(f"{tool.program} {tool.version}: {pattern} on {program}")
        _print(result, read_text(pattern).splitlines(), context)
    return EXIT_OK if result.passed else EXIT_FINDINGS


def _print(result: PatternResult, pattern: Sequence[str], context: Context) -> None:
    rows = []
    for one in result.lines:
        where = "" if one.at is None else str(one.at)
        why = one.why if one.intended is None else f"{one.why}; meant for line {one.intended}?"
        text = pattern[one.line - 1] if one.line <= len(pattern) else ""
        rows.append((str(one.line), "ok" if one.matched else "failed", where, one_line(text.strip()), why))
    if rows:
        context.console.table(("line", "", "IR line", "pattern", "why"), rows)
    if result.message:
        context.console.line(result.message)
    context.console.note("passed" if result.passed else "failed")


def _pattern(text: str, context: Context) -> Path:
    own = Path(text)
    return own.absolute() if own.is_file() else context.checkout.root / "tests/filecheck" / text


def _program(text: str, pattern: Path, context: Context) -> Path:
    """The file; for a run, its program of the kind that the name of the pattern asks for."""
    if not is_run_id(text):
        return Path(text).absolute()
    kind = pattern.name.removesuffix(".mlir").rpartition(".")[2]
    store = RunStore(context.paths.runs)
    found = sorted((store.root / text).glob(f"**/*{kind}*.mlir"))
    if not found:
        hint = how_to_dump(store.record(text).spec)
        raise UsageError(f"Run {text} has left no {kind}", f"{pattern.name} is checked on {kind}.", hint)
    return found[0]


def _write(pattern: Path, program: Path, lines: str, context: Context) -> int:
    first, _, last = lines.partition("-")
    if not (first.isdecimal() and (last or first).isdecimal()):
        raise UsageError(f"--first takes lines such as 12-15, not {lines!r}")
    if pattern.exists():
        raise UsageError(f"{pattern} exists already", hint="Name another file.")
    chosen = read_text(program, None).splitlines()[int(first) - 1 : int(last or first)]
    text = first_pattern(chosen)
    if not text:
        raise UsageError(f"{program} has no lines {lines}")
    pattern.write_text(text, encoding="utf-8")
    if context.console.json:
        context.console.document(records.PatternWritten(pattern=str(pattern), text=text))
    else:
        context.console.line(text.rstrip())
    return EXIT_OK
