# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix evidence`: the store of results. Each verb is a module of its own."""

import argparse
from collections.abc import Mapping

from core.cli.context import Context
from core.cli.verbs import configure_verbs, execute_verb

VERBS: Mapping[str, str] = {
    "export": "write all results to one file: .csv, or .parquet with the extra ttmatrix[parquet]",
    "import": "add the results of such files, except those that are known",
    "stats": "print how many results there are, and how large the file is",
    "prune": "thin out old results: keep every change of outcome, and one a week of those that repeat",
}
"""Each verb with its help; `core.cli.evidence_VERB` is its module."""


def configure(parser: argparse.ArgumentParser) -> None:
    configure_verbs(parser, "evidence", VERBS)


def execute(args: argparse.Namespace, context: Context) -> int:
    return execute_verb("evidence", args, context)
