# SPDX-License-Identifier: Apache-2.0
"""Shared by the verbs of `ttmatrix ops`: the manifests to read, and the selection of cases in them."""

import argparse
from pathlib import Path

from core.cli.context import Context
from core.ops import OpTests, read_op_tests


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Declare the options that choose manifests and cases."""
    parser.add_argument(
        "--ops-dir",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="read manifests below DIR, or the file DIR, instead of what the setting ops_dirs names",
    )
    parser.add_argument("--model", action="append", default=[], metavar="MODEL", help="only cases of this model")
    parser.add_argument(
        "--include-template", action="store_true", help="read files whose names end in template.yaml, too"
    )


def op_tests(args: argparse.Namespace, context: Context) -> OpTests:
    """The manifests that the arguments name. With directories given, no checkout is needed."""
    root = context.checkout.root if not args.ops_dir or context.in_checkout else Path.cwd()
    return read_op_tests(root, context.settings.ops_dirs, args.ops_dir, include_template=args.include_template)
