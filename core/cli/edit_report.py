# SPDX-License-Identifier: Apache-2.0
"""What an edit came to, told to a person or to a program."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from core.cli.console import Console
from core.edits.commit import Committed
from core.edits.effect import CellChange
from core.edits.operations import to_json
from core.edits.plan import EditPlan
from core.edits.validator import Answer, Validation
from core.matrix.selected import job_name
from core.text import counted, device_minutes, one_line, printable


@dataclass
class Outcome:
    """What came of it."""

    plan: EditPlan
    effect: Sequence[CellChange]
    notes: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    commits: Committed | None = None
    validation: Validation | None = None
    markdown: str = ""


def report(outcome: Outcome, console: Console) -> None:
    """Tell a person or, with `--json`, a program."""
    planned = outcome.plan
    if console.json:
        console.document(_document(outcome))
    else:
        console.out.write(printable(outcome.markdown or planned.diff()))
        for one in outcome.effect:
            _tell_cell(one, console)
    for note in outcome.notes:
        console.note(note)
    for rejection in planned.rejected:
        console.note(f"rejected: {rejection.op.op} {one_line(rejection.op.id)}: {rejection.why}")
    if planned.held:
        console.note(
            f"{counted(len(planned.held), 'more operation')} must wait: another one on the same file is rejected"
        )
    if outcome.validation is not None and outcome.validation.answer is Answer.UNABLE:
        console.note(f"the checkout's validator could not be run: {outcome.validation.detail}")
    if outcome.commits is not None:
        _tell_commits(outcome.commits, console)


def _tell_commits(commits: Committed, console: Console) -> None:
    if commits.output:
        console.note(commits.output)
    for revision in commits.revisions:
        console.note(f"committed {revision[:10]}")
    if commits.detached:
        console.note("HEAD is detached: git switch -c NAME gives the commits a branch")


def _tell_cell(one: CellChange, console: Console) -> None:
    note = console.note
    before, after = one.before or "not marked", one.after or "not marked"
    others = [change.name for change in one.fields if change.name != "status"]
    status = f"{before} -> {after}" if one.before is not one.after else f"{before}"
    note(f"{one.id} on {one.arch}: {', '.join((status, *others))}")
    if one.markers_gained or one.markers_lost:
        moved = (*(f"+{name}" for name in one.markers_gained), *(f"-{name}" for name in one.markers_lost))
        note(f"  markers {' '.join(moved)}")
    for word, jobs in (("gains", one.jobs_gained), ("loses", one.jobs_lost)):
        for job in jobs:
            note(f"  {word} {job_name(job)}")
    if one.minutes and (told := device_minutes(one.minutes)):
        note(f"  {told}")


def _document(outcome: Outcome) -> dict[str, object]:
    planned = outcome.plan
    return {
        "diff": planned.diff(),
        "applied": to_json(planned.applied),
        "rejected": [
            *({"op": to_json([one.op])[0], "why": one.why} for one in planned.rejected),
            *({"op": op, "why": "another operation on its file is rejected"} for op in to_json(planned.held)),
        ],
        "effect": [_cell(one) for one in outcome.effect],
        "notes": outcome.notes,
        "written": outcome.written,
        "commits": list(outcome.commits.revisions) if outcome.commits else [],
        "output": outcome.commits.output if outcome.commits else "",
        **({"markdown": outcome.markdown} if outcome.markdown else {}),
    }


def _cell(one: CellChange) -> dict[str, object]:
    return {
        "id": one.id,
        "arch": one.arch,
        "before": one.before,
        "after": one.after,
        "jobs_gained": [job_name(job) for job in one.jobs_gained],
        "jobs_lost": [job_name(job) for job in one.jobs_lost],
        "fields": {change.name: {"before": change.before, "after": change.after} for change in one.fields},
        "markers_gained": list(one.markers_gained),
        "markers_lost": list(one.markers_lost),
        "minutes": one.minutes,
    }
