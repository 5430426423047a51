# SPDX-License-Identifier: Apache-2.0
"""The verdict on a test's entry from its evidence: one pure function with its words, pinned by a table in its tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Decimal
from enum import Enum, StrEnum
from functools import lru_cache
from typing import NamedTuple

from core.evidence.observation import RAN, Ending, Observation, lowest
from core.evidence.reasons import alike, quotable, same_failure
from core.evidence.verdicts.expected import Expected
from core.evidence.verdicts.policy import PccPolicy, Policy
from core.model import BringupStatus, Status
from core.text import counted, pcc_text


class Verdict(StrEnum):
    """The verdict on an entry from the evidence of a cell."""

    STALE = "stale"
    """Passes on every arch on which it is not expected to pass."""
    SEMI_STALE = "semi-stale"
    """As stale, but only on some of the archs."""
    ACTIVE = "active"
    """The entry is true."""
    DRIFTED = "drifted"
    """Still fails, but for another reason or in another stage."""
    REGRESSED = "regressed"
    """Expected to pass, and fails: often enough, or more than once for one cause since the last pass."""
    FLAKY = "flaky"
    CRASH = "crash"
    HANG = "hang"
    SLOW = "slow"
    """Runs out of time without any sign of a hang."""
    PCC_LOOSE = "pcc-loose"
    """The check is off or its threshold lower than the measured numbers need."""
    PCC_TIGHT = "pcc-tight"
    """The threshold is higher than the measured numbers."""
    UNUSED = "unused"
    """No job selects the cell, or no scheduled job has produced a result."""
    UNKNOWN = "unknown"
    """Too little evidence."""


class Direction(StrEnum):
    """The direction in which a failure has moved."""

    FORWARD = "forward"
    BACK = "back"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on one cell with its proof."""

    id: str
    arch: str
    verdict: Verdict
    why: str
    """One line for people."""
    rows: tuple[Observation, ...]
    """The observations that decided, oldest first."""
    direction: Direction = Direction.SAME
    """For a drift: whether the model gets further than the entry says."""
    required_pcc: float | None = None
    """The threshold that the numbers allow, with two decimals; None if nothing is to change."""
    pinned: str = ""
    """Why a person pinned the entry; empty: nobody did."""

    @property
    def pcc(self) -> float | None:
        """The lowest PCC among the deciding rows."""
        return lowest(self.rows)


_ORDER = (
    BringupStatus.FAILED_FE_COMPILATION,
    BringupStatus.FAILED_TTMLIR_COMPILATION,
    BringupStatus.FAILED_RUNTIME,
    BringupStatus.INCORRECT_RESULT,
)


@dataclass(frozen=True, slots=True)
class Drift:
    """How failures differ from the entry."""

    direction: Direction
    why: str


def drift(rows: Sequence[Observation], expected: Expected) -> Drift | None:
    """How `rows`, all of them failures, differ from the entry; None if they do not, or if nothing is certain."""
    stage = _stage(rows)
    if stage is not None and expected.bringup in _ORDER and stage is not expected.bringup:
        further = _ORDER.index(stage) - _ORDER.index(expected.bringup)
        direction = Direction.FORWARD if further > 0 else Direction.BACK
        return Drift(direction, f"ends in {stage}, the entry says {expected.bringup}")
    if (reason := _other_reason(rows, expected)) is None:
        return None
    direction = Direction.FORWARD if stage is BringupStatus.INCORRECT_RESULT else Direction.SAME
    return Drift(direction, f"fails for another reason: {reason}")


def _stage(rows: Sequence[Observation]) -> BringupStatus | None:
    """The one stage in which all of `rows` ended, as far as they give one."""
    known = {row.stage for row in rows if row.stage in _ORDER}
    return known.pop() if len(known) == 1 else None


def _other_reason(rows: Sequence[Observation], expected: Expected) -> str | None:
    """The one reason that all of `rows` give, if the entry gives another."""
    # A declared reason or a message that can mean anything cannot be compared (docs/rules.md 5.1).
    with_reason = [row for row in rows if _says_something(row.reason)]
    if not with_reason or not _says_something(expected.reason) or any(row.ending is Ending.CRASHED for row in rows):
        return None
    newest, different = with_reason[-1], {(row.reason, row.raised): row for row in with_reason}.values()
    same = any(alike(expected.reason, text) for row in different for text in (row.reason, row.raised) if text)
    return None if same or not all(same_failure(newest, row) for row in different) else newest.reason


@lru_cache(maxsize=65536)
def _says_something(reason: str) -> bool:
    return bool(quotable(reason))


_STEP = Decimal("0.01")


def allowed(measured: float, policy: PccPolicy) -> float:
    """The highest threshold, in hundredths, that `measured` exceeds by more than the margin."""
    room = Decimal(str(measured)) - Decimal(str(policy.margin))
    level = room.quantize(_STEP, ROUND_FLOOR)
    # Strictly above, as in upstream's guidance.
    level -= _STEP if level == room else 0
    return float(min(level, Decimal(str(policy.highest))))


def raised(rows: Sequence[Observation], expected: Expected, policy: PccPolicy) -> float | None:
    """The threshold that passes allow to raise to, or to enable; None if nothing is to change.

    A PCC of 1 that means "close enough" does not raise a threshold by itself, and for training tests the tags only have
    the number of the forward pass (docs/rules.md 5.3, 11).
    """
    measured = [row for row in rows if not row.shortcut]
    if expected.training or not measured or any(row.pcc is None for row in measured):
        return None
    level = allowed(lowest(measured) or 0.0, policy)
    if level > expected.required_pcc:
        return level
    room = Decimal(str(lowest(measured))) - Decimal(str(policy.margin))
    enable = not expected.pcc_checked and room > Decimal(str(expected.required_pcc))
    return expected.required_pcc if enable else None


def lowered(rows: Sequence[Observation], expected: Expected, policy: PccPolicy) -> float | None:
    """The threshold that results below the present one still reach; None if that would be too low for any test."""
    numbers = [row.pcc for row in rows if row.pcc is not None]
    # A low result without a number had NaN.
    if not numbers or any(row.pcc is None for row in rows):
        return None
    level = allowed(min(numbers), policy)
    return level if policy.lowest <= level < expected.required_pcc else None


class _Kind(Enum):
    """What one result means under the present entry, whatever the entry was when it ran."""

    PASS = "passed"
    LOW = "below the threshold"
    """It ran to its end, with a number below the entry's threshold."""
    BOTH = "failed first, then passed"
    FAIL = "failed"
    CRASH = "crashed"
    HANG = "hung"
    SLOW = "out of time"
    """It did not end in time, whether it was working or hung."""


_MEASURED = (Ending.PASSED, Ending.INACCURATE)
_KINDS = {
    Ending.FLAKY: _Kind.BOTH,
    Ending.FAILED: _Kind.FAIL,
    Ending.CRASHED: _Kind.CRASH,
    Ending.HUNG: _Kind.HANG,
    Ending.SLOW: _Kind.SLOW,
    Ending.OUT_OF_TIME: _Kind.SLOW,
}
# `Enum.value` and the members of an enum are looked up again with every use.
_WORDS = tuple((kind, kind.value) for kind in _Kind)
# Compared one by one: hashing a member of an enum takes longer than all of that.
_RAN = tuple(sorted(RAN, key=list(Ending).index))


class Older(NamedTuple):
    """The number of older results of a cell, counted if few of the newest say something about the model."""

    not_run: int = 0
    broken: int = 0
    """They ended before the model ran."""


@dataclass(slots=True)
class _CellVerdict:
    """A verdict with its proof."""

    verdict: Verdict
    why: str
    rows: Sequence[Observation] = ()
    direction: Direction = Direction.SAME
    required_pcc: float | None = None


def judge(
    id: str,
    expected: Mapping[str, Expected],
    seen: Mapping[str, Sequence[Observation]],
    policy: Policy,
    pinned: str = "",
    older: Mapping[str, "Older"] = {},
) -> list[Judgement]:
    """The verdict on every cell of one test, in the order of `expected`.

    `expected`, `seen` and `older` are by arch; results are oldest first. `pinned` is the reason why the entry must not
    change: it does not affect verdicts, only what is proposed.
    """
    said = {arch: _alone(one, seen.get(arch, ()), policy, older.get(arch, Older())) for arch, one in expected.items()}
    open_archs = _disagreeing(expected, said, policy)
    judgements = []
    for arch, one in said.items():
        if one.verdict is Verdict.STALE and open_archs:
            not_shown = f"{one.why}; not shown on {', '.join(open_archs)}"
            one = replace(one, verdict=Verdict.SEMI_STALE, why=not_shown)
        rows = tuple(one.rows)
        judgements.append(Judgement(id, arch, one.verdict, one.why, rows, one.direction, one.required_pcc, pinned))
    return judgements


def _disagreeing(expected: Mapping[str, Expected], said: Mapping[str, _CellVerdict], policy: Policy) -> list[str]:
    """The archs that prevent a test from being stale everywhere: it is not expected to pass there, and has not."""
    return [
        arch
        for arch, one in expected.items()
        if one.expects_no_pass
        and (arch in policy.archs if policy.archs else one.supported)
        and said[arch].verdict is not Verdict.STALE
    ]


def _alone(expected: Expected, seen: Sequence[Observation], policy: Policy, older: Older) -> _CellVerdict:
    """The verdict on one cell, without the other archs; STALE if it passes against the entry."""
    if expected.status is Status.EXCLUDE_MODEL:
        return _CellVerdict(Verdict.UNUSED, "left out of every collection")
    seen = [row for row in seen if row.host not in policy.ignored_hosts] if policy.ignored_hosts else seen
    rows = [row for row in seen if row.ending in _RAN]
    if len(rows) < policy.minimum_runs:
        return _too_few(expected, seen, rows, policy, older)
    tail = seen[-policy.minimum_runs :]
    if tail[-1].ending is Ending.BROKEN and all(row.ending is Ending.BROKEN for row in tail):
        why = f"the last {len(tail)} did not get to the model: {tail[-1].reason}"
        return _CellVerdict(Verdict.UNKNOWN, why, tail)
    return _decided(expected, rows[-policy.window :], policy)


def _too_few(
    expected: Expected, seen: Sequence[Observation], rows: Sequence[Observation], policy: Policy, older: Older
) -> _CellVerdict:
    if rows:
        return _CellVerdict(
            Verdict.UNKNOWN, f"{len(rows)} of the {counted(policy.minimum_runs, 'result')} needed", rows
        )
    if expected.scheduled is False:
        return _CellVerdict(Verdict.UNUSED, "no scheduled job selects it", seen)
    if not seen and expected.silent_runs >= policy.minimum_runs:
        return _CellVerdict(
            Verdict.UNUSED, f"scheduled, but without a result in {counted(expected.silent_runs, 'run')} of its jobs"
        )
    if not seen:
        return _CellVerdict(Verdict.UNKNOWN, "no results")
    broken = sum(row.ending is Ending.BROKEN for row in seen) + older.broken
    skipped = len(seen) + older.not_run
    why = f"{broken} did not get to the model: {seen[-1].reason}" if broken else f"never run, {skipped} skipped"
    return _CellVerdict(Verdict.UNKNOWN, why, seen)


def _decided(expected: Expected, rows: Sequence[Observation], policy: Policy) -> _CellVerdict:
    kinds = [_kind(row, expected) for row in rows]
    low = kinds.count(_Kind.LOW)
    if 0 < low < len(kinds) == low + kinds.count(_Kind.PASS) and expected.status is not Status.UNSPECIFIED:
        # One number on both sides of a threshold, not two behaviours; unless it broke, and stayed so.
        said = _low(expected, rows, policy)
        if said is not None or kinds[-1] is _Kind.PASS:
            return said or _flaky(kinds, rows)
    if _Kind.BOTH in kinds:
        return _flaky(kinds, rows)
    passed = [kind is _Kind.PASS for kind in kinds]
    turns = [at for at in range(1, len(rows)) if passed[at] is not passed[at - 1]]
    if len(turns) > 1 or (turns and not _settled(expected, rows[turns[0] :], passed[-1], policy)):
        return _flaky(kinds, rows)
    # It has changed once and stayed so: results before the change no longer count.
    since = turns[0] if turns else 0
    rows, kinds = rows[since:], kinds[since:]
    return _passing(expected, rows, policy) if passed[-1] else _failing(expected, rows, kinds, policy)


def _settled(expected: Expected, since: Sequence[Observation], passed: bool, policy: Policy) -> bool:
    """Whether a single change is final: it has lasted long enough, or the failures since one night have one cause."""
    if len(since) >= policy.minimum_runs:
        return True
    broke = not passed and expected.status is Status.EXPECTED_PASSING
    return broke and len(since) > 1 and all(row.reason and same_failure(row, since[-1]) for row in since)


def _kind(row: Observation, expected: Expected) -> _Kind:
    ending = row.ending
    if ending not in _MEASURED:
        return _KINDS[ending]
    if not expected.pcc_checked:
        # A result without any number has no low PCC, and a NaN is no reason to expect a pass from now on.
        other = ending is Ending.INACCURATE and row.pcc is None
        return _Kind.LOW if other and (expected.expects_no_pass or row.pcc_required is None) else _Kind.PASS
    if row.pcc is None or row.pcc < expected.required_pcc:
        return _Kind.PASS if ending is Ending.PASSED and row.pcc is None else _Kind.LOW
    # The threshold may have been lowered since; a low number of another kind than PCC is not better because of that.
    lowered_since = row.pcc_required is not None and row.pcc < row.pcc_required
    return _Kind.PASS if ending is Ending.PASSED or lowered_since else _Kind.LOW


def _flaky(kinds: Sequence[_Kind], rows: Sequence[Observation]) -> _CellVerdict:
    return _CellVerdict(Verdict.FLAKY, f"of {len(rows)} results {_counted(kinds)}", rows)


def _counted(kinds: Sequence[_Kind]) -> str:
    """`3 passed, 1 failed`"""
    if kinds.count(kinds[0]) == len(kinds):
        return f"{len(kinds)} {kinds[0].value}"
    return ", ".join(f"{number} {word}" for kind, word in _WORDS if (number := kinds.count(kind)))


def _last(kinds: Sequence[_Kind]) -> str:
    """`the last 3 failed`, or `the last 3: 2 failed, 1 crashed`"""
    words = _counted(kinds)
    return f"the last {words}" if len({*kinds}) == 1 else f"the last {len(kinds)}: {words}"


def _passing(expected: Expected, rows: Sequence[Observation], policy: Policy) -> _CellVerdict:
    why = f"passed {counted(len(rows), 'time')} in a row"
    if expected.expects_no_pass:
        return _CellVerdict(Verdict.STALE, why, rows)
    if expected.status is Status.UNSPECIFIED:
        return _CellVerdict(Verdict.ACTIVE, f"{why}; the entry expects nothing", rows)
    if (level := raised(rows, expected, policy.pcc)) is not None:
        what = f"the threshold is {expected.required_pcc:g}" if expected.pcc_checked else "the check is off"
        return _CellVerdict(
            Verdict.PCC_LOOSE, f"{why}, PCC at least {_lowest_text(rows)}; {what}", rows, required_pcc=level
        )
    return _CellVerdict(Verdict.ACTIVE, why, rows)


def _failing(expected: Expected, rows: Sequence[Observation], kinds: Sequence[_Kind], policy: Policy) -> _CellVerdict:
    ended = [kind for kind in kinds if kind is _Kind.CRASH or kind is _Kind.HANG]
    if ended:
        return _ended(ended[-1], expected, rows, kinds)
    slow = [row for row, kind in zip(rows, kinds, strict=True) if kind is _Kind.SLOW]
    if slow and len(rows) - len(slow) < policy.minimum_runs:
        return _slow(slow, expected, _last(kinds))
    rows = [row for row in rows if row not in slow]
    kinds = [kind for kind in kinds if kind is not _Kind.SLOW]
    why = _last(kinds)
    if expected.status is Status.UNSPECIFIED:
        return _CellVerdict(Verdict.ACTIVE, f"{why}; the entry expects nothing", rows)
    if not expected.expects_no_pass:
        low = _low(expected, rows, policy) if kinds.count(_Kind.LOW) == len(kinds) else None
        reason = next((row.reason for row in reversed(rows) if row.reason), "")
        return low or _CellVerdict(Verdict.REGRESSED, f"{why}; {reason}" if reason else why, rows)
    if (found := drift(rows, expected)) is not None:
        return _CellVerdict(Verdict.DRIFTED, f"{why}; {found.why}", rows, found.direction)
    return _CellVerdict(Verdict.ACTIVE, f"{why}, as expected", rows)


def _ended(ended: _Kind, expected: Expected, rows: Sequence[Observation], kinds: Sequence[_Kind]) -> _CellVerdict:
    """The verdict on a crash or a hang: only an entry that says skip keeps CI from it (docs/rules.md 4.3)."""
    what = _last(kinds)
    if expected.status is Status.NOT_SUPPORTED_SKIP:
        return _CellVerdict(Verdict.ACTIVE, f"{what}; the entry says skip", rows)
    return _CellVerdict(Verdict.CRASH if ended is _Kind.CRASH else Verdict.HANG, what, rows)


def _slow(slow: Sequence[Observation], expected: Expected, what: str) -> _CellVerdict:
    """The verdict on timeouts: a time limit does not tell how the test would have ended."""
    if expected.status is Status.NOT_SUPPORTED_SKIP:
        return _CellVerdict(Verdict.ACTIVE, f"{what}; the entry says skip", slow)
    busy = [row.ending for row in slow].count(Ending.SLOW)
    progress = (
        f"{busy} of {len(slow)} were still working" if busy else "it is not known whether they were still working"
    )
    return _CellVerdict(Verdict.SLOW, f"{what}; {progress}", slow)


def _lowest_text(rows: Sequence[Observation]) -> str:
    found = lowest(rows)
    return "unknown" if found is None else pcc_text(found)


def _low(expected: Expected, rows: Sequence[Observation], policy: Policy) -> _CellVerdict | None:
    """A PCC verdict, if a lower but still useful threshold would be met; else None."""
    level = lowered(
        [row for row in rows if row.ending is not Ending.PASSED or row.pcc is not None], expected, policy.pcc
    )
    if level is None:
        return None
    down = f"PCC down to {_lowest_text(rows)} in {counted(len(rows), 'result')}"
    why = f"{down}; the threshold is {expected.required_pcc:g}"
    return _CellVerdict(Verdict.PCC_TIGHT, why, rows, required_pcc=level)
