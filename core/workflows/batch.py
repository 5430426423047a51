# SPDX-License-Identifier: Apache-2.0
"""Triage many entries: run their CPU repros in parallel, then the workflows one by one, with one review at the end."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.files import Malformed, atomic_write, decoded, read_text
from core.base.text import counted
from core.workflows.case import CaseEntry
from core.workflows.driver import Progress, UserInput, drive, open_session, suspend
from core.workflows.perform import WorkflowContext, collect, launch_shared, start_cpu
from core.workflows.session import WorkflowSession

_ROUND = "round.json"
"""Records which run was started in advance for which id, so that a session finds its run after a kill."""


def run_cpu_first(world: WorkflowContext, root: Path, ids: Sequence[str], *, again: bool = False) -> None:
    """Run the CPU repros of all `ids` in advance, as many at a time as the machine allows.

    With `again`, wait only for those that were started before an interruption: which further ones are needed depends
    on the edits that are in place by then. `root` holds the sessions of the checkout.
    """
    if again:
        _take_up(world, root, ids)
        return
    _write_round(root, {})
    if len(ids) < 2:
        return
    specs = start_cpu(world, ids)
    # Recorded before anything starts, so that the runs are found again after a kill.
    _write_round(root, {spec.test_id: spec.run_id for spec in specs})
    world.said(f"running {counted(len(specs), 'CPU repro')}")
    launch_shared(world, specs)
    world.known.update(collect(world, [spec.run_id for spec in specs], ids))


def _take_up(world: WorkflowContext, root: Path, ids: Sequence[str]) -> None:
    # Collect all of the round: a run may have shared the interpreter of another.
    began = _read_round(root)
    if any(id in began for id in ids):
        world.said(f"resuming {counted(len(began), 'CPU repro')} started earlier")
        world.known.update(collect(world, list(began.values()), list(began)))


def _read_round(root: Path) -> Mapping[str, str]:
    """The runs of the round, by id; empty without a round file or with an unreadable one."""
    with suppress(OSError, TTMatrixError, Malformed):
        return decoded(read_text(root / _ROUND), dict[str, str])
    return {}


def _write_round(root: Path, runs: Mapping[str, str]) -> None:
    if runs:
        root.mkdir(parents=True, exist_ok=True)
        atomic_write(root / _ROUND, json.dumps(runs))
    else:
        (root / _ROUND).unlink(missing_ok=True)


def drive_all(
    world: WorkflowContext,
    root: Path,
    ids: Sequence[str],
    name: str,
    given: UserInput,
    after: Callable[[Progress], None],
    *,
    again: bool,
    watch: Callable[[WorkflowSession], None] = lambda _: None,
) -> Iterator[Progress]:
    """Drive a session for each of `ids`, except for those that an earlier session of the batch decides as well.

    `after` is called with each session before the next one begins: it either accepts the edits or removes them. If a
    session is interrupted, its edits leave the work tree and come back when it is resumed.
    """
    decided: set[str] = set()
    for id in ids:
        if id in decided:
            continue
        session = open_session(world, root, id, name, again=again)
        try:
            progress = drive(world, session, given, watch)
        except BaseException:
            with suppress(TTMatrixError):
                suspend(world, session)
            raise
        after(progress)
        report = progress.session.state.report
        if report is not None and report.aborted is None:
            decided |= {member.id for member in report.scope}
        yield progress


def forget_edited(world: WorkflowContext, root: Path, progress: Progress) -> None:
    """Drop the CPU repros made before an edit that stays, for all tests that the edit affects."""
    report = progress.session.state.report
    if report is None or not report.edits:
        return
    case = progress.session.state.case
    shared = {member.directory for member in (*case.scope, *report.scope)}
    everyone = case.registry in report.edits
    for id in [id for id in world.known if everyone or CaseEntry(id, "").directory in shared]:
        del world.known[id]
    _write_round(root, {id: run for id, run in _read_round(root).items() if id in world.known})
