# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix run`: plan runs of tests and op cases, start them in the background; with --wait report their outcomes."""

import argparse
import shlex
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from core import kinds
from core.base.errors import UsageError
from core.base.text import counted
from core.cli.context import Context
from core.cli.runs_common import configure_start, start
from core.domain.model import Function, node_id
from core.hosts import read_hosts
from core.matrix import named
from core.ops import default_backend, op_request, read_op_tests
from core.runs import RunSpec
from core.runs.planning import (
    KINDS,
    OP_RUNS,
    Export,
    archs_of_hosts,
    check_export,
    check_repeat,
    default_kind,
    own_arch,
    plan_ops,
    plan_test,
    supported_of,
    with_estimates,
    with_needs,
)
from core.runs.store import RunStore
from core.sources.ci import read_durations

_SAID = 5_000
"""Tests whose planning takes about a second."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _kinds_help()
    parser.add_argument(
        "ids",
        nargs="+",
        metavar="ID",
        help="test ids, node ids, parts that match only one id, op cases (MODEL::CASE), "
        "hand-written tests (tests/torch/...py::...)",
    )
    parser.add_argument(
        "--kind",
        choices=[*KINDS, OP_RUNS],
        metavar="KIND",
        help="how to run the tests of models, see below; default: cpu, or device where a profile compiles or several "
        "are compared",
    )
    parser.add_argument(
        "--backend",
        action="append",
        metavar="NAME",
        help="run op cases, all in one batch, on this backend: eager, aot_eager, inductor, xla, tt; default: inductor",
    )
    parser.add_argument(
        "--profile",
        action="append",
        metavar="NAME",
        help="use this profile (ttmatrix profiles), or NAME+OPTION=VALUE; given again, each test runs with each",
    )
    parser.add_argument(
        "--export-path",
        type=Path,
        metavar="DIR",
        help="copy what is exported to DIR/TEST, which must be new or empty; the directory of the run always has it",
    )
    parser.add_argument(
        "--export-tensors",
        action=argparse.BooleanOptionalAction,
        help="export weights and inputs, too; default: with generated code only",
    )
    parser.add_argument("--repeat", type=_repeat, default=1, metavar="N", help="run each test N times")
    parser.add_argument("--timeout", type=float, metavar="S", help="stop a run after S seconds; 0: never")
    parser.add_argument(
        "--host", default="", metavar="NAME", help="run on this machine of the hosts file; default: one with the arch"
    )
    parser.add_argument(
        "--each-arch",
        action="store_true",
        help="run the tests of models on each arch that a machine of the hosts file has and their entry supports",
    )
    configure_start(parser)


def _kinds_help() -> str:
    """A table of the kinds, within 80 columns."""
    op = "op cases, each compared with a reference on the CPU; the default for ids of op cases"
    words = {name: kind.help for name, kind in KINDS.items()} | {OP_RUNS: op}
    wide = max(map(len, words)) + 4
    first, later = "  {:<" + str(wide - 2) + "}", " " * wide
    texts = (
        textwrap.fill(text, 80, initial_indent=first.format(name), subsequent_indent=later, break_on_hyphens=False)
        for name, text in words.items()
    )
    return "\n".join(("kinds:", *texts))


def execute(args: argparse.Namespace, context: Context) -> int:
    store = RunStore(context.paths.runs)
    chosen = [kinds.chosen(text, context.workspace) for text in args.ids]
    cases, tests = (
        [id for one in chosen if one.kind.launch is launch for id in one.ids]
        for launch in (kinds.Launch.BACKENDS, kinds.Launch.TEST)
    )
    if cases and args.kind not in (None, OP_RUNS):
        raise UsageError(f"--kind {args.kind} runs no op cases", f"{cases[0]} is an op case.", "Leave --kind out.")
    if tests and args.kind == OP_RUNS:
        raise UsageError(
            "--kind op runs op cases", f"{tests[0]} is not an op case.", f"Give one of: {', '.join(KINDS)}."
        )
    ids = context.resolve(tests)
    _refuse_twins(tests, context)
    profiles = args.profile or [""]
    kind = args.kind or default_kind(context.checkout, context.settings, profiles)
    export = _export(args, kind)
    if args.each_arch and (context.arch or kind != "device"):
        raise UsageError("--each-arch is for device runs on several archs", hint="Give --kind device, and no --arch.")
    if len(ids) >= _SAID:
        context.console.note(f"planning runs of {counted(len(ids), 'test')}")
    own = "" if context.arch or args.each_arch or args.host else own_arch(context.matrix.schema.archs)
    specs = (
        _specs_alone(args, context, chosen, store)
        + _op_specs(args, context, cases, store)
        + [
            plan_test(
                context.matrix,
                id,
                context.settings,
                runs=store.root,
                kind=kind,
                arch=arch,
                timeout=args.timeout,
                profile=profile,
                export=export,
            )
            for id in ids
            for arch in _archs(args, context, id, own if KINDS[kind].needs_device else "")
            for profile in profiles
            for _ in range(args.repeat)
        ]
    )
    # With the arch of this machine as the default, they stay here.
    specs = specs if own else with_needs(specs, read_hosts(context.paths.hosts_file), args.host)
    durations, _ = read_durations(context.checkout)
    return start(args, context, with_estimates(specs, store.ended(), durations))


def _refuse_twins(texts: Sequence[str], context: Context) -> None:
    """Raise UsageError if an argument names a function that a run would not call: the id alone means another one."""
    for text in texts:
        function, _ = named(text)
        if function == Function.OP_BY_OP:
            (id,) = context.resolve([text])
            own = context.matrix.functions(context.matrix.rows[id])[0]
            by_hand = shlex.quote(node_id(Function.OP_BY_OP, id))
            raise UsageError(
                f"Runs do not call {function}",
                f"A run of this id calls {own}: the whole model, with one result. {function} has one for each op.",
                f"With tt-xla's own runner: python -m pytest --force-run {by_hand}; then ttmatrix ops of {id}. "
                f"The first op that departs: ttmatrix run --kind bisect {id}",
            )


def _export(args: argparse.Namespace, kind: str) -> Export:
    """The requested exports. Raises as `check_export` does."""
    export = Export(args.export_path and args.export_path.absolute(), args.export_tensors)
    check_export(export, kind, args.repeat * len(args.profile or [""]))
    return export


def _archs(args: argparse.Namespace, context: Context, id: str, own: str) -> Sequence[str]:
    """The archs that a model test runs on; `own` is the default. Raises UsageError if it supports none of the hosts."""
    if not args.each_arch:
        return (context.arch or own,)
    known = archs_of_hosts(read_hosts(context.paths.hosts_file), context.matrix.schema.archs)
    return supported_of(known, context.matrix, id)


def _specs_alone(
    args: argparse.Namespace, context: Context, chosen: Iterable[kinds.Chosen], store: RunStore
) -> list[RunSpec]:
    """A run per row and repetition, of kinds without options of their own. Raises the reason if one cannot run."""
    by_kind: dict[kinds.Kind, list[str]] = {}
    for one in chosen:
        if one.kind.launch is kinds.Launch.ALONE:
            by_kind.setdefault(one.kind, []).extend(one.ids)
    source = kinds.Source(
        context.workspace.cache,
        context.settings,
        store.root,
        arch=context.arch,
        kind=args.kind or "",
        timeout=args.timeout,
    )
    specs: list[RunSpec] = []
    for kind in kinds.kinds():
        if ids := by_kind.get(kind):
            plan_one = kind.planner(source)
            specs += [plan_one(id) for id in ids for _ in range(args.repeat)]
    return specs


def _op_specs(args: argparse.Namespace, context: Context, ids: Sequence[str], store: RunStore) -> list[RunSpec]:
    """A batch of the op cases for each backend and repetition."""
    if not ids:
        return []
    root, directories = context.checkout.root, context.settings.ops_dirs
    request = op_request(read_op_tests(root, directories), ids, root, [root / one for one in directories])
    request = replace(request, timeout=args.timeout or 0.0)
    return [
        plan_ops(request, backend, context.settings, runs=store.root, cache=context.paths.cache)
        for backend in args.backend or [default_backend()]
        for _ in range(args.repeat)
    ]


def _repeat(text: str) -> int:
    number = int(text)
    check_repeat(number)
    return number
