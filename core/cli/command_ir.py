# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix ir`: the programs dumped by runs, stage by stage. Each verb is a module of its own."""

import argparse
from collections.abc import Mapping

from core.cli.context import Context
from core.cli.verbs import configure_verbs, execute_verb

VERBS: Mapping[str, str] = {
    "list": "list the programs of a run by stage",
    "ops": "count the ops of a program, or list some with their source lines",
    "run": "execute the code that an export has generated",
    "diff": "compare two programs op by op, without names of values and locations",
}
"""Each verb with its help; `core.cli.ir_VERB` is its module."""


def configure(parser: argparse.ArgumentParser) -> None:
    configure_verbs(parser, "ir", VERBS)


def execute(args: argparse.Namespace, context: Context) -> int:
    return execute_verb("ir", args, context)
