# SPDX-License-Identifier: Apache-2.0
"""Commands with verbs, such as `ttmatrix ops list`: each verb is a module `core.cli.COMMAND_VERB`."""

import argparse
import importlib
from collections.abc import Mapping
from typing import Protocol, cast

from core.cli.context import Context
from core.cli.parser import add_global_options


class _Verb(Protocol):
    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Declare the arguments of the verb."""

    def execute(self, args: argparse.Namespace, context: Context) -> int:
        """Perform the verb and return the exit code."""


def configure_verbs(parser: argparse.ArgumentParser, command: str, verbs: Mapping[str, str]) -> None:
    """Declare the verbs of a command, each with its help, and the arguments of the one that is called.

    All verbs of `ops` together load twice as many modules as `ops list`.
    """
    words = getattr(parser, "words", None)
    added = parser.add_subparsers(dest="verb", metavar="VERB", required=True, parser_class=type(parser))
    for name, help in verbs.items():
        verb = added.add_parser(name, help=help, description=f"{help[:1].upper()}{help[1:]}.")
        add_global_options(verb, {})
        if words is None or name in words:
            _module(command, name).configure(verb)


def execute_verb(command: str, args: argparse.Namespace, context: Context) -> int:
    """Run the verb's module, and return the exit code."""
    return _module(command, args.verb).execute(args, context)


def _module(command: str, verb: str) -> _Verb:
    return cast(_Verb, importlib.import_module(f"core.cli.{command}_{verb}"))
