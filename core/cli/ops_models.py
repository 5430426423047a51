# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix ops models`: list the models that have op cases."""

import argparse
from collections.abc import Sequence

from core.base.errors import EXIT_OK
from core.cli import records
from core.cli.context import Context
from core.cli.ops_common import add_selection, op_tests
from core.ops import Counts, measure

_HEADER = ("model", "cases", "unique", "ops", "files")


def configure(parser: argparse.ArgumentParser) -> None:
    add_selection(parser)


def execute(args: argparse.Namespace, context: Context) -> int:
    tests = op_tests(args, context)
    measured = measure(tests, tests.of_models(args.model)).by_model
    files = {
        model: [
            records.OpModelFile(file=one.path, backend=one.backend or None, variant_of=one.canonical or None)
            for one in tests.manifests
            if one.model == model
        ]
        for model in measured
    }
    if context.console.json:
        context.console.document(
            [
                records.OpModel(model=model, cases=one.cases, unique=one.unique, ops=one.ops, files=files[model])
                for model, one in measured.items()
            ]
        )
    elif measured:
        context.console.table(_HEADER, (_cells(model, one, files[model]) for model, one in measured.items()))
    else:
        context.console.note("no op cases")
    return EXIT_OK


def _cells(model: str, counts: Counts, files: Sequence[records.OpModelFile]) -> tuple[str, ...]:
    names = " ".join(one.file for one in files)
    return model, f"{counts.cases:,}", f"{counts.unique:,}", str(counts.ops), names
