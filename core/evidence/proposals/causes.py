# SPDX-License-Identifier: Apache-2.0
"""What a test in the inbox has in common with others: a kind of change, its cause, and the run since which it is so."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from core.edits import Operation
from core.evidence.observation import Ending
from core.evidence.reasons import signature
from core.evidence.verdicts import Judgement, Verdict

URGENCY: Sequence[Verdict] = (
    Verdict.REGRESSED,
    Verdict.CRASH,
    Verdict.HANG,
    Verdict.MISSING,
    Verdict.PCC_TIGHT,
    Verdict.NEW,
    Verdict.STALE,
    Verdict.SEMI_STALE,
    Verdict.DRIFTED,
    Verdict.PCC_LOOSE,
    Verdict.FLAKY,
    Verdict.SLOW,
    Verdict.UNUSED,
    Verdict.UNKNOWN,
    Verdict.ACTIVE,
)
"""Verdicts that make CI red come before possible improvements."""


class CauseKind(StrEnum):
    """What happened, in the order in which a morning is worked through."""

    BROKE = "broke"
    GONE = "gone"
    FLAKY = "flaky"
    FIXED = "fixed"
    NUMBERS = "numbers"
    ADOPT = "to adopt"
    DRIFTED = "drifted"
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
    """When it began on that test, in seconds since the epoch; 0: unknown."""

    @property
    def text(self) -> str:
        """`broke since nightly-9: Out of Memory`, for a heading or a commit."""
        kind = "new" if self.kind is CauseKind.ADOPT else self.kind.value
        since = f" since {self.since}" if self.since else ""
        return f"{kind}{since}{f': {self.what}' if self.what else ''}"


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


def most_urgent(judgements: Iterable[Judgement]) -> Verdict:
    """The verdict that comes first in a morning."""
    return min((one.verdict for one in judgements), key=URGENCY.index)


def belongs_to(one: Judgement, cause: Cause) -> bool:
    """Whether a judgement is of the kind of a cause: the others on a test are not what its group has in common."""
    return _KINDS.get(one.verdict, CauseKind.REST) is cause.kind


def cause_of(asking: Sequence[Judgement], ops: Sequence[Operation]) -> Cause:
    """The cause of one test, by the first of the most urgent judgements on it; `ops` are what is proposed for it."""
    verdict = most_urgent(asking)
    one = next(one for one in asking if one.verdict is verdict)
    kind = _KINDS.get(verdict, CauseKind.REST)
    since = one.since if kind in _BY_RUN else ""
    # Of what is gone there are only results from before.
    began = one.rows[-1 if kind is CauseKind.GONE else 0].when if one.rows else 0.0
    return Cause(kind, _what(kind, one, ops), since, began)


def _what(kind: CauseKind, one: Judgement, ops: Sequence[Operation]) -> str:
    """What is the same for tests of one kind: a failure, the sort of change, or nothing."""
    match kind:
        case CauseKind.NUMBERS if one.verdict is Verdict.PCC_TIGHT:
            return "lower threshold"
        case CauseKind.NUMBERS:
            return "check on" if "assert_pcc" in _fields_of(ops) else "higher threshold"
        case CauseKind.ADOPT if one.rows and one.rows[-1].ending is Ending.PASSED:
            return "passes"
        case CauseKind.ADOPT if one.rows and one.rows[-1].ending is Ending.INACCURATE:
            return "near miss" if "required_pcc" in _fields_of(ops) else "wrong numbers"
        case CauseKind.BROKE | CauseKind.ADOPT | CauseKind.DRIFTED | CauseKind.FLAKY if one.rows:
            failed = next((row for row in reversed(one.rows) if row.reason), one.rows[-1])
            return signature(failed.reason) or failed.ending.words
    return ""


def _fields_of(ops: Iterable[Operation]) -> set[str]:
    """The names of the fields that operations change, of an entry or of its overrides."""
    found: set[str] = set()
    for op in ops:
        found.update(op.path[-1:], op.value if isinstance(op.value, dict) else ())
    return found
