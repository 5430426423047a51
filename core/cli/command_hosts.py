# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix hosts`: a person's machines. Each verb is a module of its own."""

import argparse
from collections.abc import Mapping

from core.cli.context import Context
from core.cli.verbs import configure_verbs, execute_verb

VERBS: Mapping[str, str] = {
    "list": "list the machines of the hosts file, with the time that is left on each",
    "add": "add a machine to the hosts file, or change one",
    "remove": "remove machines from the hosts file",
    "import": "add the machines that `ird list` prints, with the time that is left on each",
    "up": "start workers on machines, so that runs for their archs go there",
    "down": "end the workers on machines",
    "check": "check what machines lack: ssh, interpreter, packages, checkout, devices, disk, time",
}
"""Each verb with its help; `core.cli.hosts_VERB` is its module."""


def configure(parser: argparse.ArgumentParser) -> None:
    configure_verbs(parser, "hosts", VERBS)


def execute(args: argparse.Namespace, context: Context) -> int:
    return execute_verb("hosts", args, context)
