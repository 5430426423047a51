# SPDX-License-Identifier: Apache-2.0
"""The fields that a verdict requires for one cell, as the team writes them, or why a person must decide.

See docs/rules.md 7.3, 8.3.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from core.base.text import pcc_text
from core.domain.ids import TestId
from core.domain.model import BringupStatus, Entry, Status
from core.edits.commit import issues_in
from core.evidence.ending_fields import PROMOTED, UNCHECKED, Fields, Result, recommend
from core.evidence.observation import Ending, Observation
from core.evidence.reasons import alike, is_about_numbers, quotable, signature, with_issue
from core.evidence.series import newest_start
from core.evidence.verdicts import NO_DIFFERENCE, Judgement, Policy, Verdict, allowed, newest_level, stage_of
from core.matrix import resolve, status_on

_DEFAULT_PCC = 0.99
_STOPPED = (Ending.CRASHED, Ending.HUNG)
_FAILURES = (Ending.FAILED, *_STOPPED)


@dataclass(frozen=True, slots=True)
class WantedFields:
    """The wanted fields of one cell. Without fields and refusal, nothing is to change."""

    fields: Fields = field(default_factory=dict)
    refusal: str = ""
    """Why nothing is proposed although the entry is not true; a person must decide."""
    caution: str = ""
    """What a person has to see to before the change is accepted."""


_NOTHING = WantedFields()


def wanted(judgement: Judgement, entry: Entry | None, policy: Policy, issue: str = "") -> WantedFields:
    """The fields that `judgement` requires for a cell of `entry`; `issue` is appended to new reasons."""
    if judgement.verdict in NO_DIFFERENCE:
        return _NOTHING
    if judgement.pinned:
        return WantedFields(refusal=f"pinned: {judgement.pinned}")
    if judgement.verdict is Verdict.FLAKY:
        return WantedFields(
            refusal="some results pass and some fail, which no status means: rerun it, or pin it with a reason"
        )
    if judgement.verdict is Verdict.SLOW:
        return WantedFields(refusal="no status says that it takes too long: give it more time, or read its log")
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
    rows = judgement.rows
    if judgement.verdict is Verdict.MISSING:
        return _gone(judgement, entry, issue)
    # What it does now, even where it failed otherwise before: the next result is compared with that.
    ended = judgement.verdict in (Verdict.CRASH, Verdict.HANG)
    rows = rows if ended or not rows else rows[newest_start(rows) :]
    stopped = [row for row in rows if row.ending in _STOPPED]
    failed = [row for row in rows if row.ending in _FAILURES]
    return (
        _failing(judgement, entry, stopped or failed, issue)
        if failed
        else _measured(judgement, rows, entry, policy, issue)
    )


def _gone(judgement: Judgement, entry: Entry | None, issue: str) -> WantedFields:
    """A test that leaves no result hangs, or ends its process: only a skip keeps CI from it (docs/rules.md 4.3)."""
    reason = with_issue(f"No result since {judgement.since}: hangs or ends its process", issue)
    stage = {"bringup_status": None} if status_on(entry, judgement.arch) is Status.EXPECTED_PASSING else {}
    return WantedFields({"status": Status.NOT_SUPPORTED_SKIP.value, **stage, "reason": reason})


def _measured(
    judgement: Judgement, rows: Sequence[Observation], entry: Entry | None, policy: Policy, issue: str
) -> WantedFields:
    """Status, check and threshold together, for a test that runs to its end.

    Where its numbers reach a useful threshold it is expected to pass with that one. Where they are further off it is
    expected to fail, and never passes unchecked, unless its check is off already or it is a training test, whose
    results only have the numbers of the forward pass (docs/rules.md 4.6, 7.3).
    """
    arch = judgement.arch
    inaccurate = list(filter(_is_low, rows))
    gate = _gate(judgement, entry, policy)
    if gate is not None:
        found = {**_promoted(entry, arch, gate), "assert_pcc": None, **_threshold(gate)}
        return WantedFields({**found, **why_lower(judgement, entry, found, issue)})
    if not inaccurate:
        advice = recommend(Result.of(rows[-1]))
        return WantedFields(refusal=advice.why) if advice.fields is None else WantedFields(advice.fields)
    unchecked = resolve(entry, "assert_pcc", arch).value is False
    promoted = judgement.verdict in _PROMOTIONS
    if (promoted and not _is_inference(judgement.id)) or (unchecked and (promoted or judgement.verdict is Verdict.NEW)):
        return WantedFields({**PROMOTED, **UNCHECKED})
    return _failing(judgement, entry, inaccurate, issue)


_PASSES = (Verdict.STALE, Verdict.SEMI_STALE)
_PROMOTIONS = (*_PASSES, Verdict.DRIFTED)


def _promoted(entry: Entry | None, arch: str, gate: float) -> Fields:
    """What changes beside the threshold: what a reason and a stage explained is over, unless it is the numbers."""
    numbers = _stage_of(entry, arch) == BringupStatus.INCORRECT_RESULT or is_about_numbers(_reason_of(entry, arch))
    if numbers and gate < _DEFAULT_PCC:
        # They explain the low threshold as well, and may link to an issue.
        return {"status": PROMOTED["status"]}
    return PROMOTED if numbers or status_on(entry, arch) is not Status.EXPECTED_PASSING else {}


def _reason_of(entry: Entry | None, arch: str) -> str:
    found = resolve(entry, "reason", arch).value
    return found if isinstance(found, str) else ""


def _gate(judgement: Judgement, entry: Entry | None, policy: Policy) -> float | None:
    """The threshold for a test that runs to its end; None: its numbers reach none that is useful, or say nothing.

    For training tests, the tags only have the number of the forward pass, so that only one which is too low says
    something; a PCC of 1 that means "close enough" is no measurement (docs/rules.md 4.6, 11).
    """
    if judgement.required_pcc is not None:
        return judgement.required_pcc
    rows, shown = newest_level(judgement.rows, policy)
    measured = [row for row in rows if not row.shortcut]
    if not measured or any(row.pcc is None or not math.isfinite(row.pcc) for row in measured):
        return None
    if not _is_inference(judgement.id) and (judgement.verdict in _PROMOTIONS or not any(map(_is_low, measured))):
        return None
    lowest = min(row.pcc for row in measured if row.pcc is not None)
    level, declared = allowed(lowest, policy.pcc), _bar({"required_pcc": _declared_pcc(entry, judgement.arch)})
    # One good night raises no bar, and less room than a new threshold needs lowers none that holds.
    passes = judgement.verdict in _PASSES or all(row.ending is Ending.PASSED for row in measured)
    holds = passes and lowest >= declared
    if holds and (level < declared or not shown):
        return declared
    return level if level >= policy.pcc.lowest else None


def _is_low(row: Observation) -> bool:
    return row.ending is Ending.INACCURATE


def _declared_pcc(entry: Entry | None, arch: str) -> object:
    return resolve(entry, "required_pcc", arch).value


def _threshold(gate: float) -> Fields:
    """The default is not written (docs/rules.md 5.3)."""
    return {"required_pcc": None if gate >= _DEFAULT_PCC else gate}


def why_lower(judgement: Judgement, entry: Entry | None, fields: Fields, issue: str) -> Fields:
    """The stage and the reason that upstream's guide wants beside a lower threshold, where an issue is named for it."""
    declared = _bar({"required_pcc": _declared_pcc(entry, judgement.arch)})
    lower = "required_pcc" in fields and _bar(fields) < declared
    if not issue or judgement.verdict is not Verdict.PCC_TIGHT or not lower or judgement.pcc is None:
        return {}
    reason = f"PCC {pcc_text(judgement.pcc)}, below {declared:g}"
    return {"bringup_status": BringupStatus.INCORRECT_RESULT.value, "reason": with_issue(reason, issue)}


def _stage_of(entry: Entry | None, arch: str) -> str:
    return str(resolve(entry, "bringup_status", arch).value).upper()


def _failing(judgement: Judgement, entry: Entry | None, rows: Sequence[Observation], issue: str) -> WantedFields:
    """The fields for most of `rows`; a declared reason that is still true stays, because it may link to an issue."""
    row = _typical(rows)
    passing = status_on(entry, judgement.arch) is Status.EXPECTED_PASSING
    result = replace(Result.of(row), stage=stage_of(rows) or row.stage)
    found = recommend(result, stage_is_stale=passing, numbers_were_right=True)
    if found.fields is None:
        return _without_reason(judgement, entry, result, issue) or WantedFields(refusal=found.why)
    reason = str(found.fields["reason"])
    declared = resolve(entry, "reason", judgement.arch).value
    if isinstance(declared, str) and any(alike(declared, text) for text in (reason, row.raised) if text):
        return WantedFields({name: value for name, value in found.fields.items() if name != "reason"})
    return WantedFields({**found.fields, "reason": with_issue(reason, issue)})


def _without_reason(judgement: Judgement, entry: Entry | None, result: Result, issue: str) -> WantedFields | None:
    """The fields for a failure whose texts say nothing; None where the entry expects a failure already.

    "Error code: 13" is no reason (docs/rules.md 5.1), and the one that is written explains another status.
    """
    if status_on(entry, judgement.arch) is Status.KNOWN_FAILURE_XFAIL:
        return None
    found = recommend(replace(result, reason=_NO_REASON), stage_is_stale=True)
    if found.fields is None:
        return None
    return WantedFields({**found.fields, "reason": issue or None}, caution=_READ_THE_LOG)


_NO_REASON = "no reason"
_READ_THE_LOG = "its results say nothing but error code 13: read the log, and write the reason"


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
    """The newest of the results that agree with most, of those that say something."""
    rows = [row for row in rows if quotable(row.reason)] or rows
    counts = Counter(signature(row.reason) for row in rows)
    most = max(counts.values())
    return next(row for row in reversed(rows) if counts[signature(row.reason)] == most)


def _is_inference(id: str) -> bool:
    """Whether a test is not a training test, whose tags only have the forward pass's number (docs/rules.md 4.6)."""
    parsed = TestId.parse(id)
    return parsed is not None and parsed.mode == "inference"
