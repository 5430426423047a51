# SPDX-License-Identifier: Apache-2.0
"""Triage many entries: their CPU repros side by side first, then one workflow after the other, one review."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from core.runs.outcome import Outcome
from core.triage.case import Member
from core.triage.driver import Given, Progress, drive, open_session
from core.triage.perform import World, launch_and_wait, start_cpu
from core.triage.session import Session


def look_first(world: World, ids: Sequence[str]) -> None:
    """Run the CPU repros of all of `ids`, as many at a time as the machine allows, for the workflows to find."""
    if len(ids) < 2:
        return
    specs = start_cpu(world, ids)
    world.said(f"running {len(specs)} CPU repros")
    records = launch_and_wait(world, specs)
    undone = (Outcome.LOST, Outcome.CANCELLED)
    world.known.update({one.spec.test_id: one for one in records if one.outcome not in undone})


def drive_all(
    world: World,
    root: Path,
    ids: Sequence[str],
    name: str,
    given: Given,
    after: Callable[[Progress], None],
    *,
    again: bool,
    watch: Callable[[Session], None] = lambda _: None,
) -> Iterator[Progress]:
    """A session for each of `ids`, but for those that another one decides with its own.

    `after` is told of each before the next begins: it takes the edits or leaves none.
    """
    decided: set[str] = set()
    for id in ids:
        if id in decided:
            continue
        progress = drive(world, open_session(world, root, id, name, again=again), given, watch)
        after(progress)
        report = progress.session.state.report
        if report is not None and report.aborted is None:
            decided |= {member.id for member in report.scope}
        yield progress


def forget_edited(world: World, progress: Progress) -> None:
    """What was seen before an edit that stays says nothing any more of those whom the edit concerns."""
    report = progress.session.state.report
    if report is None or not report.edits:
        return
    case = progress.session.state.case
    shared = {member.directory for member in (*case.scope, *report.scope)}
    everyone = case.registry in report.edits
    for id in [id for id in world.known if everyone or Member(id, "").directory in shared]:
        del world.known[id]
