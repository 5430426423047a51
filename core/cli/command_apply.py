# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix apply`: write the changes in a file of proposals or operations and, when asked, commit them.

`ttmatrix edit` is the same with other options.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import UNSET

from core import ops
from core.base.errors import EXIT_FINDINGS, EXIT_OK, TTMatrixError, UsageError
from core.base.files import read_given
from core.base.text import counted, device_minutes, one_line, printable
from core.ci import job_name
from core.cli import records
from core.cli.console import Console
from core.cli.context import Context
from core.edits import (
    CellChange,
    EditPlan,
    NoOp,
    Operation,
    Planner,
    Present,
    Rejection,
    dead_overrides,
    effect,
    no_ops,
    odd_markers,
    to_json,
    unknown_ids,
)
from core.edits.commit import (
    Answer,
    Committed,
    Composition,
    Split,
    Validation,
    compose_commits,
    issues_in,
)
from core.edits.pending import (
    Change,
    ProposalFile,
    ProposedChange,
    RebasedProposals,
    Workbench,
    parse_proposals,
    rebased_proposals,
)
from core.evidence.analysis import issue_link
from core.matrix import Matrix
from core.states import composed_pull_request


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a JSON list of proposals or of operations; - reads stdin")
    parser.add_argument(
        "--grade",
        type=_grade,
        metavar="N",
        help="take proposals of at least this grade, from 1 to 5, or any; default: the policy's apply_grade (3)",
    )
    add_options(parser)


def execute(args: argparse.Namespace, context: Context) -> int:
    return apply(args.file, args, context, writes=True)


def _grade(text: str) -> int:
    """A grade, or `any`. Raises ValueError, which argparse turns into a message."""
    found = 1 if text == "any" else int(text)
    if not 1 <= found <= 5:
        raise ValueError(text)
    return found


_grade.__name__ = "grade"


@dataclass
class Outcome:
    """A plan with its effect, and which part of it was written and committed."""

    plan: EditPlan
    effect: Sequence[CellChange]
    notes: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    commits: Committed | None = None
    validation: Validation | None = None
    markdown: str = ""
    grades: Mapping[str, str] = field(default_factory=dict)
    """The grade of what is proposed for each id, with what it rests on."""


def report(outcome: Outcome, console: Console) -> None:
    """Print the outcome, with `--json` as the document."""
    planned = outcome.plan
    if console.json:
        console.document(_document(outcome))
    else:
        console.out.write(printable(outcome.markdown or planned.diff()))
        graded = dict(outcome.grades)
        for one in outcome.effect:
            _print_cell(one, console)
            if grade := graded.pop(one.id, ""):
                console.note(f"  {grade}")
    for note in outcome.notes:
        console.note(note)
    for rejection in planned.rejected:
        console.note(f"rejected: {rejection.op.op} {one_line(rejection.op.id)}: {rejection.why}")
    if planned.blocked:
        console.note(
            f"{counted(len(planned.blocked), 'more operation')} not applied: another one on the same file is rejected"
        )
    if outcome.validation is not None and outcome.validation.answer is Answer.UNABLE:
        console.note(f"the checkout's validator could not be run: {outcome.validation.detail}")
    if outcome.commits is not None:
        _print_commits(outcome.commits, console)


def _print_commits(commits: Committed, console: Console) -> None:
    if commits.output:
        console.note(commits.output)
    for revision in commits.revisions:
        console.note(f"committed {revision[:10]}")
    if commits.detached:
        console.note("HEAD is detached: git switch -c NAME gives the commits a branch")
    if commits.revisions:
        console.note("`ttmatrix pr` prints the text of a pull request")


def _print_cell(one: CellChange, console: Console) -> None:
    note = console.note
    if not one.arch:
        values = (f"{change.name} {_shown(change.before)} -> {_shown(change.after)}" for change in one.fields)
        note(f"{one.id}: {', '.join(values)}")
        return
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
    if one.minutes and (cost := device_minutes(one.minutes)):
        note(f"  {cost}")


def _shown(value: object) -> str:
    return one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _document(outcome: Outcome) -> records.Edited:
    planned = outcome.plan
    return records.Edited(
        diff=planned.diff(),
        applied=to_json(planned.applied),
        rejected=[
            *(records.Rejected(op=to_json([one.op])[0], why=one.why) for one in planned.rejected),
            *(
                records.Rejected(op=op, why="another operation on the same file is rejected")
                for op in to_json(planned.blocked)
            ),
        ],
        effect=[_cell(one) for one in outcome.effect],
        notes=outcome.notes,
        written=outcome.written,
        commits=list(outcome.commits.revisions) if outcome.commits else [],
        output=outcome.commits.output if outcome.commits else "",
        markdown=outcome.markdown or UNSET,
    )


def _cell(one: CellChange) -> records.CellEffect:
    return records.CellEffect(
        id=one.id,
        arch=one.arch,
        before=one.before,
        after=one.after,
        jobs_gained=[job_name(job) for job in one.jobs_gained],
        jobs_lost=[job_name(job) for job in one.jobs_lost],
        fields={change.name: records.FieldEffect(before=change.before, after=change.after) for change in one.fields},
        markers_gained=list(one.markers_gained),
        markers_lost=list(one.markers_lost),
        minutes=one.minutes,
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options of a commit and of the output."""
    parser.add_argument(
        "--commit", action="store_true", help="write the files and commit only these changes; never pushes"
    )
    parser.add_argument(
        "-m", "--message", default="", metavar="MSG", help="the commit message; default: one composed from the changes"
    )
    parser.add_argument(
        "--split",
        choices=[one for one in Split if one is not Split.NONE],
        help="make one commit per cause, reason, issue or arch",
    )
    parser.add_argument(
        "--no-verify-config", action="store_true", help="commit even if the checkout's own validator rejects the files"
    )
    parser.add_argument("--markdown", action="store_true", help="print the text of a pull request instead of the diff")
    parser.add_argument(
        "--restore-when-closed",
        default="",
        metavar="ISSUE",
        help="note that the edits are to be undone once ISSUE is closed; `propose` reminds you then",
    )
    parser.add_argument("--refuse-no-effect", action="store_true", help="reject operations that change no cell")


def apply(source: str, args: argparse.Namespace, context: Context, *, writes: bool) -> int:
    """Read operations from `source`, print their effect, and write and commit them as `args` say."""
    _check(args)
    proposed = parse_proposals(sys.stdin.read() if source == "-" else read_given(Path(source)), context.entry_id)
    if any(op.is_case and op.file is None for op in proposed.operations):
        tests = ops.read_op_tests(context.checkout.root, context.settings.ops_dirs)
        proposed = proposed.with_files(tests.files)
    if any(one.change.grade is not None for one in proposed.made):
        proposed = _strong_enough(proposed, getattr(args, "grade", None), context)
    return _apply(proposed, args, context, writes=writes)


def _strong_enough(proposed: ProposalFile, least: int | None, context: Context) -> ProposalFile:
    """The proposals that are taken without a person's decision: all of them have the grade that was asked for."""
    grade = least or context.evidence.policy.apply_grade
    taken = proposed.of_grade(grade)
    if left := len(proposed.made) - len(taken.made):
        context.console.note(
            f"{counted(left, 'proposal')} of a grade below {grade} not taken: --grade N or --grade any takes them"
        )
    return taken


def apply_operations(
    operations: Sequence[Operation], args: argparse.Namespace, context: Context, *, writes: bool
) -> int:
    """Like `apply`, with operations that a command has made."""
    _check(args)
    return _apply(ProposalFile((ProposedChange(Change(tuple(operations))),)), args, context, writes=writes)


def _check(args: argparse.Namespace) -> None:
    if args.message and not args.commit:
        raise UsageError("-m is only for a commit", hint="Add --commit.")


def _apply(proposed: ProposalFile, args: argparse.Namespace, context: Context, *, writes: bool) -> int:
    if args.restore_when_closed:
        (issue,) = issues_in(issue_link(args.restore_when_closed))
        proposed = proposed.restored_after(issue)
    if not (writes or args.commit):
        return _execute(proposed, args, context, None)
    with context.sole_writer() as bench:
        return _execute(proposed, args, context, bench)


def _execute(proposed: ProposalFile, args: argparse.Namespace, context: Context, bench: Workbench | None) -> int:
    """Plan, print and, with a workbench, write. The workbench is locked: nobody else writes."""
    matrix = context.matrix
    carried = rebased_proposals(proposed, matrix)
    proposed = carried.proposed
    planner = bench.planner if bench is not None else Planner()
    planned, without_effect = _planned(carried, context, planner, refuse=args.refuse_no_effect)
    maybe_written = args.commit and not (carried.rejected or args.refuse_no_effect)
    if maybe_written and planned.rejected and _is_written(proposed, matrix, planner):
        planned, without_effect = EditPlan((), proposed.operations), ()
    outcome = Outcome(planned, effect(matrix, planned, context.workspace.ci), [*carried.notes], grades=proposed.grades)
    outcome.notes += [f"no effect: {one_line(one.op.id)}: {one.why}" for one in without_effect]
    outcome.notes += unknown_ids(matrix, planned)
    outcome.notes += odd_markers(matrix, planned)
    dead = dead_overrides(matrix, planned)
    outcome.notes += [f"dead override: {one_line(id)} is not marked for {arch}" for id, arch in dead]
    composition = None
    if (args.commit or args.markdown) and not planned.rejected:
        composition = _composed(carried, matrix, planner)
    if args.markdown and composition is not None and composition.changes:
        states = context.workspace.states
        outcome.markdown = composed_pull_request(states, context.checkout, composition).markdown
    if bench is not None and not planned.rejected:
        # Before the write: a note about what is not written has nothing to restore, and says nothing.
        bench.remind([one.change for one in proposed.made], Present(matrix.files))
    if bench is not None and args.commit:
        _commit(outcome, composition, args, context, bench)
    elif bench is not None:
        bench.write_plan(planned)
        outcome.written = [edit.file for edit in planned.files]
    if bench is not None and bench.problem is not None:
        outcome.notes.append(one_line(f"{bench.problem.title}: {bench.problem.detail}"))
    report(outcome, context.console)
    return EXIT_FINDINGS if planned.rejected else EXIT_OK


def _planned(
    carried: RebasedProposals, context: Context, planner: Planner, *, refuse: bool
) -> tuple[EditPlan, tuple[NoOp, ...]]:
    """The plan, and its operations without effect. If they are rejected, nothing of the plan is applied."""
    matrix, operations = context.matrix, carried.proposed.operations
    found = no_ops(matrix, operations)
    rejected = (*carried.rejected, *(Rejection(one.op, f"it has no effect: {one.why}") for one in found if refuse))
    if not rejected:
        return planner.plan_files(context.checkout.test_config, operations, matrix.schema, matrix.files), found
    others = tuple(op for op in operations if all(op is not one.op for one in rejected))
    return EditPlan((), (), rejected, others), ()


def _is_written(proposed: ProposalFile, matrix: Matrix, planner: Planner) -> bool:
    """Whether the files have the changes already and only the commit is missing: a removal cannot be applied twice."""
    try:
        return compose_commits(matrix, proposed.operations, planner=planner).is_written(matrix)
    except TTMatrixError:
        return False


def _composed(carried: RebasedProposals, matrix: Matrix, planner: Planner) -> Composition:
    """The changes to commit, including those that are in the files but not in the last commit."""
    whole, rest = ProposalFile((*carried.done, *carried.proposed.made)), carried.proposed
    if carried.done:
        # Part of it may be in the last commit in another form: removed, or under another name.
        with suppress(TTMatrixError):
            return _commits_of(whole, matrix, planner)
    return _commits_of(rest, matrix, planner)


def _commits_of(proposed: ProposalFile, matrix: Matrix, planner: Planner) -> Composition:
    evidence, causes = proposed.evidence, proposed.causes
    return compose_commits(matrix, proposed.operations, evidence=evidence, causes=causes, planner=planner)


def _commit(
    outcome: Outcome, composition: Composition | None, args: argparse.Namespace, context: Context, bench: Workbench
) -> None:
    """Write and commit, or neither: if the commit fails, the files are restored."""
    if composition is None:
        outcome.notes.append("nothing was written or committed: operations are rejected")
        return
    drafts = composition.drafts(Split(args.split or Split.NONE), args.message)
    if not drafts and bench.finished:
        # Repeated after a kill: git finished the commit by itself.
        outcome.commits = Committed(bench.finished)
        return
    if not drafts:
        raise UsageError("There is nothing to commit", "The last commit has all of it already.")
    settings, schema = context.settings, context.matrix.schema
    verify = not args.no_verify_config
    delivered = bench.deliver_plan(outcome.plan, drafts, schema, verify=verify, python=settings.python)
    outcome.commits, outcome.validation = delivered.committed, delivered.validation
    outcome.written = [edit.file for edit in outcome.plan.files]
