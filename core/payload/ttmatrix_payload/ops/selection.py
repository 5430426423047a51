# SPDX-License-Identifier: Apache-2.0
"""Decide which collected cases run: selected ones, not skipped by conditions, each distinct one once.

Everything is decided at collection, from the command line and the manifests alone, so every process of pytest-xdist
comes to the same result.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping, Sequence

import pytest

from . import conditions
from .conditions import context
from .digest import group
from .item import OpTest, ProblemTest
from .options import Options
from .results import SKIP, XFAIL
from .tokens import NotRead

Ours = OpTest | ProblemTest


def take_ids(config: pytest.Config) -> list[str]:
    """Remove the ids of cases (`model::case`) from the arguments, and return them."""
    here = config.invocation_params.dir
    taken, rest = [], []
    for argument in config.args:
        path, double, case = argument.partition("::")
        if double and not path.endswith(".py") and not (here / path).exists():
            # If its root directory differs, pytest prints an id as a path from the current directory.
            model = os.path.relpath(here / path, config.rootpath) if path.startswith("../") else path
            taken.append(f"{model}::{case}")
        else:
            rest.append(argument)
    config.args = rest
    return taken


def select(
    items: Sequence[pytest.Item], options: Options, ids: Sequence[str]
) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The items that models, names and ids select, and the others. Raises UsageError for an id that is not there."""
    ours = {item.nodeid for item in items if isinstance(item, Ours)}
    for id in ids:
        if id not in ours:
            near = difflib.get_close_matches(id, ours, n=1)
            raise pytest.UsageError(f"not found: {id}" + (f"; closest: {near[0]}" if near else ""))
    models = {item.model for item in items if isinstance(item, Ours)}
    for model in options.models:
        if model not in models:
            raise pytest.UsageError(
                f"--model: there is no model {model}; there are {', '.join(sorted(models)) or 'none'}"
            )
    wanted = set(ids)
    chosen: list[pytest.Item] = []
    others: list[pytest.Item] = []
    for item in items:
        (others if isinstance(item, Ours) and not _selected(item, options, wanted) else chosen).append(item)
    return chosen, others


def _selected(item: Ours, options: Options, ids: set[str]) -> bool:
    return (
        (not options.models or item.model in options.models)
        and (not options.names or any(part in item.name for part in options.names))
        and (not ids or item.nodeid in ids)
    )


def apply_conditions(items: Sequence[pytest.Item], options: Options) -> None:
    """Mark the cases that conditions skip or expect to fail."""
    settings = options.settings
    device, _, index = settings.device.partition(":")
    for item in items:
        if isinstance(item, OpTest) and (item.case.skip_if or item.case.xfail_if):
            _apply(
                item,
                context(
                    item.case,
                    item.model,
                    backend=settings.backend,
                    device=device,
                    index=int(index) if index.isdecimal() else None,
                    environment=os.environ,
                ),
                run_skipped=options.run_skipped,
            )


def _apply(item: OpTest, where: Mapping[str, object], *, run_skipped: bool) -> None:
    case = item.case
    try:
        reason = conditions.skip_reason(case, where)
        fails = bool(case.xfail_if) and conditions.evaluate(case.xfail_if, where)
    except NotRead as error:
        item.add_marker(pytest.mark.skip(reason=f"a condition cannot be evaluated: {error}"))
        return
    if reason:
        item.expected = SKIP
        if not run_skipped:
            item.add_marker(pytest.mark.skip(reason=reason))
    if fails:
        item.expected = item.expected or XFAIL
        item.add_marker(pytest.mark.xfail(reason=case.xfail_reason or case.xfail_if, strict=case.xfail_strict))


def drop_duplicates(items: Sequence[pytest.Item], options: Options) -> None:
    """Let the first of equal cases that run represent the others, and drop these."""
    cases = [item for item in items if isinstance(item, OpTest) and item.skip_reason() is None]
    directories = [str(item.path.parent) for item in cases]
    groups = group([item.case for item in cases], directories=directories, dedupe=options.dedupe)
    for one in groups:
        first = cases[one.members[0]]
        first.case = one.case
        for index in one.members:
            cases[index].key = one.key
        for index in one.members[1:]:
            cases[index].dup_of = first.nodeid
