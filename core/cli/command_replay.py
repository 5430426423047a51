# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix replay`: show the run in a capsule, how this machine differs, and the command; with --start run it."""

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.base.errors import EXIT_OK, UsageError
from core.base.text import counted, one_line, printable
from core.cli import records
from core.cli.context import Context
from core.cli.runs_common import ask, configure_start, spec_record, start
from core.matrix import NO_ARCH
from core.runs import Capsule, RunSpec, differences, shell_command, unpack
from core.runs.planning import KINDS, Source, plan_test, survey

Difference = tuple[str, str, str]
"""Name, value there, value here; empty: absent."""

_MOST_NAMED = 3
_COMPARED = ("checkout", "models", "changed")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="an archive that ttmatrix capsule wrote")
    parser.add_argument("--start", action="store_true", help="start the run; default: only show it")
    configure_start(parser)


def execute(args: argparse.Namespace, context: Context) -> int:
    capsule = unpack(args.file)
    spec = _planned(capsule.spec, context)
    found = _differences(capsule, spec, context)
    if not args.start:
        _print(context, capsule, spec, found)
        return EXIT_OK
    for line in _lines(capsule, spec, found):
        context.console.note(line)
    if not args.plan and not args.yes:
        ask("Start it?", context)
    return start(args, context, [spec])


def _named(asked: RunSpec) -> str:
    """The op cases of a run, the first few by their ids."""
    ids = asked.case_ids
    named = [*map(one_line, ids[:_MOST_NAMED]), *(["..."] if len(ids) > _MOST_NAMED else [])]
    return f"The capsule has a run of {counted(len(ids), 'case')}: {', '.join(named)}"


def _planned(asked: RunSpec, context: Context) -> RunSpec:
    """The same test, kind and profile, planned for this machine: an archive's command and environment are not run."""
    if asked.case_ids:
        backend = one_line(asked.arch or "NAME")
        raise UsageError("replay runs no op cases", _named(asked), f"ttmatrix ops run ID... --backend {backend}")
    if asked.kind not in KINDS:
        raise UsageError(
            f"The capsule has a run of the unknown kind {asked.kind!r}",
            f"Kinds of runs here: {', '.join(sorted(KINDS))}.",
        )
    if asked.arch:
        context.matrix.check_arch(asked.arch)
    (test_id,) = context.resolve([asked.test_id])
    return plan_test(
        context.matrix,
        test_id,
        context.settings,
        runs=context.paths.runs,
        kind=asked.kind,
        arch=asked.arch or NO_ARCH,
        timeout=asked.timeout,
        profile=asked.profile,
    )


def _print(context: Context, capsule: Capsule, spec: RunSpec, found: Sequence[Difference]) -> None:
    if context.console.json:
        differing = [records.ReplayDifference(what=what, there=there, here=here) for what, there, here in found]
        context.console.document(
            records.Replayed(
                outcome=capsule.outcome, summary=capsule.summary, differences=differing, plan=spec_record(spec)
            )
        )
        return
    for line in _lines(capsule, spec, found):
        context.console.line(printable(line))
    context.console.note("Nothing was started. Add --start to run it.")


def _lines(capsule: Capsule, spec: RunSpec, found: Sequence[Difference]) -> Iterator[str]:
    yield one_line(f"{capsule.spec.test_id}: {capsule.outcome} {capsule.summary}")
    for what, there, here in found:
        yield one_line(f"differs: {what} was {there or 'absent'}, is {here or 'absent'}")
    yield one_line(shell_command(spec))


def _differences(capsule: Capsule, spec: RunSpec, context: Context) -> list[Difference]:
    """Differences in what the run was given and in the environment that it will meet."""
    here = asdict(survey(context.checkout, Path(spec.argv[0]), os.environ))
    if here["source"] == Source.NOT_ASKED:
        context.console.note(f"The packages of {spec.argv[0]} are not known yet: it is executed only with --start.")
    return [*differences(capsule, spec, context.paths.runs), *_surroundings(capsule.provenance, here)]


def _surroundings(there: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[Difference]:
    for name in _COMPARED:
        if there.get(name) != here.get(name):
            yield name, str(there.get(name)), str(here.get(name))
    if here.get("source") == Source.NOT_ASKED:
        return
    theirs, ours = there.get("versions") or {}, here.get("versions") or {}
    for package in sorted({*theirs, *ours}):
        if theirs.get(package) != ours.get(package):
            yield package, str(theirs.get(package)), str(ours.get(package))
