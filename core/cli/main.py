# SPDX-License-Identifier: Apache-2.0
"""The command line: global options, one module a command, and exit codes.

argparse and imports on demand, because a headless command must answer while the app would still be starting.
"""

import argparse
import errno
import importlib
import sys
from collections.abc import Callable, Iterable, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn, Protocol, cast

from core import __version__
from core.cli.console import Console, wants_colour
from core.errors import EXIT_INFRASTRUCTURE, EXIT_OK, TTMatrixError, UsageError

if TYPE_CHECKING:
    from core.cli.context import Context

# Commands, and what only they need, are imported where one is named: the app is to open without them.

COMMANDS = {
    "list": "rows that match a query",
    "show": "everything about one test",
    "jobs": "the CI jobs that select a test, or every job with what it selects",
    "doctor": "everything that is wrong with the checkout",
    "history": "the commits that changed an entry, through renames",
    "trend": "how many entries had which status over time",
    "edit": "apply operations to the YAML: a diff, or with --write the change",
    "apply": "write what a file of proposals or operations asks for, and commit it",
    "triage": "take failing training tests from the CPU repro to a reviewed change",
    "loaders": "loader edits that workflows left uncommitted in the submodule, and the way back",
    "ingest": "reports of CI into the evidence: JUnit files, directories, archives",
    "verdicts": "what results say of entries, a cell a line",
    "policy": "how much evidence a verdict takes here, and what is to stay as it is",
    "propose": "edits that make entries true, from what runs have shown",
    "clusters": "failures that are one, with the issues their entries cite",
    "compare": "two runs of many tests: what fails anew, still, no more, or was not run",
    "run": "start runs in the background",
    "runs": "runs, newest first",
    "logs": "the log of a run",
    "cancel": "stop runs",
    "rerun": "start runs of a batch again: all, the failed ones, those that did not run",
    "queue": "the runs that wait, in order; hold, release, move",
    "prune": "remove old runs, as the settings say",
    "capsule": "pack all that it takes to repeat a run into one archive",
    "replay": "show what a capsule holds, and run it again",
    "demo": "lay out the sample checkout and open it",
}
_INTERRUPTED = 130
_TOLD = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.ENOTDIR})
"""What a disk says that somebody can act on: it is full, read-only, broken, or somebody else's."""


class AppRequest(NamedTuple):
    """What the app is to be opened on."""

    repo: Path | None
    """None: the nearest checkout upward from the current directory."""
    arch: str = ""
    query: str = ""


OpenApp = Callable[[AppRequest], int]
"""Opens the app and returns its exit code; given from outside, because core knows no front end."""


class Command(Protocol):
    """A module `core.cli.command_<name>`."""

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's own arguments."""

    def execute(self, args: argparse.Namespace, context: "Context") -> int:
        """Do it and return the exit code."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message, hint=f"See: {self.prog} --help")


def main(argv: Sequence[str], open_app: OpenApp) -> int:
    """Run one command line (without the program's name) and return its exit code."""
    arguments = list(argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A file name need not be UTF-8, nor the terminal.
            stream.reconfigure(errors="backslashreplace")
    console = Console("--json" in arguments, "--no-color" not in arguments and wants_colour(sys.stdout))
    try:
        args = _parse(arguments)
        return _dispatch(args, console, open_app)
    except TTMatrixError as error:
        console.error(error)
        return error.exit_code
    except BrokenPipeError:
        # The reader has seen enough; the interpreter must not complain while it flushes.
        sys.stdout = None
        return EXIT_OK
    except OSError as error:
        if error.errno not in _TOLD:
            raise
        where = f": {error.filename}" if error.filename else ""
        console.error(TTMatrixError("The system refuses", f"{error.strerror}{where}"))
        return EXIT_INFRASTRUCTURE
    except KeyboardInterrupt:
        return _INTERRUPTED


def _dispatch(args: argparse.Namespace, console: Console, open_app: OpenApp) -> int:
    if args.command is None:
        return open_app(AppRequest(args.repo, args.arch, args.query))
    from core.cli.context import Context

    context = Context(args.repo, args.arch, console, open_app)
    code = _module(args.command).execute(args, context)
    if context.afterwards:
        from core.forked import in_background

        console.out.flush()
        in_background(context.finish)
    return code


def _module(command: str) -> Command:
    return cast(Command, importlib.import_module(f"core.cli.command_{command}"))


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse with the commands that are named alone; all of them are there only for help and to say what is wrong."""
    named = [name for name in COMMANDS if name in arguments]
    if not {"-h", "--help"}.isdisjoint(arguments):
        named = list(COMMANDS)
    try:
        return _parser(arguments, named).parse_args(arguments)
    except UsageError:
        return _parser(arguments, COMMANDS).parse_args(arguments)


def _parser(arguments: Sequence[str], names: Iterable[str]) -> argparse.ArgumentParser:
    """The parser with the commands `names`, and the arguments of those that `arguments` can mean."""
    parser = _Parser(prog="ttmatrix", description="tt-xla's model test matrix: without a command the app opens.")
    parser.add_argument("--version", action="version", version=f"ttmatrix {__version__}")
    parser.add_argument("-q", "--query", default="", help="open the app on this query")
    _add_global_options(parser, {"repo": None, "arch": "", "json": False, "no_color": False})
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    for name in names:
        command = commands.add_parser(name, help=COMMANDS[name], description=COMMANDS[name])
        _add_global_options(command, {})
        if name in arguments:
            _module(name).configure(command)
    return parser


def _add_global_options(parser: argparse.ArgumentParser, defaults: dict[str, object]) -> None:
    """Global options may stand before or after the command; only before it do they have defaults."""

    def default(name: str) -> object:
        return defaults.get(name, argparse.SUPPRESS)

    group = parser.add_argument_group("global options")
    group.add_argument("--repo", type=Path, metavar="DIR", default=default("repo"), help="the tt-xla checkout")
    group.add_argument("--arch", default=default("arch"), help="the arch whose values are meant")
    group.add_argument("--json", action="store_true", default=default("json"), help="one JSON document on stdout")
    group.add_argument("--no-color", action="store_true", default=default("no_color"), help="no colour")
