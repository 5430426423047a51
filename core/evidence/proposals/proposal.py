# SPDX-License-Identifier: Apache-2.0
"""Proposals: for each test whose entry is not true, the operations that make it true on every arch with evidence."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from core.base.text import counted
from core.ci import Ci
from core.domain.model import Entry, Status
from core.edits import (
    MOST_GRADE,
    CellFacts,
    Operation,
    absent_files,
    fields_after,
    operations_for,
)
from core.edits.commit import cited, issues_in
from core.edits.pending import BaseEntry
from core.evidence.analysis import Due
from core.evidence.ending_fields import Fields
from core.evidence.observation import RAN, Ending, Origin
from core.evidence.proposals.causes import Cause, cause_of
from core.evidence.proposals.facts import Between, commit_ranges, facts_of
from core.evidence.proposals.rules import wanted
from core.evidence.reasons import signature
from core.evidence.summary import summary_of
from core.evidence.verdicts import NO_DIFFERENCE, Judgement, Policy, Verdict
from core.matrix import (
    UNWRITTEN,
    Matrix,
    acting,
    marked_archs,
    raw_value,
    resolve,
    status_on,
    supported_archs,
    with_fields,
)

_VERBS = {
    Ending.INACCURATE: "was inaccurate",
    Ending.FLAKY: "failed first and passed when repeated",
    Ending.SLOW: "was slow",
    Ending.OUT_OF_TIME: "ran out of time",
}


def grade_words(judgements: Sequence[Judgement], shared: int) -> str:
    """`failed 3 times in a row on n150, p150, 2 hosts; passed 40 to 41 times before; 24 other tests with this error
    since the same run`, as one line.

    `shared` other tests have the same cause since the same run.
    """
    alike: dict[tuple[tuple[Ending, ...], Ending | None], list[Judgement]] = {}
    for one in judgements:
        alike.setdefault((_endings(one), one.earlier[-1].ending if one.earlier else None), []).append(one)
    said = [_clause(endings, before, some) for (endings, before), some in alike.items()]
    others = f"{counted(shared, 'other test')} with this error since the same run" if shared else ""
    return "; ".join(filter(None, (*said, others)))


def _endings(one: Judgement) -> tuple[Ending, ...]:
    """How its results ended; none for what is gone."""
    if one.verdict is Verdict.MISSING:
        return ()
    found = {row.ending for row in one.rows}
    return tuple(ending for ending in Ending if ending in found and ending in RAN)


def _clause(endings: Sequence[Ending], before: Ending | None, judgements: Sequence[Judgement]) -> str:
    counts = [[sum(row.ending is ending for row in one.rows) for one in judgements] for ending in endings]
    now = " and ".join(_times(ending, many) for ending, many in zip(endings, counts, strict=True)) or "no result"
    in_a_row = " in a row" if len(endings) == 1 and max(counts[0]) > 1 else ""
    where = f" on {', '.join(one.arch for one in judgements)}{_places(judgements)}"
    then = f"; {_times(before, [len(one.earlier) for one in judgements])} before" if before else ""
    return f"{now}{in_a_row}{where}{then}"


def _times(ending: Ending, counts: Sequence[int]) -> str:
    """`failed once`, `passed 4 to 5 times`"""
    low, high = min(counts), max(counts)
    words = {1: "once", 2: "twice"}.get(low, f"{low} times") if low == high else f"{low} to {high} times"
    return f"{_VERBS.get(ending, ending.words)} {words}"


def _places(judgements: Sequence[Judgement]) -> str:
    """On how many machines, and whether runs here say the same."""
    rows = [row for one in judgements if one.verdict is not Verdict.MISSING for row in one.rows]
    hosts = {row.host for row in rows if row.host}
    here = any(row.origin is Origin.HERE for row in rows)
    return (f", {counted(len(hosts), 'host')}" if len(hosts) > 1 else "") + (", also here" if here else "")


_SHARED = 3
"""So many other tests with the same cause since the same run weigh as much as one more result."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Operations on the entry of one test with the evidence that justifies them."""

    id: str
    judgements: tuple[Judgement, ...]
    """The judgements that require it, in the order of the checkout's archs."""
    ops: tuple[Operation, ...]
    base: BaseEntry
    """The entry at the time of the proposal."""
    leaves: tuple[str, ...] = ()
    """Archs on which no scheduled CI job will select the test any more."""
    note: str = ""
    """How a value was computed, if no verdict says so."""

    shared: int = 0
    """How many other tests of the proposals fail with the same cause since the same run."""

    most_grade: int = MOST_GRADE
    """Its grade is no higher."""

    facts: tuple[CellFacts, ...] = ()
    """What a commit cites of each of its cells; none for an op case."""

    restore: str = ""
    """The issue, `owner/repository#number`, after whose end the entry is to be as before; empty: none is noted."""

    @property
    def grade(self) -> int:
        """From 1 to 5: how much the weakest of its judgements weighs, and one more if other tests show the same."""
        return min(self.most_grade, min((one.grade for one in self.judgements), default=1) + (self.shared >= _SHARED))

    @property
    def since(self) -> str:
        """The run since which it is so, on the first of its archs."""
        return next((one.since for one in self.judgements if one.since), "")

    @property
    def cause(self) -> Cause:
        """What it has in common with others."""
        return cause_of(self.judgements, self.ops)

    @property
    def archs(self) -> tuple[str, ...]:
        return tuple(one.arch for one in self.judgements)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        return tuple(dict.fromkeys(one.verdict for one in self.judgements))

    @property
    def why(self) -> str:
        """One line; if the test leaves CI, that comes first."""
        warning = f"Will leave CI on {', '.join(self.leaves)}: no scheduled job selects it. " if self.leaves else ""
        archs_by_why: dict[str, list[str]] = {}
        for one in self.judgements:
            archs_by_why.setdefault(one.why, []).append(one.arch)
        # What they end with in common, such as the error, is said once.
        ends = {why.partition("; ")[2] for why in archs_by_why}
        common = ends.pop() if len(archs_by_why) > 1 and len(ends) == 1 else ""
        said = [
            f"{', '.join(archs)}: {why.removesuffix(f'; {common}') if common else why}"
            for why, archs in archs_by_why.items()
        ]
        said += [common] if common else []
        return warning + "; ".join([*said, *([self.note] if self.note else [])])

    @property
    def grade_why(self) -> str:
        """What its grade rests on, in one line."""
        return grade_words(self.judgements, self.shared)

    @property
    def issues(self) -> tuple[str, ...]:
        """The issues that the reasons of the entry link to, before and after."""
        before = self.base.fields
        both = (with_fields(None, fields or {}) for fields in (before, fields_after(before, self.ops)))
        return tuple(dict.fromkeys(issue for entry in both for issue in cited(entry)))

    @property
    def evidence(self) -> tuple[str, ...]:
        """A line for each arch: the results, and their runs."""
        return tuple(_line(one) for one in self.judgements)


@dataclass(frozen=True, slots=True)
class NotProposed:
    """A cell whose entry is not true and for which nothing is proposed."""

    id: str
    arch: str
    verdict: Verdict
    why: str


def propose(
    matrix: Matrix,
    judgements: Iterable[Judgement],
    policy: Policy | None = None,
    *,
    ci: Ci | None = None,
    issue: str = "",
    ages: Mapping[str, int] | None = None,
    due: Iterable[Due] = (),
) -> tuple[tuple[Proposal, ...], tuple[NotProposed, ...]]:
    """One proposal for each test that needs one, by id; and the cells without a proposal, with the reason.

    Archs whose judgement requires no change keep their values: a promotion changes the entry itself only if each arch
    that the test is marked for has its own evidence. With `ci`, proposals name the archs on which they remove the test
    from CI. `issue` is a link that is appended to every new reason; `ages` are days since the status of an entry
    changed, by id, for the policy's days of grace. `due` are notes whose issue is closed: they are said with the
    proposal of their entry, else among the cells without one.
    """
    policy = policy or Policy()
    by_id: dict[str, list[Judgement]] = {}
    for one in judgements:
        by_id.setdefault(one.id, []).append(one)
    between = commit_ranges(matrix)
    found = {id: Found(some, *propose_for(matrix, id, some, policy, issue, between)) for id, some in by_id.items()}
    return put_together(matrix, found, policy, ci=ci, ages=ages, due=due)


class Found(NamedTuple):
    """What one test shows by itself."""

    judgements: Sequence[Judgement]
    proposals: Sequence[Proposal] = ()
    not_proposed: Sequence[NotProposed] = ()


def put_together(
    matrix: Matrix,
    found: Mapping[str, Found],
    policy: Policy,
    *,
    ci: Ci | None = None,
    ages: Mapping[str, int] | None = None,
    due: Iterable[Due] = (),
) -> tuple[tuple[Proposal, ...], tuple[NotProposed, ...]]:
    """What is proposed for all of these tests, by id, with what depends on others: see `propose`."""
    proposals: list[Proposal] = []
    not_proposed: list[NotProposed] = []
    for id in sorted(found):
        age = (ages or {}).get(id)
        made = found[id].proposals
        if age is not None and age < policy.grace_days:
            made = [_young(one, policy) if _IMPROVEMENTS.issuperset(one.verdicts) else one for one in made]
        proposals += made
        not_proposed += found[id].not_proposed
    proposals = _with_shared(proposals)
    said: dict[str, list[Due]] = {}
    for note in due:
        said.setdefault(note.id, []).append(note)
    proposals = [_with_notes(one, said[one.id]) if one.id in said else one for one in proposals]
    proposed = {one.id for one in proposals}
    alone = (note for id, notes in said.items() if id not in proposed for note in notes)
    not_proposed += [_noted(matrix, note, found[note.id].judgements if note.id in found else ()) for note in alone]
    return tuple(proposals if ci is None else with_ci_losses(matrix, ci, proposals)), tuple(not_proposed)


def _noted(matrix: Matrix, note: Due, judgements: Sequence[Judgement]) -> NotProposed:
    """A note about an entry without a proposal, with the first of the cells that it is about."""
    about = {fact.arch for fact in note.back.facts}
    if judgements:
        one = next((one for one in judgements if one.arch in about), judgements[0])
        return NotProposed(note.id, one.arch, one.verdict, note.words)
    archs = supported_archs(matrix.entries.get(note.id))
    return NotProposed(note.id, archs[0], Verdict.UNKNOWN, note.words)


def _with_notes(proposal: Proposal, due: Iterable[Due]) -> Proposal:
    return replace(proposal, note="; ".join(filter(None, (proposal.note, *(one.words for one in due)))))


def _young(proposal: Proposal, policy: Policy) -> Proposal:
    note = "; ".join(filter(None, (proposal.note, f"its status is younger than {policy.grace_days:g} days")))
    return replace(proposal, note=note, most_grade=_BY_A_PERSON)


_BY_A_PERSON = 1
_IMPROVEMENTS = frozenset({Verdict.STALE, Verdict.SEMI_STALE, Verdict.PCC_LOOSE, Verdict.DRIFTED})
"""What may wait: what was just declared failing may pass by chance. What turns red is no reason to wait."""


def propose_for(
    matrix: Matrix, id: str, judgements: Sequence[Judgement], policy: Policy, issue: str, between: Between
) -> tuple[Sequence[Proposal], Sequence[NotProposed]]:
    """What is proposed for one test, by its entry and these judgements alone; and its cells without a proposal."""
    entry = matrix.entries.get(id)
    marked = marked_archs(entry, matrix.schema.archs)
    found = {one.arch: one for one in judgements}
    by_arch = {arch: found[arch] for arch in matrix.schema.archs if arch in found}
    wish, reasons, cautions = _wishes(entry, by_arch, policy, issue)
    not_proposed = [NotProposed(id, arch, by_arch[arch].verdict, why) for arch, why in reasons.items()]
    if entry is not None:
        # An arch joins an entry with what it shows, but where it ends its process it is left out for a reason.
        wish = {arch: fields for arch, fields in wish.items() if arch in marked or not _ends_process(fields)}
    added = [arch for arch in by_arch if arch not in marked and (arch in wish or _agrees(entry, by_arch[arch]))]
    ops = operations_for(matrix, id, wish, added) if wish or added else ()
    if not ops:
        return [], not_proposed
    asking = tuple(one for arch, one in by_arch.items() if arch in wish or arch in added)
    if absent := absent_files(matrix, ops):
        why = f"it has no entry, and there is no file {' or '.join(absent)} for one"
        return [], [*not_proposed, *(NotProposed(id, one.arch, one.verdict, why) for one in asking)]
    base = BaseEntry(entry.file, id, entry.fields) if entry else BaseEntry(ops[0].file or "", id, None)
    note = "; ".join(filter(None, (_added_text(entry, added), _dropped_text(entry, asking, wish), *cautions)))
    most = _BY_A_PERSON if cautions else MOST_GRADE
    facts = facts_of(asking, entry, ops, between)
    return [Proposal(id, asking, ops, base, note=note, most_grade=most, facts=facts)], not_proposed


def _ends_process(fields: Fields) -> bool:
    return fields.get("status") == Status.NOT_SUPPORTED_SKIP


def _agrees(entry: Entry | None, judgement: Judgement) -> bool:
    """Whether results on an arch that an entry does not support agree with what it says elsewhere."""
    unchecked = resolve(entry, "assert_pcc", judgement.arch).value is False
    passing = (Ending.PASSED, Ending.INACCURATE) if unchecked else (Ending.PASSED,)
    ran = [row.ending in passing for row in judgement.rows if row.ending in RAN]
    if entry is None or not ran or judgement.verdict not in NO_DIFFERENCE:
        return False
    status = status_on(entry, judgement.arch)
    return all(ran) if status is Status.EXPECTED_PASSING else status is Status.KNOWN_FAILURE_XFAIL and not any(ran)


def _added_text(entry: Entry | None, added: Sequence[str]) -> str:
    return f"supported_archs gains {', '.join(added)}" if entry is not None and added else ""


def _dropped_text(entry: Entry | None, asking: Sequence[Judgement], wish: Mapping[str, Fields]) -> str:
    """The issues that a reason links to and the new one does not."""
    lost: dict[str, None] = {}
    for one in asking:
        fields, present = wish.get(one.arch, {}), resolve(entry, "reason", one.arch).value
        if "reason" in fields and isinstance(present, str):
            linked = set(issues_in(str(fields["reason"] or "")))
            lost.update(dict.fromkeys(issue for issue in issues_in(present) if issue not in linked))
    return f"no longer links {', '.join(map(str, lost))}" if lost else ""


def _with_shared(proposals: Sequence[Proposal]) -> list[Proposal]:
    """`proposals`, each with the number of others that fail with the same cause since the same run."""
    tests: dict[tuple[str, str], set[str]] = {}
    causes = [_causes(one) for one in proposals]
    for proposal, own in zip(proposals, causes, strict=True):
        for cause in own:
            tests.setdefault(cause, set()).add(proposal.id)
    shared = [max((len(tests[cause]) - 1 for cause in own), default=0) for own in causes]
    return [replace(one, shared=count) if count else one for one, count in zip(proposals, shared, strict=True)]


def _causes(proposal: Proposal) -> set[tuple[str, str]]:
    """The failures that it is about, each with the run since which it is so."""
    return {
        (signature(one.rows[-1].reason), one.since)
        for one in proposal.judgements
        if one.rows and one.since and one.rows[-1].ending is not Ending.PASSED and one.rows[-1].reason
    }


def _wishes(
    entry: Entry | None, by_arch: Mapping[str, Judgement], policy: Policy, issue: str
) -> tuple[dict[str, Fields], dict[str, str], tuple[str, ...]]:
    """The wanted fields by arch, the reasons of the archs without any, and what a person has to see to."""
    wish: dict[str, Fields] = {}
    not_proposed: dict[str, str] = {}
    cautions: dict[str, None] = {}
    for arch, judgement in by_arch.items():
        found = wanted(judgement, entry, policy, issue)
        if found.refusal:
            not_proposed[arch] = found.refusal
        elif fields := {name: value for name, value in found.fields.items() if _differs(entry, name, arch, value)}:
            wish[arch] = fields
            cautions |= {found.caution: None} if found.caution else {}
    return wish, not_proposed, tuple(cautions)


def _differs(entry: Entry | None, name: str, arch: str, value: object) -> bool:
    present = raw_value(entry, name, arch)
    return acting(name, present) != acting(name, UNWRITTEN if value is None else value)


def with_ci_losses(matrix: Matrix, ci: Ci, proposals: Sequence[Proposal]) -> list[Proposal]:
    """`proposals`, each with the archs on which it removes its test from CI."""
    after = ci_after(matrix, ci, {one.id: one.ops for one in proposals})
    left = ci.archs_left(after, (one.id for one in proposals))
    return [replace(one, leaves=left[one.id]) if one.id in left else one for one in proposals]


def ci_after(matrix: Matrix, ci: Ci, ops: Mapping[str, Iterable[Operation]]) -> Ci:
    """The jobs over the entries as they are after these operations, by id. No text is read or planned for that."""
    entries = dict(matrix.entries)
    for id, some in ops.items():
        entry = entries.get(id)
        fields = fields_after(entry.fields if entry else None, some)
        if fields is None:
            entries.pop(id, None)
        else:
            entries[id] = with_fields(entry or Entry(id, "", 0, 0), fields)
    return ci.under(entries)


def _line(judgement: Judgement) -> str:
    # For a local run its own id, so that retention keeps the runs that a pending change cites.
    runs = dict.fromkeys(row.job if row.origin is Origin.HERE and row.job else row.run for row in judgement.rows)
    strip = summary_of(judgement.arch, judgement.seen or judgement.rows).text
    return f"{judgement.id} on {strip}: {', '.join(filter(None, runs))}"
