# SPDX-License-Identifier: Apache-2.0
"""Everything to decide about a checkout: proposals, the inbox, and machines that fail alone."""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from core.ci import Ci
from core.evidence.analysis import Due
from core.evidence.hosts import HostShare, Suspect, shares_of, suspects
from core.evidence.observation import Origin
from core.evidence.proposals.facts import Between, commit_ranges
from core.evidence.proposals.inbox import InboxItem, inbox_items
from core.evidence.proposals.op_rules import propose_for_cases
from core.evidence.proposals.proposal import Found, NotProposed, Proposal, propose_for, put_together
from core.evidence.verdicts import Judgement, OpVerdicts, Verdict, Verdicts

_AT_ONCE = 200
"""The results of so many tests are read together."""


@dataclass(frozen=True, slots=True)
class CaseEvidence:
    """The results of op cases, and the keys of the cases in the manifests, by id."""

    verdicts: OpVerdicts
    written: Mapping[str, Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class Worklist:
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


class Progress(NamedTuple):
    """How many of the tests that must be worked out again are."""

    done: int
    total: int


class _Worked(NamedTuple):
    """What one test shows by itself, as long as its stamp stays the same."""

    stamp: str
    found: Found
    shares: Sequence[HostShare]


class WorklistReader:
    """Works out what is to be decided, again and again: each time only for tests of which something has changed."""

    def __init__(self) -> None:
        self._known: dict[str, _Worked] = {}
        self._setting: object = None
        """What all tests depend on."""

    def read(
        self,
        verdicts: Verdicts,
        ci: Ci,
        *,
        cases: CaseEvidence | None = None,
        issue: str = "",
        ages: Mapping[str, int] | None = None,
        due: Iterable[Due] = (),
    ) -> Generator[Progress, None, Worklist]:
        """Propose for every test and op case with results, and list the entries with too little evidence.

        It can be left at any time: the next reading finds what this one has worked out.
        """
        matrix = verdicts.matrix
        with_results = [id for id in verdicts.seen if id in matrix.rows]
        silent = [id for id in matrix.entries if id in matrix.rows and id not in verdicts.seen]
        yield from self._work(verdicts, [*with_results, *silent], issue)
        asked = {id: self._known[id].found for id in with_results}
        proposals, not_proposed = put_together(matrix, asked, verdicts.policy, ci=ci, ages=ages, due=due)
        judgements = [one for id in (*with_results, *silent) for one in self._known[id].found.judgements]
        if cases is not None:
            of_cases, not_of_cases = propose_for_cases(cases.verdicts, cases.written)
            proposals, not_proposed = (*proposals, *of_cases), (*not_proposed, *not_of_cases)
            # Cases without a proposal match their manifests, or have too few results, which need no entry: their runs
            # are cheap.
            concerned = {one.id for one in of_cases} | {one.id for one in not_of_cases}
            judgements += [one for id in sorted(concerned) for one in cases.verdicts.judged[id]]
        items = inbox_items(judgements, proposals, not_proposed)
        return Worklist(
            proposals,
            not_proposed,
            items,
            suspects(share for id in with_results for share in self._known[id].shares),
            len(with_results) + (len(cases.verdicts.judged) if cases else 0),
            frozenset(one.id for one in items if worth_rerun(one, verdicts.policy.apply_grade)),
        )

    def _work(self, verdicts: Verdicts, ids: Sequence[str], issue: str) -> Iterator[Progress]:
        """Work out each of these tests that has changed."""
        matrix = verdicts.matrix
        setting = issue, matrix.schema.archs, [file.name for file in matrix.files]
        known = self._known if setting == self._setting else {}
        stamps = verdicts.stamps(ids)
        self._setting = setting
        self._known = {id: known[id] for id, stamp in stamps.items() if id in known and known[id].stamp == stamp}
        changed = [id for id in ids if id not in self._known]
        between, left, done = commit_ranges(matrix), iter(changed), 0
        while some := list(islice(left, _AT_ONCE)):
            for id, judgements in zip(some, verdicts.of_each(some), strict=True):
                self._known[id] = _worked(verdicts, id, stamps[id], judgements, issue, between)
                done += 1
                yield Progress(done, len(changed))


def _worked(
    verdicts: Verdicts, id: str, stamp: str, judgements: Sequence[Judgement], issue: str, between: Between
) -> _Worked:
    if id not in verdicts.seen:
        # Without results there is nothing to propose.
        return _Worked(stamp, Found(judgements), ())
    made = propose_for(verdicts.matrix, id, judgements, verdicts.policy, issue, between)
    return _Worked(stamp, Found(judgements, *made), shares_of(row for one in judgements for row in one.seen))


def worklist(
    verdicts: Verdicts,
    ci: Ci,
    *,
    cases: CaseEvidence | None = None,
    issue: str = "",
    ages: Mapping[str, int] | None = None,
    due: Iterable[Due] = (),
) -> Worklist:
    """What is to be decided, worked out at once: see `WorklistReader`."""
    return worked_out(WorklistReader().read(verdicts, ci, cases=cases, issue=issue, ages=ages, due=due))


def worked_out(steps: Generator[Progress, None, Worklist]) -> Worklist:
    """Take all of these steps."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            found: Worklist = end.value
            return found


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
