# SPDX-License-Identifier: Apache-2.0
"""The argparse parser: the table of commands, and the global options before or after them."""

import argparse
import difflib
import importlib
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn, Protocol, cast

from core import __version__
from core.base.errors import UsageError
from core.base.text import capital
from core.matrix import query

_EXCLUDED = re.compile(r"-(?P<term>(?P<field>[A-Za-z_]\w+)[:~].+)", re.DOTALL)
"""A word of a query that argparse would take for options."""

PROGRAM = "ttmatrix"
_COMMANDS_HEAD, _OPTIONS_HEAD = "positional arguments:\n", "options:\n"
"""Headings in the help of argparse."""

_LIKE = 0.7
"""How much a command must be like a word that is none, to be meant by it."""
COMMAND_GROUPS = {
    "matrix": {
        "list": "list the tests that match a query",
        "show": "show everything about one test",
        "grid": "print pass rates by loader and arch, or by other pairs",
        "jobs": "list the CI jobs that select a test, or every job",
        "diff": "list what differs between two commits, or a commit and the files",
        "uplift": "list what another commit of the models would change",
        "history": "list the commits that changed an entry, through renames",
        "trend": "count entries by status over the git history",
        "ops": "list, check, run, extract and bisect op tests",
    },
    "edits": {
        "edit": "apply operations to the YAML: print the diff, or write it",
        "apply": "write a file of proposals to the YAML; --commit commits it",
        "pending": "list, accept, reject or undo changes that wait for a decision",
        "placeholders": "list planned models, remove them or make entries of them",
        "pr": "print what commits or a branch change, as a pull request",
        "triage": "run a workflow on failing tests: from repro to reviewed change",
    },
    "runs": {
        "run": "start runs in the background",
        "profiles": "list profiles, and the compile options that they may have",
        "runs": "list runs, newest first",
        "logs": "print the log of a run",
        "filecheck": "try a FileCheck pattern on a program that a run has left",
        "perf": "print how fast tests are over time, and what has become slower",
        "ir": "list, count and compare the programs that runs have left",
        "rerun": "start runs of a batch again: all, failed or not run ones",
        "cancel": "stop runs",
        "queue": "list queued runs in order; hold, release or move them",
        "prune": "remove old runs, as the settings say",
        "plan": "plan a session: which runs fit into the time left, best first",
        "hosts": "list, change, import and check the machines that you have",
        "capsule": "pack everything needed to repeat a run into one archive",
        "replay": "show the run in a capsule, or run it again here",
    },
    "evidence": {
        "ingest": "read CI reports: JUnit files, directories, zip archives",
        "evidence": "export and import results, count them, thin out old ones",
        "verdicts": "print what results say about entries, one line per cell",
        "propose": "propose edits to entries from the evidence",
        "clusters": "group failures with the same cause",
        "compare": "compare two CI runs, or tests under several profiles",
        "since": "print since when a test fails or passes, and the commits between",
        "nightly": "report a run of CI: its jobs, failures and performance",
        "watch": "read runs of CI as they end, and say what each night brought",
        "report": "report how the tests are doing: pass rates, changes, machines",
        "policy": "print how much evidence a verdict needs",
    },
    "checkout": {
        "doctor": "list the mistakes and contradictions in the checkout",
        "check": "list the mistakes that a change adds, for hooks and CI",
        "loaders": "list or restore loader edits that workflows left uncommitted",
        "demo": "create the sample checkout and open it",
        "serve": "open the app in a browser of this machine, read-only",
        "completion": "print the shell code that completes commands and ids",
    },
}
"""The commands by purpose, everyday ones first; `core.cli.command_NAME` is the module of each."""
_OPENING = ("demo", "serve")
"""The commands that open the app."""
COMMANDS = {name: help for group in COMMAND_GROUPS.values() for name, help in group.items()}
"""Each command with its help: one line of a terminal with 80 columns."""


class Serve(NamedTuple):
    """Serve the app to browsers of this machine instead of the terminal."""

    port: int
    """0: any that is free."""
    announce: Callable[[str], None]
    """Called with the address, once it can be opened."""


class AppRequest(NamedTuple):
    """What to open the app on, and how."""

    repo: Path | None
    """None: the nearest checkout upward from the current directory."""
    arch: str = ""
    query: str = ""
    screen: str = ""
    """The screen to start with; empty: the one that was open last."""
    theme: str = ""
    """Empty: the theme of the settings."""
    ascii: bool = False
    """Whether to send only ASCII to the terminal."""
    fresh: bool = False
    """Whether to start with the initial view instead of the last one."""
    read_only: bool = False
    """Whether to refuse edits, runs and every other write."""
    serve: Serve | None = None
    """Serve the app there instead of showing it in the terminal."""


def app_request(args: argparse.Namespace, repo: Path | None) -> AppRequest:
    """The request for the app in a command line."""
    theme = args.theme or ("mono" if args.no_color else "")
    return AppRequest(repo, args.arch, args.app_query, args.screen, theme, args.ascii, args.fresh, args.read_only)


def refuse_options_of_app(args: argparse.Namespace) -> None:
    """Raise UsageError for an option of the app before a command that does not open it."""
    headless = getattr(args, "headless", False)
    if args.command in _OPENING and not headless:
        return
    given = {
        "--read-only": args.read_only,
        "--query": args.app_query,
        "--screen": args.screen,
        "--theme": args.theme,
        "--ascii": args.ascii,
        "--fresh": args.fresh,
    }
    if names := [name for name, value in given.items() if value]:
        command = f"{args.command} --headless" if headless else args.command
        raise UsageError(
            f"{names[0]} is an option of the app, not of `{command}`", hint="Without a command the app is opened."
        )


OpenApp = Callable[[AppRequest], int]
"""Opens the app and returns its exit code. The front end passes it in: core imports no front end."""


class Configured(Protocol):
    """The part of a command's module that the parser needs."""

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's own arguments."""


class _Parser(argparse.ArgumentParser):
    words: Collection[str] | None = None
    """Those of the command line; None: not known, so whatever might be among them is declared."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, hint=f"See: {self.prog} --help")


class _Program(_Parser):
    """The top-level parser: its help lists the commands by purpose."""

    def format_help(self) -> str:
        before, _, after = super().format_help().partition(_COMMANDS_HEAD)
        return f"{before}{_command_list()}\n{_OPTIONS_HEAD}{after.partition(_OPTIONS_HEAD)[2]}"


def _command_list() -> str:
    width = max(map(len, COMMANDS))
    return "\n".join(
        f"{group}:\n" + "".join(f"  {name:{width}}  {help}\n" for name, help in commands.items())
        for group, commands in COMMAND_GROUPS.items()
    )


def command_module(name: str) -> object:
    """The module of a command.

    Imported only when the command is named: all of them take 200 ms, which every command and the app would wait for.
    """
    return importlib.import_module(f"core.cli.command_{name}")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse a command line. Raises UsageError; `--help` and `--version` print and raise SystemExit."""
    arguments = list(map(_without_dash, arguments))
    named = [name for name in COMMANDS if name in arguments]
    if not {"-h", "--help"}.isdisjoint(arguments):
        named = list(COMMANDS)
    try:
        return build_parser(named, arguments).parse_args(arguments)
    except UsageError:
        _refuse_unknown(arguments)
        return build_parser(COMMANDS, arguments).parse_args(arguments)


def _without_dash(word: str) -> str:
    """`-status:xfail` as `!status:xfail`, which means the same."""
    match = _EXCLUDED.fullmatch(word)
    return f"!{match['term']}" if match and query.is_field(match["field"]) else word


def _refuse_unknown(arguments: Sequence[str]) -> None:
    """Raise UsageError for a command that does not exist, with those that are spelt nearly the same."""
    _, rest = _program().parse_known_args(arguments)
    word = next((one for one in rest if not one.startswith("-")), None)
    if word is None or word in COMMANDS:
        return
    near = difflib.get_close_matches(word, COMMANDS, 2, _LIKE)
    meant = f"Did you mean {' or '.join(near)}? " if near else ""
    raise UsageError(f"There is no command {word!r}", hint=f"{meant}{PROGRAM} --help lists the commands.")


def build_parser(names: Iterable[str] = COMMANDS, words: Collection[str] | None = None) -> argparse.ArgumentParser:
    """A parser that knows the commands `names`, and declares the arguments of those in `words`; None: of all."""
    parser = _program()
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)
    for name in names:
        command = commands.add_parser(name, help=COMMANDS[name], description=f"{capital(COMMANDS[name])}.")
        add_global_options(command, {})
        command.words = words
        if words is None or name in words:
            cast(Configured, command_module(name)).configure(command)
    return parser


def _program() -> argparse.ArgumentParser:
    """The parser without commands: the options of the program itself."""
    parser = _Program(prog=PROGRAM, description="tt-xla's model test matrix. Without a command the app opens.")
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    # Commands have a query of their own.
    parser.add_argument(
        "-q", "--query", dest="app_query", metavar="QUERY", default="", help="open the app on this query"
    )
    parser.add_argument("--screen", metavar="NAME", default="", help="open the app on this screen, such as triage")
    parser.add_argument("--theme", metavar="NAME", default="", help="colours of the app (see docs/settings.md)")
    parser.add_argument("--ascii", action="store_true", help="open the app with nothing but ASCII on the terminal")
    parser.add_argument("--fresh", action="store_true", help="open the app on its first view, not where it was left")
    parser.add_argument("--read-only", action="store_true", help="open the app so that it edits and runs nothing")
    add_global_options(parser, {"repo": None, "arch": "", "json": False, "no_color": False})
    return parser


def add_global_options(parser: argparse.ArgumentParser, defaults: dict[str, object]) -> None:
    """Add the global options, allowed before or after the command; only those before it have defaults."""

    def default(name: str) -> object:
        return defaults.get(name, argparse.SUPPRESS)

    group = parser.add_argument_group("global options")
    group.add_argument("--repo", type=Path, metavar="DIR", default=default("repo"), help="the tt-xla checkout")
    group.add_argument("--arch", metavar="ARCH", default=default("arch"), help="use the values for this arch")
    group.add_argument("--json", action="store_true", default=default("json"), help="one JSON document on stdout")
    group.add_argument("--no-color", action="store_true", default=default("no_color"), help="no colour")
