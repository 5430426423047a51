# SPDX-License-Identifier: Apache-2.0
"""What a test in the inbox has in common with others: a kind of change, its cause, and the run since which it is so."""

from enum import StrEnum
from typing import NamedTuple

from core.evidence.observation import Ending
from core.evidence.proposals.inbox import InboxItem
from core.evidence.reasons import signature
from core.evidence.verdicts import Judgement, Verdict


class CauseKind(StrEnum):
    """What happened, in the order in which a morning is worked through."""

    BROKE = "broke"
    GONE = "gone"
    FLAKY = "flaky"
    FIXED = "fixed"
    NUMBERS = "numbers"
    ADOPT = "to adopt"
    DRIFTED = "other failure"
    SLOW = "slow"
    REST = "other"


class Cause(NamedTuple):
    """What tests of one group have in common."""

    kind: CauseKind
    what: str
    """The failure without the numbers of one run, or what else is the same; empty: nothing more."""
    since: str
    """The run since which it is so; empty: unknown, or different for each."""
    newest: float
    """When that run was, in seconds since the epoch; 0: unknown."""


_KINDS = {
    Verdict.REGRESSED: CauseKind.BROKE,
    Verdict.CRASH: CauseKind.BROKE,
    Verdict.HANG: CauseKind.BROKE,
    Verdict.MISSING: CauseKind.GONE,
    Verdict.FLAKY: CauseKind.FLAKY,
    Verdict.STALE: CauseKind.FIXED,
    Verdict.SEMI_STALE: CauseKind.FIXED,
    Verdict.PCC_LOOSE: CauseKind.NUMBERS,
    Verdict.PCC_TIGHT: CauseKind.NUMBERS,
    Verdict.NEW: CauseKind.ADOPT,
    Verdict.DRIFTED: CauseKind.DRIFTED,
    Verdict.SLOW: CauseKind.SLOW,
}
_BY_RUN = (CauseKind.BROKE, CauseKind.GONE, CauseKind.FIXED, CauseKind.DRIFTED)
"""Kinds whose tests are apart if it began in different runs."""


def cause_of(item: InboxItem) -> Cause:
    """The cause of one test in the inbox, by the first of the judgements that make it a concern."""
    asking = item.proposal.judgements if item.proposal else item.judgements
    one = next((one for one in asking if one.verdict is item.verdict), None)
    kind = _KINDS.get(item.verdict, CauseKind.REST)
    if one is None:
        return Cause(kind, "", "", 0.0)
    by_run = kind in _BY_RUN
    when = one.rows[0].when if one.rows else 0.0
    return Cause(kind, _what(kind, one), one.since if by_run else "", when if by_run else 0.0)


def _what(kind: CauseKind, one: Judgement) -> str:
    newest = one.rows[-1] if one.rows else None
    match kind:
        case CauseKind.NUMBERS:
            return "lower threshold" if one.verdict is Verdict.PCC_TIGHT else "higher threshold, or the check on"
        case CauseKind.ADOPT if newest is not None and newest.ending is Ending.PASSED:
            return "passes"
        case CauseKind.ADOPT if newest is not None and newest.ending is Ending.INACCURATE:
            return "inaccurate"
        case CauseKind.BROKE | CauseKind.ADOPT | CauseKind.DRIFTED | CauseKind.FLAKY if newest is not None:
            return signature(newest.reason) or newest.ending.words
    return ""
