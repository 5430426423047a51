# SPDX-License-Identifier: Apache-2.0
"""The verdict on a test's entry from its evidence: one pure function with its words, pinned by a table in its tests."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Decimal
from enum import Enum, StrEnum
from functools import lru_cache
from typing import NamedTuple

from core.base.text import counted, pcc_text
from core.domain.model import BringupStatus, Status
from core.evidence.observation import RAN, Ending, Observation, Origin, lowest
from core.evidence.reasons import alike, is_about_numbers, quotable, quoted_pcc, same_failure
from core.evidence.series import LEVEL, Gap, Series, gap_words, newest_start, turns
from core.evidence.verdicts.expected import Expected
from core.evidence.verdicts.policy import PccPolicy, Policy


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
    NEW = "new"
    """Has results, and no entry or none with a status."""
    MISSING = "missing"
    """Gone from the reports of its job, which has run others since."""


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
    grade: int = 0
    """How much the evidence weighs, from 1 to 5 (docs/ci-triage.md); 0 where the entry is not contradicted."""
    since: str = ""
    """The run since which it is so, as far as results have been read."""
    earlier: tuple[Observation, ...] = ()
    """The last results before that which ended alike, oldest first, as far as results have been read."""
    seen: tuple[Observation, ...] = ()
    """Its newest results, oldest first, of which `rows` decided."""
    first: Observation | None = None
    """The result of `since`; of what is gone, another one of its job; None: unknown."""

    @property
    def last_reported(self) -> Observation | None:
        """The last result before `since`; of what is gone, the last that a report has, not that of a run here."""
        gone = self.verdict is Verdict.MISSING
        return next((row for row in reversed(self.earlier) if not gone or row.origin is Origin.CI), None)

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
    stage = stage_of(rows)
    if stage is BringupStatus.INCORRECT_RESULT and _declares_numbers(expected):
        # That is what the entry declares, in whatever words.
        return None
    if stage is not None and expected.bringup in _ORDER and stage is not expected.bringup:
        further = _ORDER.index(stage) - _ORDER.index(expected.bringup)
        direction = Direction.FORWARD if further > 0 else Direction.BACK
        return Drift(direction, f"ends in {stage}, the entry says {expected.bringup}")
    if (reason := _other_reason(rows, expected)) is None:
        return None
    direction = Direction.FORWARD if stage is BringupStatus.INCORRECT_RESULT else Direction.SAME
    return Drift(direction, f"fails for another reason: {reason}")


def _declares_numbers(expected: Expected) -> bool:
    """Whether an entry says that the numbers are wrong: by its stage, or its reason where it has none."""
    if expected.bringup is None:
        return is_about_numbers(expected.reason)
    return expected.bringup is BringupStatus.INCORRECT_RESULT


def _is_declared(expected: Expected, rows: Sequence[Observation]) -> bool:
    """Whether low numbers are those for which an entry expects a failure: it speaks of numbers, and of no other one."""
    if expected.status is not Status.KNOWN_FAILURE_XFAIL:
        return False
    if not (_declares_numbers(expected) or is_about_numbers(expected.reason)):
        return False
    quoted, shown = quoted_pcc(expected.reason), lowest(rows)
    return quoted is None or shown is None or round(abs(quoted - shown), 9) <= LEVEL


def stage_of(rows: Sequence[Observation]) -> BringupStatus | None:
    """The one stage in which all of `rows` ended, as far as they give one."""
    known = {row.stage for row in rows if row.stage in _ORDER}
    if all(row.ending is Ending.INACCURATE for row in rows):
        return BringupStatus.INCORRECT_RESULT
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
    # Numbers closer together than the margin are one level: so are thresholds.
    if Decimal(str(level)) - Decimal(str(expected.required_pcc)) > Decimal(str(policy.margin)):
        return level
    if expected.pcc_checked:
        return None
    room = Decimal(str(lowest(measured))) - Decimal(str(policy.margin))
    if room > Decimal(str(expected.required_pcc)):
        return expected.required_pcc
    # A gate below the declared one is better than none.
    return level if level >= policy.lowest else None


def newest_level(rows: Sequence[Observation], policy: Policy) -> tuple[Sequence[Observation], bool]:
    """The results that thresholds may follow, and whether they may raise one.

    Those of the newest level of numbers, if as many as show something were of it, or of another one before; else all. A
    few good nights raise no bar.
    """
    start, least = newest_start(rows), policy.minimum_runs
    if max(start, len(rows) - start) < least:
        return rows, len(rows) >= least
    return rows[start:], True


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


def judge_alone(id: str, status: Status, results: Iterable[Observation], policy: Policy) -> list[Judgement]:
    """The verdict on each arch of what has no entry: `status` is expected everywhere. `results` are oldest first.

    Results that name no arch count where none does, as of unit tests.
    """
    seen: dict[str, list[Observation]] = {}
    for one in results:
        seen.setdefault(one.arch, []).append(one)
    if len(seen) > 1:
        seen.pop("", None)
    return judge(id, dict.fromkeys(seen, Expected(status, pcc_checked=False)), seen, policy)


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
        rows, gap = tuple(one.rows), expected[arch].gap
        since = gap.since if one.verdict is Verdict.MISSING and gap else rows[0].run if rows else ""
        grade, known = _grade(arch, one, said, gap.runs if gap else 0), seen.get(arch, ())
        found = one.verdict, one.why, rows, one.direction, one.required_pcc, pinned, grade, since, (), tuple(known)
        judgements.append(Judgement(id, arch, *found))
    return judgements


def with_history(one: Judgement, series: Series) -> Judgement:
    """`one` with the run since which it is so, and what was before, as far as `series` goes back."""
    if one.verdict is Verdict.MISSING or not one.rows:
        return replace(one, earlier=series.alike_before(len(series.rows)))
    at = next((at for at, row in enumerate(series.rows) if row == one.rows[0]), None)
    if at is None:
        return one
    # What keeps turning has no run since which it does.
    start = at if one.verdict is Verdict.FLAKY else series.start_of(at)
    first = series.rows[start]
    return replace(one, since=first.run, first=first, earlier=series.alike_before(start))


NO_DIFFERENCE = frozenset({Verdict.ACTIVE, Verdict.UNUSED, Verdict.UNKNOWN})
"""The verdicts that contradict no entry."""
_MOST_BY_NUMBER = 3
_MOST_WITHOUT_RESULT = 2
"""What is gone may hang, crash or have been left out: nights alone do not show which."""


def _grade(arch: str, one: "_CellVerdict", said: Mapping[str, "_CellVerdict"], missing: int) -> int:
    """One for each result up to three, and one more if machines, archs or a run here agree."""
    if one.verdict in NO_DIFFERENCE:
        return 0
    if one.verdict is Verdict.MISSING:
        return min(missing, _MOST_WITHOUT_RESULT)
    if one.verdict is Verdict.FLAKY:
        return 1
    hosts = {row.host for row in one.rows if row.host}
    here = any(row.origin is Origin.HERE for row in one.rows)
    # A run here agrees with CI where that has the same, or nothing any more.
    here = here and (bool(missing) or any(row.origin is Origin.CI for row in one.rows))
    broken = one.rows[-1].ending is not Ending.PASSED
    also = any(
        on != arch
        and other.rows
        and other.verdict not in NO_DIFFERENCE
        and (other.rows[-1].ending is not Ending.PASSED) is broken
        for on, other in said.items()
    )
    return min(len(one.rows), _MOST_BY_NUMBER) + (len(hosts) > 1 or here or also)


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
    if expected.status is _SKIP and not expected.supported:
        # It says why the archs that it supports are skipped, and nothing of this one.
        expected = replace(expected, status=Status.UNSPECIFIED)
    seen = [row for row in seen if row.host not in policy.ignored_hosts] if policy.ignored_hosts else seen
    if expected.gap is not None and expected.status is not Status.NOT_SUPPORTED_SKIP:
        return _missing(expected.gap, expected, seen)
    ran = [row for row in seen if row.ending in _RAN]
    rows = _here_since(expected.gap, seen) if expected.gap else _since_skipped(seen, ran)
    if ran and not rows:
        return _not_since(expected, seen, ran[-1])
    if not rows:
        return _too_few(expected, seen, rows, policy, older)
    tail = seen[-policy.minimum_runs :]
    if len(rows) >= policy.minimum_runs and all(row.ending is Ending.BROKEN for row in tail):
        why = f"the last {len(tail)} did not get to the model: {tail[-1].reason}"
        return _CellVerdict(Verdict.UNKNOWN, why, tail)
    found = _decided(expected, rows[-policy.window :], policy)
    if found.verdict not in NO_DIFFERENCE and (start := _behind_other_entries(expected, rows)):
        # A person who changes an entry knows what was before: only results since then contradict it.
        rows = rows[start:]
        if not rows:
            return _not_since(expected, seen, ran[-1])
        found = _decided(expected, rows[-policy.window :], policy)
    if found.verdict is Verdict.ACTIVE and len(rows) < policy.minimum_runs:
        # It contradicts nothing; that it holds is not shown either.
        return _too_few(expected, seen, rows, policy, older)
    return found


def _behind_other_entries(expected: Expected, rows: Sequence[Observation]) -> int:
    """The position behind the last of `rows` that ran under another entry."""
    return max((at for at, row in enumerate(rows, 1) if _ran_under_other(row, expected)), default=0)


def _ran_under_other(row: Observation, expected: Expected) -> bool:
    """Whether the entry had another status, check or threshold when it ran. A result without tags does not say it."""
    told = Status.UNSPECIFIED not in (row.expected, expected.status)
    return (
        (told and row.expected is not expected.status)
        or (row.pcc_checked is not None and row.pcc_checked is not expected.pcc_checked)
        or (row.pcc_required is not None and row.pcc_required != expected.required_pcc)
    )


def _not_since(expected: Expected, seen: Sequence[Observation], last: Observation) -> _CellVerdict:
    """The verdict where nothing ran since the entry is what it is; `last` is the last result before."""
    since = "not run since it is skipped" if expected.status is _SKIP else "no result under its present entry"
    shown = [row for row in seen[-_MOST_BEFORE:] if row.ending is Ending.NOT_RUN] or [last]
    return _CellVerdict(Verdict.UNKNOWN, f"{since}; {_ended_text(last, 'before that it')}", shown)


def _since_skipped(seen: Sequence[Observation], ran: list[Observation]) -> list[Observation]:
    """Those of `ran` that count: all since the entry says skip, or has last said so, forced runs among them.

    What a test did before it was skipped is why it is skipped, or was known then.
    """
    skipped = (at for at, row in enumerate(seen, 1) if row.ending is Ending.NOT_RUN and row.expected is _SKIP)
    if not (start := max(skipped, default=0)):
        return ran
    before = (at for at, row in enumerate(seen[:start], 1) if row.ending in _RAN and row.expected is not _SKIP)
    return [row for row in seen[max(before, default=0) :] if row.ending in _RAN]


_SKIP = Status.NOT_SUPPORTED_SKIP


def _here_since(gap: Gap, seen: Sequence[Observation]) -> list[Observation]:
    """The results of runs here since no report has had one."""
    return [row for row in seen if row.origin is Origin.HERE and row.when > gap.mentioned and row.ending in _RAN]


def _missing(gap: Gap, expected: Expected, seen: Sequence[Observation]) -> _CellVerdict:
    """What it is that keeps a cell from leaving results, if runs here have shown it since; else that it is missing."""
    why, here = gap_words(gap), _here_since(gap, seen)
    if here and here[-1].ending in (Ending.CRASHED, Ending.HUNG):
        shown = [row for row in here if row.ending in (Ending.CRASHED, Ending.HUNG)]
        kinds = [_KINDS[row.ending] for row in shown]
        found = _ended(kinds[-1], expected, shown, kinds)
        return replace(found, why=f"{found.why} here; {why}")
    if seen:
        why += f"; {_ended_text(seen[-1], 'here it' if here else 'before that it')}"
        why += f": {seen[-1].reason}" if here and seen[-1].reason else ""
    return _CellVerdict(Verdict.MISSING, why, seen[-_MOST_BEFORE:])


def _ended_text(row: Observation, subject: str) -> str:
    """`before that it passed in nightly-3`"""
    return f"{subject} {_ENDED.get(row.ending, row.ending.words)} in {row.run}"


_ENDED = {Ending.INACCURATE: "was inaccurate", Ending.SLOW: "was slow", Ending.OUT_OF_TIME: "ran out of time"}
_MOST_BEFORE = 3
"""So many of the last results before a gap are its proof."""


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
    if _Kind.BOTH in kinds[-policy.minimum_runs :]:
        return _flaky(kinds, rows)
    passed = [kind is _Kind.PASS for kind in kinds]
    turned = turns(passed)
    since = turned[-1] if turned else 0
    # The more often it has changed, the longer the last change must have lasted.
    unstable = len(rows) - since < policy.minimum_runs * (len(turned) - 1)
    # Where the newest behaviour begins is only looked for where it matters: it takes as long as all else here.
    if passed[-1] and not (unstable and _Kind.LOW in kinds):
        return _flaky(kinds, rows) if unstable else _passing(expected, rows[since:], policy)
    newest = newest_start(rows)
    if found := _around(expected, rows, kinds, newest, policy, unstable=unstable):
        return found
    if unstable:
        return _flaky(kinds, rows)
    return _failing(expected, rows[since:], kinds[since:], max(0, newest - since), policy)


def _around(
    expected: Expected,
    rows: Sequence[Observation],
    kinds: Sequence[_Kind],
    start: int,
    policy: Policy,
    *,
    unstable: bool,
) -> _CellVerdict | None:
    """The verdict on numbers around the threshold, which are one behaviour and not two; None if they are not.

    `start` is where the newest behaviour begins.
    """
    level = {*kinds[start:]}
    both_sides = level == _AROUND and (unstable or kinds[-1] is _Kind.LOW)
    if not both_sides and not (unstable and level == {_Kind.LOW} and {*kinds} == _AROUND):
        return None
    low = _low(expected, rows[start:], policy)
    if low and expected.status is Status.UNSPECIFIED:
        return replace(low, verdict=Verdict.NEW, why=f"{low.why}; {_NOTHING_EXPECTED}")
    return low


_AROUND = {_Kind.PASS, _Kind.LOW}


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
    """`the last failed`, `the last 3 failed`, or `the last 3: 2 failed, 1 crashed`"""
    if len(kinds) == 1:
        return f"the last {kinds[0].value}"
    words = _counted(kinds)
    return f"the last {words}" if len({*kinds}) == 1 else f"the last {len(kinds)}: {words}"


def _passing(expected: Expected, rows: Sequence[Observation], policy: Policy) -> _CellVerdict:
    why = f"passed {counted(len(rows), 'time')} in a row"
    if expected.expects_no_pass:
        return _CellVerdict(Verdict.STALE, why, rows)
    if expected.status is Status.UNSPECIFIED:
        return _CellVerdict(Verdict.NEW, f"{why}; {_NOTHING_EXPECTED}", rows)
    if expected.pcc_checked and expected.required_pcc >= policy.pcc.highest:
        return _CellVerdict(Verdict.ACTIVE, why, rows)
    level_rows, shown = newest_level(rows, policy)
    level = raised(level_rows, expected, policy.pcc) if shown else None
    if level is None:
        return _CellVerdict(Verdict.ACTIVE, why, rows)
    what = f"the threshold is {expected.required_pcc:g}" if expected.pcc_checked else "the check is off"
    why = f"passed {counted(len(level_rows), 'time')} in a row, PCC at least {_lowest_text(level_rows)}; {what}"
    return _CellVerdict(Verdict.PCC_LOOSE, why, level_rows, required_pcc=level)


_NOTHING_EXPECTED = "no entry says what to expect"


def _failing(
    expected: Expected, rows: Sequence[Observation], kinds: Sequence[_Kind], start: int, policy: Policy
) -> _CellVerdict:
    """`start` is where the newest behaviour begins."""
    if any(kind in _ENDING for kind in kinds[start:]):
        return _ended(kinds[-1], expected, rows[start:], kinds[start:])
    if len(rows) - start < policy.minimum_runs and (ended := [kind for kind in kinds if kind in _ENDING]):
        # It failed otherwise too, but not for long enough: a process that dies now and then is dead for CI.
        return _ended(ended[-1], expected, rows, kinds)
    if kinds[-1] is _Kind.SLOW:
        slow = [row for row, kind in zip(rows, kinds, strict=True) if kind is _Kind.SLOW]
        return _slow(slow, expected, _last(kinds))
    same, same_kinds = rows[start:], kinds[start:]
    if expected.status is Status.UNSPECIFIED:
        return _CellVerdict(Verdict.NEW, f"{_last(same_kinds)}; {_NOTHING_EXPECTED}", same)
    if same_kinds.count(_Kind.LOW) == len(same_kinds) and (low := _low(expected, same, policy)):
        if start or not _is_declared(expected, same) or len(same) >= policy.window:
            return low
        why = f"{_last(same_kinds)}, as expected; {policy.window} such results would show that it reaches"
        return _CellVerdict(Verdict.ACTIVE, f"{why} {low.required_pcc:g}", same)
    rows = [row for row, kind in zip(rows, kinds, strict=True) if kind is not _Kind.SLOW]
    if not expected.expects_no_pass:
        why = _last([kind for kind in kinds if kind is not _Kind.SLOW])
        reason = next((row.reason for row in reversed(rows) if row.reason), "")
        return _CellVerdict(Verdict.REGRESSED, f"{why}; {reason}" if reason else why, rows)
    why = _last(same_kinds)
    if (found := drift(same, expected)) is not None:
        return _CellVerdict(Verdict.DRIFTED, f"{why}; {found.why}", same, found.direction)
    if start and expected.status is not _SKIP and not expected.reason.strip() and _says_something(same[-1].reason):
        # Without a reason the entry agrees with any failure, so another one is a change of the results alone.
        why = f"{why}; otherwise than before, and the entry gives no reason: {same[-1].reason}"
        return _CellVerdict(Verdict.DRIFTED, why, same)
    return _CellVerdict(Verdict.ACTIVE, f"{why}, as expected", same)


_ENDING = (_Kind.CRASH, _Kind.HANG)


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
