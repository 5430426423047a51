# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix ops`: op tests from YAML. Each verb is a module of its own."""

import argparse

from core.cli.context import Context
from core.cli.verbs import configure_verbs, execute_verb, verb_of_module

_VERBS = {
    name: verb_of_module(f"core.cli.ops_{name}", help)
    for name, help in {
        "list": "list op cases, and which of them are duplicates",
        "models": "list the models that have op cases",
        "extract": "write the ops of a model as a manifest: those that it calls in one run on the CPU, with shapes",
        "bisect": "find the first op of a model that a backend computes differently from the CPU",
        "of": "show the ops of one model: its cases, and what upstream's op-by-op tests say, joined by shape",
        "report": "count op cases and their results by model and by op, and list mistakes in their files",
        "results": "list the last results of op cases by backend: what they mean, and how stable they are",
        "compare": "compare the last results of op cases on two backends",
        "run": "run op cases on a backend and compare each with the CPU reference",
    }.items()
}


def configure(parser: argparse.ArgumentParser) -> None:
    configure_verbs(parser, _VERBS)


def execute(args: argparse.Namespace, context: Context) -> int:
    return execute_verb(_VERBS, args, context)
