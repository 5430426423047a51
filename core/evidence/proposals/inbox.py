# SPDX-License-Identifier: Apache-2.0
"""The inbox: tests whose entries are not known to be true, and their proposals as changes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from core.edits.pending import Change, Decision, Pending
from core.evidence.observation import RAN, Observation
from core.evidence.proposals.causes import URGENCY, Cause, cause_of, most_urgent
from core.evidence.proposals.proposal import NotProposed, Proposal
from core.evidence.summary import Passes, passes_of
from core.evidence.verdicts import Judgement, Verdict


class Concern(StrEnum):
    """Why a test is listed."""

    DECIDE = "to decide"
    """There is a proposal."""
    NOT_PROPOSED = "not proposed"
    """Its entry is not true, and a person must decide what to write."""
    UNKNOWN = "unknown"
    """Too little evidence; runs would provide it."""
    BLIND = "blind spots"
    """No job produces results of it."""


@dataclass(frozen=True)
class InboxItem:
    """One test with its judgements and its proposal."""

    id: str
    concern: Concern
    judgements: tuple[Judgement, ...]
    """One for every arch."""
    proposal: Proposal | None = None
    not_proposed: tuple[NotProposed, ...] = ()

    @cached_property
    def verdict(self) -> Verdict:
        """The most urgent verdict among those that make it a concern."""
        return most_urgent(self.proposal.judgements if self.proposal else self.judgements)

    @cached_property
    def asking(self) -> tuple[Judgement, ...]:
        """The judgements that require a change; without a proposal, those with the most urgent verdict."""
        if self.proposal:
            return self.proposal.judgements
        return tuple(one for one in self.judgements if one.verdict is self.verdict)

    @cached_property
    def cause(self) -> Cause:
        """What it has in common with others."""
        return self.proposal.cause if self.proposal else cause_of(self.judgements, ())

    @cached_property
    def passes(self) -> Mapping[str, Passes]:
        """How many of these results passed, by arch."""
        return {arch: passes_of(rows) for arch, rows in self.results.items()}

    @cached_property
    def results(self) -> Mapping[str, Sequence[Observation]]:
        """The newest results that say something about the model, by arch; if none does, those that decided."""
        found = {one.arch: tuple(row for row in one.seen if row.ending in RAN) or one.rows for one in self.about}
        return {arch: rows for arch, rows in found.items() if rows}

    @cached_property
    def about(self) -> tuple[Judgement, ...]:
        """The judgements worth showing: those that require a change or have results."""
        archs = set(self.proposal.archs) if self.proposal else set()
        return tuple(one for one in self.judgements if one.arch in archs or one.rows or one.verdict is self.verdict)


def inbox_items(
    judgements: Iterable[Judgement], proposals: Iterable[Proposal], not_proposed: Iterable[NotProposed]
) -> tuple[InboxItem, ...]:
    """One item per test, unless its entry is true on every arch; most urgent first, then by id."""
    by_id: dict[str, list[Judgement]] = {}
    for one in judgements:
        by_id.setdefault(one.id, []).append(one)
    made = {one.id: one for one in proposals}
    refused: dict[str, list[NotProposed]] = {}
    for back in not_proposed:
        refused.setdefault(back.id, []).append(back)
    found = (
        InboxItem(id, concern, tuple(rows), made.get(id), tuple(refused.get(id, ())))
        for id, rows in by_id.items()
        if (concern := _concern(id, rows, made, refused)) is not None
    )
    return tuple(sorted(found, key=lambda one: (URGENCY.index(one.verdict), one.id)))


def _concern(
    id: str, rows: Sequence[Judgement], made: Mapping[str, object], refused: Mapping[str, object]
) -> Concern | None:
    if id in made:
        return Concern.DECIDE
    if id in refused:
        return Concern.NOT_PROPOSED
    verdicts = {one.verdict for one in rows}
    if Verdict.UNUSED in verdicts:
        return Concern.BLIND
    return Concern.UNKNOWN if Verdict.UNKNOWN in verdicts else None


def note_of(proposal: Proposal) -> str:
    """The note of a pending change about its origin: the verdict and the reason."""
    return f"{', '.join(proposal.verdicts)}: {proposal.why}"


def new_change(proposal: Proposal) -> Change:
    """The proposal as an undecided change."""
    return Change(
        proposal.ops,
        note_of(proposal),
        bases=(proposal.base,),
        evidence=proposal.evidence,
        facts=proposal.facts,
        restore=proposal.restore,
        cause=proposal.cause.text,
        grade=proposal.grade,
        grade_why=proposal.grade_why,
    )


def change_of(proposal: Proposal, pending: Pending) -> Change:
    """The proposal as a change: the pending change made from it, else a new undecided one."""
    fresh = new_change(proposal)
    return pending_change(fresh, pending.about(proposal.id)) or fresh


def pending_change(fresh: Change, about: Iterable[Change]) -> Change | None:
    """That of the pending changes `about` its entry which was made from a proposal; None: none was."""
    return next((one for one in about if _is(one, fresh)), None)


def _is(one: Change, fresh: Change) -> bool:
    """Whether a change was made from a proposal. A review only edits its operations, a schedule marker its note too."""
    return one.ops == fresh.ops or one.note == fresh.note or one.evidence == fresh.evidence != ()


def decided(changes: Iterable[Change]) -> tuple[int, int]:
    """The number of decided changes, and that of the others."""
    found = [one.decision is not Decision.UNDECIDED for one in changes]
    return sum(found), len(found) - sum(found)
