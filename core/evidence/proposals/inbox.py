# SPDX-License-Identifier: Apache-2.0
"""Everything to decide about a checkout: proposals, and the inbox of tests whose entries are not true."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.ci import Ci
from core.edits.pending import Change, Decision, Pending
from core.evidence.analysis import Due
from core.evidence.hosts import Suspect, suspects
from core.evidence.observation import Origin
from core.evidence.proposals.causes import URGENCY, Cause, cause_of, most_urgent
from core.evidence.proposals.op_rules import propose_for_cases
from core.evidence.proposals.proposal import NotProposed, Proposal, propose
from core.evidence.verdicts import Judgement, OpVerdicts, Verdict, Verdicts


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


@dataclass(frozen=True, slots=True)
class InboxItem:
    """One test with its judgements and its proposal."""

    id: str
    concern: Concern
    judgements: tuple[Judgement, ...]
    """One for every arch."""
    proposal: Proposal | None = None
    not_proposed: tuple[NotProposed, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The most urgent verdict among those that make it a concern."""
        return most_urgent(self.proposal.judgements if self.proposal else self.judgements)

    @property
    def asking(self) -> tuple[Judgement, ...]:
        """The judgements that require a change; without a proposal, those with the most urgent verdict."""
        if self.proposal:
            return self.proposal.judgements
        return tuple(one for one in self.judgements if one.verdict is self.verdict)

    @property
    def cause(self) -> Cause:
        """What it has in common with others."""
        return self.proposal.cause if self.proposal else cause_of(self.judgements, ())

    @property
    def about(self) -> tuple[Judgement, ...]:
        """The judgements worth showing: those that require a change or have results."""
        archs = set(self.proposal.archs) if self.proposal else set()
        return tuple(one for one in self.judgements if one.arch in archs or one.rows or one.verdict is self.verdict)


@dataclass(frozen=True, slots=True)
class CaseEvidence:
    """The results of op cases, and the keys of the cases in the manifests, by id."""

    verdicts: OpVerdicts
    written: Mapping[str, Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class Agenda:
    """The decisions to make about one checkout."""

    proposals: tuple[Proposal, ...] = ()
    not_proposed: tuple[NotProposed, ...] = ()
    items: tuple[InboxItem, ...] = ()
    """Every test whose entry is not known to be true, and every op case with a wrong manifest, most urgent first."""
    suspects: tuple[Suspect, ...] = ()
    tests: int = 0
    """How many tests have results."""
    reruns: frozenset[str] = frozenset()
    """The tests of which runs here would show more than reports do."""


def agenda(
    verdicts: Verdicts,
    ci: Ci,
    *,
    cases: CaseEvidence | None = None,
    issue: str = "",
    ages: Mapping[str, int] | None = None,
    due: Iterable[Due] = (),
) -> Agenda:
    """Propose for every test and op case with results, and list the entries with too little evidence."""
    matrix, judged = verdicts.matrix, verdicts.judged
    asked = [one for rows in judged.values() for one in rows]
    proposals, not_proposed = propose(matrix, asked, verdicts.policy, ci=ci, issue=issue, ages=ages, due=due)
    if cases is not None:
        of_cases, not_of_cases = propose_for_cases(cases.verdicts, cases.written)
        proposals, not_proposed = (*proposals, *of_cases), (*not_proposed, *not_of_cases)
        # Cases without a proposal match their manifests, or have too few results, which need no entry: their runs are
        # cheap.
        concerned = {one.id for one in of_cases} | {one.id for one in not_of_cases}
        asked += [one for id in sorted(concerned) for one in cases.verdicts.judged[id]]
    unjudged = [id for id in matrix.entries if id in matrix.rows and id not in judged]
    silent = [one for judgements in verdicts.of_each(unjudged) for one in judgements]
    items = inbox_items([*asked, *silent], proposals, not_proposed)
    return Agenda(
        proposals,
        not_proposed,
        items,
        suspects(verdicts.recent()),
        len(judged) + (len(cases.verdicts.judged) if cases else 0),
        frozenset(one.id for one in items if worth_rerun(one, verdicts.policy.apply_grade)),
    )


def worth_rerun(item: InboxItem, enough: int) -> bool:
    """Whether a run here would show more: the grade is below `enough` and can rise, it is flaky, or it is gone."""
    if item.verdict is Verdict.FLAKY:
        return True
    proposal = item.proposal
    if proposal is None or proposal.grade >= enough:
        return False
    missing = Verdict.MISSING in proposal.verdicts
    here = all(any(row.origin is Origin.HERE for row in one.rows) for one in proposal.judgements)
    return missing or (proposal.grade < proposal.most_grade and not here)


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


def change_of(proposal: Proposal, pending: Pending) -> Change:
    """The proposal as a change: the pending change made from it, else a new undecided one."""
    fresh = Change(
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
    return next((one for one in pending.about(proposal.id) if _is(one, fresh)), fresh)


def _is(one: Change, fresh: Change) -> bool:
    """Whether a change was made from a proposal. A review only edits its operations, a schedule marker its note too."""
    return one.ops == fresh.ops or one.note == fresh.note or one.evidence == fresh.evidence != ()


def decided(changes: Iterable[Change]) -> tuple[int, int]:
    """The number of decided changes, and that of the others."""
    found = [one.decision is not Decision.UNDECIDED for one in changes]
    return sum(found), len(found) - sum(found)
