# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix logs`: print the log or an artefact of a run, safe for a terminal; follow it, or compare two logs."""

import argparse
import threading
from collections.abc import Sequence
from pathlib import Path

from core.cli.context import Context
from core.errors import EXIT_FINDINGS, EXIT_OK
from core.runs.execution import wait
from core.runs.log import GAP, LogFile, compare_logs
from core.runs.store import RunRecord, RunStore, artefacts, find_artefact
from core.text import one_line

_POLL_SECONDS = 0.1
_LINES_AT_ONCE = 1000
_SURE = 5
"""Lines by which the place of the last one is found again in a log that was cut."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a run id, or its beginning")
    parser.add_argument("-f", "--follow", action="store_true", help="keep printing until the run ends")
    other = parser.add_mutually_exclusive_group()
    other.add_argument(
        "--compare",
        metavar="RUN",
        help="print the differences to the log of that run, except times and addresses; exit 1 if there are any",
    )
    other.add_argument("--artefacts", action="store_true", help="list the files that the run saved")
    other.add_argument("--artefact", metavar="NAME", help="print one of these files instead of the log")


def execute(args: argparse.Namespace, context: Context) -> int:
    store = RunStore(context.paths.runs)
    record = store.record(args.run)
    if args.compare:
        return _compare(context, record, store.record(args.compare))
    if args.follow and (context.console.json or args.artefacts):
        wait(store, [record.spec.run_id])
    if args.artefacts:
        names = artefacts(record)
        if context.console.json:
            context.console.document({"run": record.spec.run_id, "artefacts": names})
        else:
            context.console.line("\n".join(names))
        return EXIT_OK
    path = record.log if args.artefact is None else find_artefact(record, args.artefact)
    if context.console.json:
        context.console.document({"run": record.spec.run_id, "log": str(path), "lines": _all_lines(path)})
        return EXIT_OK
    log, printed, pause = LogFile(path), 0, threading.Event()
    generation, last = log.generation, list[str]()
    while True:
        over = not (args.follow and store.record(record.spec.run_id).active)
        while log.poll():
            pass
        if log.generation != generation:
            generation, printed = log.generation, _first_new(log, last)
        # The last line may still be growing; it is printed once it is complete.
        printed = _print_lines(context, log, printed, log.line_count if over else log.line_count - 1)
        if over:
            return EXIT_OK
        last = log.lines(max(0, printed - _SURE), min(printed, _SURE))
        pause.wait(_POLL_SECONDS)


def _first_new(log: LogFile, last: Sequence[str]) -> int:
    """The first line to print of a log that was cut or replaced, of which `last` was printed last.

    It follows these lines, or is the note about the gap where they are gone.
    """
    wanted, end = list(last), log.line_count
    while end > 0:
        first = max(0, end - _LINES_AT_ONCE)
        # With as many lines before them as have to agree.
        lines = log.lines(max(0, first - len(wanted)), end - max(0, first - len(wanted)))
        before = first - max(0, first - len(wanted))
        for number in range(len(lines) - 1, before - 1, -1):
            if lines[number].startswith(GAP):
                return first - before + number
            if wanted and lines[max(0, number + 1 - len(wanted)) : number + 1] == wanted:
                return first - before + number + 1
        end = first
    return 0


def _compare(context: Context, one: RunRecord, other: RunRecord) -> int:
    lines = compare_logs(one, other)
    if context.console.json:
        context.console.document({"runs": [one.spec.run_id, other.spec.run_id], "diff": list(lines)})
    else:
        for line in lines:
            context.console.line(one_line(line))
    return EXIT_FINDINGS if lines else EXIT_OK


def _print_lines(context: Context, log: LogFile, first: int, end: int) -> int:
    while first < end:
        lines = log.lines(first, min(_LINES_AT_ONCE, end - first))
        if not lines:
            break
        context.console.line("\n".join(lines))
        first += len(lines)
    return first


def _all_lines(path: Path) -> list[str]:
    log = LogFile(path)
    while log.poll():
        pass
    return log.lines(0, log.line_count)
