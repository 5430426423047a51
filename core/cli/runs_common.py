# SPDX-License-Identifier: Apache-2.0
"""What commands about runs share: the plan, the obstacles, starting, waiting, and runs as a table and as JSON."""

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from types import MappingProxyType

from msgspec import UNSET

from core.base.checked_numbers import moment_text
from core.base.errors import EXIT_FINDINGS, EXIT_INFRASTRUCTURE, EXIT_OK, TTMatrixError, UsageError
from core.base.text import counted, one_line, printable
from core.cli import records
from core.cli.console import Console
from core.cli.context import Context
from core.runs import HARMLESS, Age, Outcome, RunSpec, case_progress, child_environment, shell_command
from core.runs.execution import launch_all, wait
from core.runs.planning import (
    MANY,
    Download,
    Obstacle,
    Scale,
    as_batch,
    download_lines,
    find_interpreter,
    look_ahead,
    of_sources,
    refuse,
    scale_of,
    sources_of,
)
from core.runs.store import LOG, RunRecord, RunState, RunStore

_NAMED = 5
_SAID = 1_000
"""Runs whose planning, and queueing, takes about a second: from here on it is said what happens."""
_HEADER = ("run", "outcome", "started", "seconds", "kind", "arch", "id", "age", "why")
_CHECKOUT = _HEADER.index("age")


def exit_code(runs: Iterable[RunRecord]) -> int:
    """0 if no run failed; 2 if this machine could not run one of them; else 1."""
    outcomes = {record.outcome for record in runs}
    if outcomes <= HARMLESS:
        return EXIT_OK
    return EXIT_INFRASTRUCTURE if Outcome.ERROR in outcomes else EXIT_FINDINGS


def summary(runs: Iterable[RunRecord]) -> str:
    """How many runs ended how, in one line."""
    counts = Counter(str(record.outcome or record.state) for record in runs)
    return ", ".join(f"{count} {word}" for word, count in counts.most_common()) or "no runs"


def runs_table(
    console: Console,
    runs: Iterable[RunRecord],
    ages: Mapping[str, Age] = MappingProxyType({}),
    *,
    with_checkout: bool = False,
) -> None:
    """Print one line per run; `ages` by run id. If some ran on other machines, the host is printed."""
    runs = list(runs)
    elsewhere = any(record.place for record in runs)
    with_profile = any(record.spec.profile for record in runs)

    def line(record: RunRecord) -> tuple[str, ...]:
        age = ages.get(record.spec.run_id)
        return (
            record.spec.run_id,
            record.outcome or record.state,
            f"{datetime.fromtimestamp(record.started).astimezone():%m-%d %H:%M}" if record.started is not None else "",
            f"{record.seconds:.1f}" if record.seconds is not None else "",
            record.spec.kind,
            record.spec.arch or "",
            record.spec.test_id,
            *([record.spec.profile] if with_profile else []),
            *([record.place] if elsewhere else []),
            *([str(record.spec.cwd)] if with_checkout else []),
            age.text if age else "",
            _summary(record),
        )

    more = (
        *(["profile"] if with_profile else []),
        *(["host"] if elsewhere else []),
        *(["checkout"] if with_checkout else []),
    )
    header = (*_HEADER[:_CHECKOUT], *more, *_HEADER[_CHECKOUT:])
    console.table(header, map(line, runs))


def _summary(record: RunRecord) -> str:
    """Why it ended, or what it waits for; for running op cases, their progress."""
    if record.state is not RunState.RUNNING or record.cancelling:
        return record.summary
    progress = case_progress(record, time.time())
    return progress.text if progress else record.summary


def spec_record(spec: RunSpec) -> records.Planned:
    """A planned run as JSON: exactly what would be executed."""
    # Only lists of directories depend on the person's own variables.
    child = child_environment(os.environ, spec.env, spec.paths) if spec.paths else {}
    return records.Planned(
        id=spec.test_id,
        kind=spec.kind,
        profile=spec.profile,
        arch=spec.arch,
        cwd=str(spec.cwd),
        argv=spec.argv,
        env={**spec.env, **{name: child[name] for name in spec.paths}},
        timeout=spec.timeout,
        hang_timeout=spec.hang_timeout,
        devices=spec.devices,
        estimate=spec.estimate,
        command=shell_command(spec),
        cases=spec.case_ids if spec.cases else UNSET,
    )


def run_record(record: RunRecord, age: Age | None = None) -> records.Run:
    """A run as JSON, with the state of the checkout that it ran on.

    `age` says how the checkout has changed since; empty: not changed, or not compared.
    """
    tree, directory = record.tree, f"{record.root}/{record.spec.run_id}"
    return spec_record(record.spec).extended(
        records.Run,
        run=record.spec.run_id,
        created=record.spec.created,
        started=moment_text(record.started),
        batch=record.spec.batch,
        parent=record.spec.parent,
        held=record.held,
        checkout=_resolved(record.spec.cwd),
        commit=tree.commit if tree else None,
        models_commit=tree.models if tree else None,
        committed=tree.committed if tree else None,
        age=age.text if age else "",
        place=record.place,
        state=record.state,
        outcome=record.outcome,
        seconds=record.seconds,
        exit_code=record.exit_code,
        signal=record.signal,
        stage=record.stage,
        summary=record.summary,
        result=None if record.result is None else dict(record.result),
        directory=directory,
        log=f"{directory}/{LOG}",
    )


@cache
def _resolved(directory: Path) -> str:
    """The real path: thousands of runs have the same few directories."""
    return str(directory.resolve())


def configure_start(parser: argparse._ActionsContainer) -> None:
    """Declare the options of commands that start runs."""
    parser.add_argument(
        "--plan", action="store_true", help="print the exact commands and environment and start nothing"
    )
    parser.add_argument(
        "--wait", action="store_true", help="wait for the runs to end and print their outcomes; exit 1 if any failed"
    )
    parser.add_argument(
        "--stop-on-failure", action="store_true", help="start no more of these runs after one has failed"
    )
    parser.add_argument(
        "--priority", type=int, default=0, metavar="N", help="runs with a greater priority start first; default: 0"
    )
    parser.add_argument("--force", action="store_true", help="start even if something is missing or in use")
    configure_yes(parser)


def configure_yes(parser: argparse._ActionsContainer) -> None:
    """Declare the option that answers the question of `agree_to`."""
    parser.add_argument(
        "--yes",
        action="store_true",
        help="start without asking, also where something is downloaded or more than 50 tests are run",
    )


_PLAN_FIRST = "Look at the plan, then add --yes."


def agree_to(
    downloads: Sequence[Download],
    context: Context,
    *,
    yes: bool,
    scale: Scale | None = None,
    hint: str = _PLAN_FIRST,
) -> None:
    """Say what will be downloaded, and ask once for agreement. Raises UsageError unless a person says yes.

    A launch of a large `scale` is asked about with its numbers, even if it downloads nothing. `hint` says what to do
    where there is no terminal.
    """
    for line in download_lines(downloads):
        context.console.note(f"download: {line}")
    large = scale is not None and scale.large
    if scale is not None and scale.large:
        context.console.note("\n".join(scale.lines))
    if (downloads or large) and not yes:
        what = f"Start {counted(scale.runs, 'run')}?" if scale and scale.large else "Download this and start?"
        why = "The runs download something." if downloads else f"These are more than {MANY} tests."
        ask(what, context, why, hint)


def agreed_interpreter(ids: Iterable[str], context: Context, *, yes: bool) -> Path:
    """The Python that runs models, once a person agrees to what `ids` download. Raises as `agree_to` does.

    Prints where the caches are, and which downloads are not possible.
    """
    python = find_interpreter(context.checkout.root, context.settings)
    sources = sources_of(context.checkout, python, ids, starting=True)
    _say(of_sources(sources), context)
    agree_to(sources.downloads, context, yes=yes, hint="Add --yes to agree to these downloads.")
    return python


def _say(obstacles: Iterable[Obstacle], context: Context) -> None:
    for obstacle in obstacles:
        context.console.note(f"{obstacle.level}: {obstacle.what}\n  {obstacle.remedy}")


def ask(question: str, context: Context, why: str = "", hint: str = _PLAN_FIRST) -> None:
    """Ask a yes-or-no question, explained by `why`. Raises UsageError unless a person says yes on a terminal."""
    if context.console.json or not sys.stdin.isatty():
        detail = f"{why} There is no terminal to ask for confirmation.".lstrip()
        raise UsageError("Nothing was started", detail, hint)
    context.console.note(f"{question} [y/N]")
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise UsageError("Nothing was started")


def start(args: argparse.Namespace, context: Context, planned: Sequence[RunSpec]) -> int:
    """Start `planned` as one batch, or show it, as `args` say. Raises TTMatrixError if they cannot start here."""
    specs = as_batch(planned, stop_on_failure=args.stop_on_failure)
    if not specs:
        if context.console.json:
            context.console.document([])
        context.console.note("nothing to run")
        return EXIT_OK
    _say_if_many(context, specs, "looking at what {} need and download")
    ahead = look_ahead(specs, context.settings, runs=context.paths.runs, starting=not args.plan)
    if ahead.asked:
        context.console.note(ahead.asked)
    if not args.plan and not args.force:
        refuse(ahead.obstacles)
    _say(ahead.obstacles, context)
    agree_to(
        ahead.downloads, context, yes=args.yes or args.plan, scale=scale_of(specs, ahead.downloads, context.paths.runs)
    )
    if args.plan:
        _print_plan(context, specs)
        return EXIT_OK
    store = RunStore(context.paths.runs)
    refused: list[TTMatrixError] = []
    _say_if_many(context, specs, "queueing {}; the first ones start meanwhile")
    runs = launch_all(store, specs, priority=args.priority, provenance=ahead.provenance, refused=refused)
    code = _say_refused(refused, context)
    if args.wait:
        return max(code, _wait(context, store, runs))
    if context.console.json:
        context.console.document([run_record(record) for record in runs])
    else:
        for record in runs:
            context.console.line(record.spec.run_id)
    return code


def _say_if_many(context: Context, specs: Sequence[RunSpec], what: str) -> None:
    """Say what takes longer than a second."""
    if len(specs) >= _SAID:
        context.console.note(what.format(counted(len(specs), "run")))


def _say_refused(refused: Sequence[TTMatrixError], context: Context) -> int:
    """Say why some runs were not started; returns the exit code for that."""
    for error in refused[:_NAMED]:
        context.console.note(f"not started: {error}")
    if len(refused) > _NAMED:
        context.console.note(f"and {counted(len(refused) - _NAMED, 'run')} more")
    return EXIT_INFRASTRUCTURE if refused else EXIT_OK


def queue_runs(context: Context, store: RunStore, specs: Sequence[RunSpec], *, yes: bool) -> list[RunRecord]:
    """Start runs that share checkout and interpreter. Raises TTMatrixError if they cannot start here.

    Without `yes` a person is asked about downloads, as by `agree_to`.
    """
    ahead = look_ahead(specs, context.settings, runs=store.root, starting=True)
    if ahead.asked:
        context.console.note(ahead.asked)
    refuse(ahead.obstacles)
    agree_to(ahead.downloads, context, yes=yes)
    return launch_all(store, ahead.specs, provenance=ahead.provenance)


def _wait(context: Context, store: RunStore, started: Sequence[RunRecord]) -> int:
    for record in started:
        context.console.note(f"started {record.spec.run_id}  {one_line(record.spec.test_id)}")
    runs = wait(store, [record.spec.run_id for record in started])
    if context.console.json:
        context.console.document([run_record(record) for record in runs])
    else:
        runs_table(context.console, runs)
    outcomes = summary(runs)
    context.console.note(outcomes)
    context.console.notify(context.settings.notify, outcomes)
    return exit_code(runs)


def _print_plan(context: Context, specs: Sequence[RunSpec]) -> None:
    if context.console.json:
        context.console.document([spec_record(spec) for spec in specs])
        return
    for spec in specs:
        context.console.line(printable(shell_command(spec)))
