# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix logs`: print the log or an artefact of a run, safe for a terminal; follow it, or compare two logs."""

import argparse
import threading
from collections import deque
from collections.abc import Sequence
from pathlib import Path

from core.base.errors import EXIT_FINDINGS, EXIT_OK
from core.base.text import one_line
from core.cli import records
from core.cli.context import Context
from core.runs.execution import wait
from core.runs.log import GAP, LogFile, compare_logs
from core.runs.store import RunRecord, RunStore, artefacts, find_artefact

_POLL_SECONDS = 0.1
_LINES_AT_ONCE = 1000
_SURE = 5
"""So many equal lines tell where the printing of a log that was cut had come."""


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
            context.console.document(records.RunArtefacts(run=record.spec.run_id, artefacts=names))
        else:
            context.console.line("\n".join(names))
        return EXIT_OK
    path = record.log if args.artefact is None else find_artefact(record, args.artefact)
    if context.console.json:
        context.console.document(records.RunLog(run=record.spec.run_id, log=str(path), lines=_all_lines(path)))
        return EXIT_OK
    printing, pause = _Printing(context, LogFile(path)), threading.Event()
    while True:
        over = not (args.follow and store.record(record.spec.run_id).active)
        printing.go_on(whole=over)
        if over:
            return EXIT_OK
        pause.wait(_POLL_SECONDS)


class _Printing:
    """Prints the lines of a log as it grows, each of them once, also where its middle is removed meanwhile."""

    def __init__(self, context: Context, log: LogFile) -> None:
        self._context = context
        self._log = log
        self._generation = log.generation
        self._next = 0
        self._last: deque[str] = deque(maxlen=_SURE)
        """The lines that were printed last."""

    def go_on(self, *, whole: bool) -> None:
        """Print what is new; without `whole` not the last line, which may still be growing."""
        while self._log.poll():
            pass
        if self._log.generation != self._generation:
            self._generation, self._next = self._log.generation, first_new(self._log, [*self._last])
        end = self._log.line_count - (not whole)
        while self._next < end:
            lines = self._log.lines(self._next, min(_LINES_AT_ONCE, end - self._next))
            if not lines:
                break
            self._context.console.line("\n".join(lines))
            self._next += len(lines)
            self._last.extend(lines)


def first_new(log: LogFile, last: Sequence[str]) -> int:
    """The first line to print of a log that was cut or replaced, of which `last` was printed last.

    It follows these lines; where they are gone, it is the note about the gap.
    """
    end = log.line_count
    while end > 0:
        # Beside the lines themselves, as many before them as have to agree.
        first = max(0, end - _LINES_AT_ONCE)
        begin = max(0, first - len(last))
        lines = log.lines(begin, end - begin)
        for at in range(len(lines) - 1, first - begin - 1, -1):
            if lines[at].startswith(GAP):
                return begin + at
            if last and lines[max(0, at + 1 - len(last)) : at + 1] == last:
                return begin + at + 1
        end = first
    return 0


def _compare(context: Context, one: RunRecord, other: RunRecord) -> int:
    lines = compare_logs(one, other)
    if context.console.json:
        context.console.document(records.LogsCompared(runs=(one.spec.run_id, other.spec.run_id), diff=list(lines)))
    else:
        for line in lines:
            context.console.line(one_line(line))
    return EXIT_FINDINGS if lines else EXIT_OK


def _all_lines(path: Path) -> list[str]:
    log = LogFile(path)
    while log.poll():
        pass
    return log.lines(0, log.line_count)
