# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix replay`: what a capsule holds, how this machine differs, the command; and with --start the run."""

import argparse
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.cli.context import Context
from core.cli.run_report import spec_document
from core.cli.start_runs import configure_start, start
from core.errors import EXIT_OK
from core.runs.capsule import Capsule, at_home, unpack
from core.runs.interpreter import Source
from core.runs.plan import find_interpreter, plan_again
from core.runs.spec import RunSpec, shell_command
from core.runs.store import RunStore
from core.runs.survey import survey
from core.text import printable

_COMPARED = ("checkout", "models", "changed")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="what `capsule` wrote")
    parser.add_argument("--start", action="store_true", help="run it; without it nothing is started")
    configure_start(parser)


def execute(args: argparse.Namespace, context: Context) -> int:
    capsule, store = unpack(args.file), RunStore(context.paths.runs)
    root = context.checkout.root
    python = find_interpreter(root, context.settings)
    spec = plan_again(at_home(capsule, root, python, store.root), store.root)
    if args.start:
        return start(args, context, [spec])
    here = asdict(survey(context.checkout, python, os.environ))
    if here["source"] == Source.NOT_ASKED:
        context.console.note(f"What is installed for {python} is not known yet: only a start executes it.")
    _tell(context, capsule, spec, list(_differences(capsule.provenance, here)))
    return EXIT_OK


def _tell(context: Context, capsule: Capsule, spec: RunSpec, differences: list[tuple[str, str, str]]) -> None:
    if context.console.json:
        told = [{"what": what, "there": there, "here": here} for what, there, here in differences]
        document = {"outcome": capsule.outcome, "summary": capsule.summary, "differences": told}
        context.console.document({**document, "plan": spec_document(spec)})
        return
    line = context.console.line
    line(printable(f"{capsule.spec.test_id}: {capsule.outcome} {capsule.summary}"))
    for what, there, here in differences:
        line(printable(f"differs: {what} was {there}, is {here}"))
    line(printable(shell_command(spec)))
    context.console.note("Nothing was started; --start does.")


def _differences(there: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for name in _COMPARED:
        if there.get(name) != here.get(name):
            yield name, str(there.get(name)), str(here.get(name))
    if here.get("source") == Source.NOT_ASKED:
        return
    theirs, ours = there.get("versions") or {}, here.get("versions") or {}
    for package in sorted({*theirs, *ours}):
        if theirs.get(package) != ours.get(package):
            yield package, str(theirs.get(package)), str(ours.get(package))
