# SPDX-License-Identifier: Apache-2.0
"""One command line from its words to an exit code.

argparse and imports on demand, because a headless command must answer while the app would still be starting.
"""

import argparse
import errno
import gc
import os
import sys
from collections.abc import Callable, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from core.base.errors import EXIT_INFRASTRUCTURE, EXIT_OK, TTMatrixError
from core.base.settings import Settings, read_settings
from core.cli.console import Console, wants_colour
from core.cli.parser import (
    COMMANDS,
    AppRequest,
    OpenApp,
    app_request,
    command_module,
    parse,
    refuse_options_of_app,
)

if TYPE_CHECKING:
    from core.cli.context import Context

__all__ = ["COMMANDS", "AppRequest", "Command", "OpenApp", "main"]

_INTERRUPTED = 130
_ACTIONABLE = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.ENOTDIR})
"""Errors of the file system that a person can act on: disk full, read-only or broken, or no permission."""
_COMPLETING = "_ARGCOMPLETE"
"""Set by the shell code of `ttmatrix completion` while it asks for completions."""


class Command(Protocol):
    """A module `core.cli.command_NAME`; `configure` declares its arguments."""

    def execute(self, args: argparse.Namespace, context: "Context") -> int:
        """Perform the command and return the exit code."""


AppProblems = Callable[[Settings], Sequence[TTMatrixError]]


def main(argv: Sequence[str], open_app: OpenApp, app_problems: AppProblems = lambda _: ()) -> int:
    """Run one command line (without the program's name) and return its exit code.

    `app_problems` tells what is wrong with settings that only the app uses.
    """
    if _COMPLETING in os.environ:
        # 75 ms that only a shell completing a word has to wait.
        from core.cli.complete import answer_shell

        answer_shell()
    arguments = list(argv)
    _fill_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # File names need not be UTF-8, and the terminal need not be either.
            stream.reconfigure(errors="backslashreplace")
    console = Console("--json" in arguments, "--no-color" not in arguments and wants_colour(sys.stdout))
    try:
        return _dispatch(_parsed(arguments, console), console, open_app, app_problems)
    except TTMatrixError as error:
        console.error(error)
        return error.exit_code
    except BrokenPipeError:
        # The reader has closed the pipe.
        return EXIT_OK
    except OSError as error:
        if error.errno == errno.ENOENT and _is_directory_gone():
            console.error(TTMatrixError("The current directory no longer exists", hint="Change to one that does."))
            return EXIT_INFRASTRUCTURE
        if error.errno not in _ACTIONABLE:
            raise
        where = f": {error.filename}" if error.filename else ""
        console.error(TTMatrixError("The operating system reports an error", f"{error.strerror}{where}"))
        return EXIT_INFRASTRUCTURE
    except KeyboardInterrupt:
        return _INTERRUPTED
    finally:
        _give_up_broken_output()


def _fill_closed_streams() -> None:
    """Connect standard streams that were closed to the null device, in their order.

    Otherwise the next file that is opened would take the number of such a stream, and errors would go to the output.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))


def _is_directory_gone() -> bool:
    """Whether the current directory was removed since the shell changed to it."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


def _parsed(arguments: Sequence[str], console: Console) -> argparse.Namespace:
    """The parsed command line. Raises OSError also if the help cannot be written."""
    try:
        return parse(arguments)
    except SystemExit:
        console.out.flush()
        raise


def _note_settings(context: "Context", app_problems: AppProblems) -> None:
    """Say what is wrong with the settings, also after a command that needed none of them."""
    found, problems = read_settings(context.paths.settings_file)
    for one in (*problems, *app_problems(found)):
        context.console.note(" ".join(part for part in (one.title, one.detail, one.hint) if part))


def _give_up_broken_output() -> None:
    """Forget a standard output that takes nothing: the interpreter would complain at its end, with exit code 120."""
    try:
        sys.stdout.flush()
    except OSError:
        sys.stdout = None


def _dispatch(args: argparse.Namespace, console: Console, open_app: OpenApp, app_problems: AppProblems) -> int:
    """Open the app, or run the command. What commands need is imported here: 4 ms of `--help`, 2 of the app."""
    if args.command is None:
        return open_app(app_request(args, args.repo))
    from core.base.fork import collect_seldom, in_background
    from core.cli.context import Context

    refuse_options_of_app(args)
    context = Context(args.repo, args.arch, console, open_app)
    command = cast(Command, command_module(args.command))
    if not gc.isenabled():
        # The process starts with the collector disabled, but a command may run for hours.
        collect_seldom()
    code = command.execute(args, context)
    _note_settings(context, app_problems)
    # Later, a full disk would be an error of the interpreter, not of the command.
    console.out.flush()
    if context.afterwards:
        in_background(context.finish)
    return code
