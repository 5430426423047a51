# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix ir run`: execute the code that an export of a model has generated."""

import argparse
import shlex

from core.cli import records
from core.cli.context import Context
from core.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from core.proc import own_identity, run_command, run_in_terminal
from core.runs import EVERYTHING, device_leases
from core.runs.ir import Generated, generated
from core.runs.store import RunRecord, RunStore
from core.text import printable

_MODULE = "ttnn"
_LACKS = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({_MODULE!r}) is None)"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a run of codegen_py or codegen_cpp, or RUN:GRAPH")
    parser.add_argument("--plan", action="store_true", help="print the command and execute nothing")


def execute(args: argparse.Namespace, context: Context) -> int:
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
