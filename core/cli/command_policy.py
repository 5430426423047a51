# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix policy`: print how much evidence verdicts need here and which entries are pinned, as a policy file."""

import argparse

from core.base.errors import EXIT_OK
from core.base.files import plain
from core.base.text import one_line, printable
from core.cli import records
from core.cli.context import Context
from core.evidence import policy_of
from core.evidence.verdicts import REPOSITORY_FILES, policy_text


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = "Print the policy in force as TOML. Save it as a file that ttmatrix looks for, and edit it."


def execute(args: argparse.Namespace, context: Context) -> int:
    found = policy_of(context.checkout, context.paths)
    if context.console.json:
        context.console.document(
            records.PolicyOfCheckout(file=str(found.file) if found.file else None, policy=plain(found.policy))
        )
        return EXIT_OK
    if found.file is None:
        places = (*REPOSITORY_FILES, context.paths.policy_file)
        context.console.line(f"# Defaults: there is no policy file. Looked for: {', '.join(map(str, places))}")
    else:
        context.console.line(f"# {one_line(str(found.file))}")
    context.console.line(printable(policy_text(found.policy)).rstrip("\n"))
    return EXIT_OK
