# SPDX-License-Identifier: Apache-2.0
"""The fields that a verdict requires for one cell, as the team writes them, or why a person must decide.

See docs/rules.md 7.3, 8.3.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.edits.commit import issues_in
from core.evidence.ending_fields import PROMOTED, UNCHECKED, Fields, Result, recommend
from core.evidence.observation import Ending, Observation
from core.evidence.reasons import alike, signature
from core.evidence.verdicts import Judgement, PccPolicy, Policy, Verdict, allowed
from core.ids import TestId
from core.matrix import resolve, status_on
from core.model import BringupStatus, Entry, Status
from core.text import counted

_DEFAULT_PCC = 0.99
_STOPPED = (Ending.CRASHED, Ending.HUNG)
_FAILURES = (Ending.FAILED, *_STOPPED)
_BROKEN = (Verdict.REGRESSED, Verdict.CRASH, Verdict.HANG)
_NUMBERS = (Verdict.PCC_LOOSE, Verdict.PCC_TIGHT)


@dataclass(frozen=True, slots=True)
class WantedFields:
    """The wanted fields of one cell. Without fields and refusal, nothing is to change."""

    fields: Fields = field(default_factory=dict)
    refusal: str = ""
    """Why nothing is proposed although the entry is not true; a person must decide."""


_NOTHING = WantedFields()


def wanted(judgement: Judgement, entry: Entry | None, policy: Policy, issue: str = "") -> WantedFields:
    """The fields that `judgement` requires for a cell of `entry`; `issue` is appended to new reasons."""
    if judgement.verdict in (Verdict.ACTIVE, Verdict.UNUSED, Verdict.UNKNOWN):
        return _NOTHING
    if judgement.pinned:
        return WantedFields(refusal=f"pinned: {judgement.pinned}")
    if judgement.verdict is Verdict.FLAKY:
        return WantedFields(
            refusal="some results pass and some fail, which no status means: rerun it, or pin it with a reason"
        )
    if judgement.verdict is Verdict.SLOW:
        return WantedFields(refusal="no status says that it takes too long: give it more time, or read its log")
    if judgement.verdict in _BROKEN and len(judgement.rows) < policy.minimum_runs:
        why = f"{len(judgement.rows)} of the {counted(policy.minimum_runs, 'result')} needed to expect something else"
        return WantedFields(refusal=why)
    found = _fields(judgement, entry, policy, issue)
    return WantedFields(refusal=why) if (why := _refused(judgement, found.fields, entry, policy)) else found


def _refused(judgement: Judgement, fields: Fields, entry: Entry | None, policy: Policy) -> str:
    """Why the policy leaves the decision to a person; empty: it does not."""
    if policy.must(judgement.id) and _asks_less(fields, entry, judgement.arch):
        return "it is on the list of tests that must pass"
    failing = "status" in fields and fields["status"] != Status.EXPECTED_PASSING
    reason = fields.get("reason") or resolve(entry, "reason", judgement.arch).value
    if policy.require_issue and failing and not issues_in(str(reason or "")):
        return "a test that is expected to fail has to link an issue: name one with --issue"
    return ""


def _fields(judgement: Judgement, entry: Entry | None, policy: Policy, issue: str) -> WantedFields:
    if judgement.verdict in _NUMBERS:
        return WantedFields(_numbers(judgement, entry))
    rows = judgement.rows
    stopped = [row for row in rows if row.ending in _STOPPED]
    if judgement.verdict in (Verdict.CRASH, Verdict.HANG):
        return _failing(judgement, entry, stopped or rows, issue)
    failed = [row for row in rows if row.ending in _FAILURES]
    inaccurate = [row for row in rows if row.ending is Ending.INACCURATE]
    if failed:
        return _failing(judgement, entry, stopped or failed, issue)
    if inaccurate:
        return _inaccurate(judgement, entry, inaccurate, policy.pcc, issue)
    found = recommend(Result.of(rows[-1]))
    return WantedFields(refusal=found.why) if found.fields is None else WantedFields(found.fields)


def _numbers(judgement: Judgement, entry: Entry | None) -> Fields:
    """The threshold that the numbers allow; if they allow none, turn the check off."""
    if judgement.required_pcc is None:
        return UNCHECKED if judgement.verdict is Verdict.PCC_TIGHT else {}
    checked = {"assert_pcc": None, "required_pcc": _written(judgement.required_pcc)}
    stage = resolve(entry, "bringup_status", judgement.arch).value
    # Stage and reason of an entry with its check off explain why it is off.
    promoted = PROMOTED if str(stage).upper() == BringupStatus.INCORRECT_RESULT else {}
    return {**promoted, **checked}


def _inaccurate(
    judgement: Judgement, entry: Entry | None, rows: Sequence[Observation], policy: PccPolicy, issue: str
) -> WantedFields:
    """For a test that runs to its end with wrong numbers: expect a pass, with the threshold that the numbers reach.

    A test that was accurate before and is far off now must not be hidden that way: it is expected to fail.
    """
    threshold = _allowed(judgement, policy)
    if threshold is not None:
        return WantedFields({**PROMOTED, "assert_pcc": None, "required_pcc": _written(threshold)})
    if judgement.verdict is Verdict.REGRESSED:
        return _failing(judgement, entry, rows, issue)
    return WantedFields({**PROMOTED, **UNCHECKED})


def _failing(judgement: Judgement, entry: Entry | None, rows: Sequence[Observation], issue: str) -> WantedFields:
    """The fields for most of `rows`; a declared reason that is still true stays, because it may link to an issue."""
    row = _typical(rows)
    passing = status_on(entry, judgement.arch) is Status.EXPECTED_PASSING
    found = recommend(Result.of(row), stage_is_stale=passing, numbers_were_right=True)
    if found.fields is None:
        return WantedFields(refusal=found.why)
    reason = str(found.fields["reason"])
    declared = resolve(entry, "reason", judgement.arch).value
    if isinstance(declared, str) and any(alike(declared, text) for text in (reason, row.raised) if text):
        return WantedFields({name: value for name, value in found.fields.items() if name != "reason"})
    return WantedFields({**found.fields, "reason": with_issue(reason, issue)})


def with_issue(reason: str, issue: str) -> str:
    """A reason with a link to an issue, in the form that the team uses most (docs/rules.md 2.7)."""
    return f"{reason} - {issue}" if issue and issue not in reason else reason


def _asks_less(fields: Fields, entry: Entry | None, arch: str) -> bool:
    """Whether a cell that is expected to pass would no longer be, or would get a lower threshold."""
    present = {name: resolve(entry, name, arch).value for name in ("assert_pcc", "required_pcc")}
    failing = fields.get("status", Status.EXPECTED_PASSING) != Status.EXPECTED_PASSING
    return failing or _bar({**present, **fields}) < _bar(present)


def _bar(fields: Fields) -> float:
    if fields.get("assert_pcc") is False:
        return -math.inf
    value = fields.get("required_pcc")
    return float(value) if isinstance(value, int | float) else _DEFAULT_PCC


def _typical(rows: Sequence[Observation]) -> Observation:
    """The newest of the results that agree with most."""
    counts = Counter(signature(row.reason) for row in rows)
    most = max(counts.values())
    return next(row for row in reversed(rows) if counts[signature(row.reason)] == most)


def _allowed(judgement: Judgement, policy: PccPolicy) -> float | None:
    """The threshold that the lowest number allows; None if that is too low to be useful."""
    if judgement.pcc is None or not math.isfinite(judgement.pcc) or not _is_inference(judgement.id):
        return None
    found = allowed(judgement.pcc, policy)
    return found if found >= policy.lowest else None


def _written(threshold: float) -> float | None:
    """The threshold to write: the default is not written (docs/rules.md 5.3)."""
    return None if threshold >= _DEFAULT_PCC else threshold


def _is_inference(id: str) -> bool:
    """Whether a test is not a training test, whose tags only have the forward pass's number (docs/rules.md 4.6)."""
    parsed = TestId.parse(id)
    return parsed is not None and parsed.mode == "inference"
