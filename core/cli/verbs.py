# SPDX-License-Identifier: Apache-2.0
"""Commands with verbs, such as `ttmatrix ops list`."""

import argparse
import importlib
from collections.abc import Callable, Mapping
from typing import NamedTuple

from core.base.text import capital
from core.cli.context import Context
from core.cli.parser import add_global_options


class Verb(NamedTuple):
    """One verb of a command."""

    help: str
    configure: Callable[[argparse.ArgumentParser], None]
    """Declares its arguments."""
    execute: Callable[[argparse.Namespace, Context], int]
    """Performs it and returns the exit code."""


def verb_of_module(module: str, help: str) -> Verb:
    """A verb that is the `configure` and `execute` of a module, which is imported when the verb is named.

    All verbs of `ops` together load twice as many modules as `ops list`.
    """

    def configure(parser: argparse.ArgumentParser) -> None:
        importlib.import_module(module).configure(parser)

    def execute(args: argparse.Namespace, context: Context) -> int:
        return int(importlib.import_module(module).execute(args, context))

    return Verb(help, configure, execute)


def configure_verbs(parser: argparse.ArgumentParser, verbs: Mapping[str, Verb]) -> None:
    """Declare the verbs of a command, each with its help, and the arguments of the one that is called."""
    words = getattr(parser, "words", None)
    added = parser.add_subparsers(dest="verb", metavar="VERB", required=True, parser_class=type(parser))
    for name, verb in verbs.items():
        declared = added.add_parser(name, help=verb.help, description=f"{capital(verb.help)}.")
        add_global_options(declared, {})
        if words is None or name in words:
            verb.configure(declared)


def execute_verb(verbs: Mapping[str, Verb], args: argparse.Namespace, context: Context) -> int:
    """Perform the verb that the command line names, and return the exit code."""
    return verbs[args.verb].execute(args, context)
