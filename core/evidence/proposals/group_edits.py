# SPDX-License-Identifier: Apache-2.0
"""One decision about all proposals of a group: a status, a reason and an issue for all of them, on chosen archs."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.ci import Ci
from core.domain.model import EXPECT_NO_PASS, Entry, Status
from core.edits import fields_after, operations_for
from core.edits.commit import issues_in
from core.edits.pending import BaseEntry
from core.evidence.ending_fields import Result, recommend
from core.evidence.observation import FAILURES
from core.evidence.proposals.proposal import Proposal, with_ci_losses
from core.evidence.proposals.rules import why_lower
from core.evidence.reasons import with_issue
from core.evidence.verdicts import Judgement
from core.matrix import UNWRITTEN, Matrix, raw_value, supports, values_on, with_fields

_THRESHOLDS = ("required_pcc", "assert_pcc")
_STAGE = "bringup_status"


@dataclass(frozen=True, slots=True)
class GroupEdit:
    """What is the same for a whole group; what is not named stays as it is proposed for each test."""

    status: Status | None = None
    reason: str = ""
    issue: str = ""
    """A link, which is appended to reasons."""
    archs: Collection[str] = ()
    """Only on these; empty: on all that each proposal is about."""


def edited(matrix: Matrix, ci: Ci, proposals: Iterable[Proposal], edit: GroupEdit) -> tuple[Proposal, ...]:
    """The proposals as `edit` wants them, without those of which nothing is left to change."""
    made = [one for proposal in proposals if (one := _edited(matrix, proposal, edit)) is not None]
    return tuple(with_ci_losses(matrix, ci, made)) if made else ()


def _edited(matrix: Matrix, proposal: Proposal, edit: GroupEdit) -> Proposal | None:
    entry = matrix.entries.get(proposal.id)
    after = with_fields(None, fields_after(proposal.base.fields, proposal.ops) or {})
    asking = tuple(one for one in proposal.judgements if not edit.archs or one.arch in edit.archs)
    wish = {one.arch: _wanted(one, entry, after, edit) for one in asking}
    added = [one.arch for one in asking if not supports(entry, one.arch)]
    ops = operations_for(matrix, proposal.id, wish, added) if asking else ()
    if not ops:
        return None
    base = BaseEntry(entry.file, entry.id, entry.fields) if entry else BaseEntry(ops[0].file or "", proposal.id, None)
    facts = tuple(fact for fact in proposal.facts if fact.arch in wish)
    return replace(proposal, judgements=asking, ops=ops, base=base, facts=facts)


def _wanted(one: Judgement, entry: Entry | None, after: Entry, edit: GroupEdit) -> Mapping[str, object]:
    """The fields of one cell: those that the proposal changes, with what the edit says in their place."""
    names = dict.fromkeys((*values_on(entry, one.arch), *values_on(after, one.arch)))
    fields = {
        name: None if (value := raw_value(after, name, one.arch)) is UNWRITTEN else value
        for name in names
        if name != "supported_archs" and raw_value(entry, name, one.arch) != raw_value(after, name, one.arch)
    }
    if edit.status is not None and fields.get("status") != edit.status:
        fields = _with_status(one, fields, edit.status)
    fields |= why_lower(one, entry, fields, edit.issue)
    if reason := _reason(one, after, fields, edit):
        fields["reason"] = reason
    return fields


def _reason(one: Judgement, after: Entry, fields: Mapping[str, object], edit: GroupEdit) -> str:
    """What is written as the reason; empty: nothing else than proposed.

    An issue goes behind it. Where a failure has none, the issue is the reason; one that stays and links an issue is
    not touched.
    """
    if reason := edit.reason or fields.get("reason"):
        return with_issue(str(reason), edit.issue)
    status = fields.get("status") or raw_value(after, "status", one.arch)
    if not edit.issue or status not in EXPECT_NO_PASS:
        return ""
    reason = UNWRITTEN if "reason" in fields else raw_value(after, "reason", one.arch)
    if not isinstance(reason, str) or not reason:
        return edit.issue
    return "" if issues_in(reason) else with_issue(reason, edit.issue)


def _with_status(one: Judgement, fields: Mapping[str, object], status: Status) -> dict[str, object]:
    """Another status than the proposed one: a threshold says nothing then, and what explains a failure stays."""
    unchanged = {
        name: value
        for name, value in fields.items()
        if name not in _THRESHOLDS and not (name in (_STAGE, "reason") and value is None)
    }
    failed = next((row for row in reversed(one.rows) if row.ending in FAILURES), None)
    known = recommend(Result.of(failed), numbers_were_right=True).fields if failed else None
    explained = {name: value for name, value in (known or {}).items() if name in (_STAGE, "reason")}
    return {**explained, **unchanged, "status": status.value}


def reasons_of(proposals: Iterable[Proposal]) -> Sequence[str]:
    """The different reasons that are proposed, the most frequent first."""
    found: Counter[str] = Counter()
    for proposal in proposals:
        after = with_fields(None, fields_after(proposal.base.fields, proposal.ops) or {})
        reasons = (raw_value(after, "reason", one.arch) for one in proposal.judgements)
        found.update({str(reason) for reason in reasons if reason not in (UNWRITTEN, None, "")})
    return [reason for reason, _ in found.most_common()]
