# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix pending`: the changes that wait for a decision, as on the screen of the review."""

import argparse
from collections.abc import Callable, Sequence

from core.base.errors import EXIT_OK, UsageError
from core.base.text import counted
from core.cli import records
from core.cli.context import Context
from core.edits import Operation, OpKind, Present, to_json
from core.edits.commit import issue_url
from core.edits.pending import Change, Conflict, Decision, Workbench

_NEXT = "The review in the app (5) writes and commits what is accepted."


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what", nargs="?", choices=list(_STEPS), default="list", help="what to do with the changes; default: list them"
    )
    parser.add_argument("changes", nargs="*", metavar="CHANGE", help="numbers of changes, or ids of tests")
    parser.add_argument("--all", action="store_true", help="accept or reject all changes")


def execute(args: argparse.Namespace, context: Context) -> int:
    bench = Workbench(context.checkout, context.paths.journal)
    if args.what in _DECISIONS and bool(args.changes) == args.all:
        raise UsageError(f"{args.what} needs changes, or --all", hint="ttmatrix pending list shows their numbers.")
    if args.what not in _DECISIONS and (args.changes or args.all):
        raise UsageError(f"{args.what} takes no changes", hint="accept and reject do.")
    chosen = _chosen(bench.pending.changes, args.changes)
    _STEPS[args.what](bench, [one.id for one in chosen])
    if bench.problem is not None:
        raise bench.problem
    for notice in bench.notices():
        context.console.note(notice)
    changes = bench.pending.changes
    conflicts = bench.conflicts(Present(context.matrix.files)) if changes else {}
    if context.console.json:
        context.console.document([_document(one, conflicts.get(one.id, ())) for one in changes])
    else:
        _print(changes, conflicts, context)
    return EXIT_OK


_DECISIONS = {"accept": Decision.ACCEPTED, "reject": Decision.REJECTED}
_STEPS: dict[str, Callable[[Workbench, Sequence[int]], None]] = {
    "list": lambda bench, ids: None,
    "accept": lambda bench, ids: bench.decide(Decision.ACCEPTED, ids),
    "reject": lambda bench, ids: bench.decide(Decision.REJECTED, ids),
    "undo": lambda bench, ids: bench.undo(),
}


def _chosen(changes: Sequence[Change], texts: Sequence[str]) -> list[Change]:
    """The changes that are named by number or by test; all of them without texts."""
    found: dict[int, Change] = {}
    for text in texts:
        mine = [one for one in changes if text == str(one.id) or any(text == op.id for op in one.ops)]
        if not mine:
            hint = f"There are {counted(len(changes), 'pending change')}: ttmatrix pending list"
            raise UsageError(f"No pending change is called {text!r}", hint=hint)
        found |= {one.id: one for one in mine}
    return list(found.values()) if texts else list(changes)


def _print(changes: Sequence[Change], conflicts: dict[int, tuple[Conflict, ...]], context: Context) -> None:
    if not changes:
        context.console.note("no change is pending")
        return
    header = ("change", "decision", "test", "what", "why")
    rows = []
    for one in changes:
        why = "changed elsewhere too" if one.id in conflicts else "; ".join(filter(None, (one.note, one.restore_words)))
        for number, id in enumerate(dict.fromkeys(op.id for op in one.ops)):
            first = (str(one.id), str(one.decision)) if not number else ("", "")
            acts = "; ".join(_act(op) for op in one.ops if op.id == id)
            rows.append((*first, id, acts, why if not number else ""))
    context.console.table(header, rows)
    context.console.note(f"{counted(len(changes), 'pending change')}. {_NEXT}")


def _act(op: Operation) -> str:
    """`status = EXPECTED_PASSING`, `without reason`, `add`, `rename to NAME`."""
    field = ".".join(op.path)
    match op.op:
        case OpKind.SET:
            return f"{field} = {op.value}"
        case OpKind.UNSET:
            return f"without {field}"
        case OpKind.RENAME | OpKind.MOVE:
            return " ".join(filter(None, (str(op.op), field, "to", str(op.to))))
    return " ".join(filter(None, (str(op.op), field)))


def _document(change: Change, conflicts: Sequence[Conflict]) -> records.PendingChange:
    return records.PendingChange(
        id=change.id,
        decision=change.decision,
        tests=list(dict.fromkeys(op.id for op in change.ops)),
        note=change.note,
        evidence=list(change.evidence),
        grade=change.grade,
        grade_why=change.grade_why,
        restore_when_closed=issue_url(change.restore) if change.restore else "",
        ops=to_json(change.placed()),
        conflicts=[records.PendingConflict(id=one.id, file=one.file, path=list(one.path)) for one in conflicts],
    )
