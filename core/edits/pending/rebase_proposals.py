# SPDX-License-Identifier: Apache-2.0
"""Proposals made elsewhere or earlier, brought onto the files as they are now: followed, or refused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.edits.apply import ABSENT, Key, Present, digest
from core.edits.commit import committed_texts
from core.edits.operations import Rejection
from core.edits.pending.change import Change, Pending
from core.edits.pending.conflict import Conflict, conflicts
from core.edits.pending.proposals import ProposalFile, ProposedChange
from core.edits.pending.rebase import rebase
from core.edits.pending.state import PendingState, apply
from core.errors import UsageError
from core.matrix import Matrix, text_of
from core.sources import Git, parse_expectations
from core.text import counted, elide_middle, one_line

_SHORT = 10
_WIDEST_VALUE = 60


@dataclass(frozen=True, slots=True)
class RebasedProposals:
    """Proposals as they are on the present files."""

    proposed: ProposalFile
    rejected: tuple[Rejection, ...] = ()
    """Operations on fields that say neither what the proposal saw nor what it asks for."""
    notes: tuple[str, ...] = ()


def rebased_proposals(proposed: ProposalFile, matrix: Matrix) -> RebasedProposals:
    """Hold each proposal against the entry it was made on, as pending changes are after a pull.

    An entry that was renamed or moved since is followed; what is done already is dropped. Raises UsageError where the
    checkout's history does not have the commit that a proposal names.
    """
    present = Present(matrix.files)
    notes: list[str] = []
    made: list[ProposedChange] = []
    for commit in dict.fromkeys(one.commit for one in proposed.made):
        some = [one for one in proposed.made if one.commit == commit]
        if commit:
            notes += _unless_on(commit, matrix)
        made += some if _untouched(some, present) else _followed(some, commit, matrix, present, notes)
    found = [conflict for one in made for conflict in conflicts(one.change, present)]
    return RebasedProposals(ProposalFile(tuple(made)), tuple(_rejection(one) for one in found), tuple(notes))


def _untouched(made: Sequence[ProposedChange], present: Present) -> bool:
    return all(present.fields(base.key) == base.fields for one in made for base in one.change.bases)


def _unless_on(commit: str, matrix: Matrix) -> list[str]:
    """A note where the checkout is on another commit by now."""
    git = Git(matrix.checkout.root)
    head = git.head_commit()
    if not git.has(commit):
        raise UsageError(
            "The proposals were made on a commit that this checkout does not have",
            f"They name {one_line(commit)[:40]}; the checkout is on {head[:_SHORT]}.",
            "Fetch it with git, or make new proposals: ttmatrix propose",
        )
    if head == commit:
        return []
    return [f"made on {commit[:_SHORT]}, rebased onto {head[:_SHORT]}"]


def _followed(
    made: Sequence[ProposedChange], commit: str, matrix: Matrix, present: Present, notes: list[str]
) -> list[ProposedChange]:
    """As a pull does to pending changes: what was seen is what the commit has, and the entries as they were seen."""
    numbered = tuple(replace(one.change, id=at) for at, one in enumerate(made, 1))
    state = PendingState(Pending(numbered, next_id=len(made) + 1), seen=_seen(numbered, commit, matrix))
    event = rebase(state, present)
    if event is None:
        return list(made)
    notes += [f"renamed since: {one_line(old[1])} is {one_line(new[1])}" for old, new in event.renamed]
    if event.dropped:
        notes.append(f"done already: {counted(len(event.dropped), 'proposal')}")
    changes = apply(state, event).pending.changes
    return [replace(made[change.id - 1], change=change) for change in changes]


def _seen(changes: Sequence[Change], commit: str, matrix: Matrix) -> Mapping[Key, str]:
    """Digests of the entries as of `commit`, and of those that proposals saw as they saw them."""
    found = _committed(commit, matrix) if commit else {}
    for base in (base for change in changes for base in change.bases):
        found.pop(base.key, None)
        if base.fields is not None:
            found[base.key] = digest(base.fields)
    return found


def _committed(commit: str, matrix: Matrix) -> dict[Key, str]:
    checkout = matrix.checkout
    directory = checkout.relative(checkout.test_config)
    texts = committed_texts(Git(checkout.root), commit, directory, matrix.schema)
    placeholders = matrix.schema.placeholders_filename
    files = (
        parse_expectations(text, name, placeholder=name.rpartition("/")[2] == placeholders)
        for name, text in texts.items()
    )
    present = Present(files)
    return {(file, id): value for file, entries in present.digests.items() for id, value in entries.items()}


def _rejection(conflict: Conflict) -> Rejection:
    place = ".".join(conflict.path) or "the entry"
    was, now = (_value(side) for side in (conflict.base, conflict.theirs))
    return Rejection(conflict.op, f"{place} was {was} when this was proposed, and is {now} now")


def _value(side: object) -> str:
    if side is ABSENT:
        return "not there"
    return elide_middle(one_line(text_of(side)), _WIDEST_VALUE) or "empty"
