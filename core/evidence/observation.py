# SPDX-License-Identifier: Apache-2.0
"""One observation: the result of one execution of one cell, here or in CI."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from core.domain.model import BringupStatus, Status


class Ending(StrEnum):
    """How the model ended in one execution; decided by testcase and tags, never by the status.

    See docs/rules.md 4.4.
    """

    PASSED = "passed"
    """It ran to its end, and every measured number is good enough."""
    INACCURATE = "inaccurate"
    """It ran to its end, and a comparison is below its threshold, whether or not it was asserted."""
    FLAKY = "flaky"
    """It failed first and passed when it was repeated within its session: neither a pass nor a failure."""
    FAILED = "failed"
    """It raised."""
    CRASHED = "crashed"
    """Its process was ended by a signal, or exited by itself."""
    HUNG = "hung"
    """It was stopped after a time without output and without work."""
    SLOW = "slow"
    """It was stopped by a time limit while it was still working."""
    OUT_OF_TIME = "out_of_time"
    """It was stopped by a time limit, and it is unknown whether it was busy or hung."""
    NOT_RUN = "not_run"
    """Skipped before the model ran: by its entry, its LLM combination or its arch."""
    BROKEN = "broken"
    """Setup, requirements or the loader's construction failed: says nothing about the model (docs/rules.md 4.1)."""

    @property
    def words(self) -> str:
        """As people read it: `out of time`."""
        return self.value.replace("_", " ")


RAN = frozenset(Ending) - {Ending.NOT_RUN, Ending.BROKEN}
"""The endings that say something about the model."""
FAILURES = RAN - {Ending.PASSED, Ending.FLAKY}


def is_as_expected(ending: Ending, expected: Status, checked: bool | None) -> bool:
    """Whether a result is the one that the entry asked for when it ran (docs/rules.md 4.4).

    `checked`: whether the PCC was asserted. A result that says nothing about the model is not as expected.
    """
    if ending not in RAN or ending is Ending.FLAKY:
        return False
    match expected:
        case Status.KNOWN_FAILURE_XFAIL:
            # A process that dies cannot be an expected failure.
            return ending in (Ending.FAILED, Ending.INACCURATE)
        case Status.NOT_SUPPORTED_SKIP:
            return ending is not Ending.PASSED
    return ending is Ending.PASSED or (ending is Ending.INACCURATE and checked is False)


class Origin(StrEnum):
    """Where an observation comes from."""

    CI = "ci"
    HERE = "here"


@dataclass(frozen=True, slots=True)
class CaseNumbers:
    """Numbers that only a result of an op case has."""

    status: str
    """The plugin's status (docs/ops.md); for a duplicate, that of the case that represents it."""
    key: str
    """The digest of the computation (docs/ops.md); empty: it was not run."""
    rtol: float
    """The tolerances in its manifest."""
    atol: float
    max_abs: float | None = None
    """The greatest absolute error of an element; the next field is relative to the reference; None: not measured."""
    max_rel: float | None = None
    mismatched: float | None = None
    """Percentage of the elements."""
    pcc: float | None = None
    dup_of: str = ""
    """The case that represents it."""
    device: str = ""
    torch: str = ""


# Not frozen, although nothing changes one: a frozen one takes 6.8 us to make instead of 1.1, and a nightly of 4,000
# cells is judged by 40,000 of them.
@dataclass(slots=True, unsafe_hash=True)
class Observation:
    """The result of one execution of one cell. Of several attempts in one run, only the last is an observation.

    The cell of an op case is its id and a backend, in place of the arch of model tests.
    """

    test_id: str
    function: str
    arch: str
    """Empty if neither tags, path nor person gave it. For an op case, the backend."""
    origin: Origin
    run: str
    """The name of the run it belongs to: a nightly, a batch."""
    when: float
    """Seconds since the epoch."""
    host: str
    ending: Ending
    expected: Status
    """The expected status at the time it ran."""
    forced: bool
    """It ran although its entry says skip, so the tags describe the entry and not the run (docs/rules.md 4.4)."""
    stage: BringupStatus
    """How far it got; UNKNOWN if nothing reliable says so."""
    reason: str
    """The line that an entry would quote, verbatim and plain; empty if it passed."""
    seconds: float
    pcc: float | None = None
    """The lowest known PCC. For a training test, the tags only have that of the forward pass (docs/rules.md 4.6)."""
    pcc_required: float | None = None
    pcc_checked: bool | None = None
    shortcut: bool = False
    """`pcc` is exactly 1 because values were close enough: no measurement (docs/rules.md 11)."""
    guidance: tuple[str, ...] = ()
    signal: int | None = None
    attempts: int = 1
    job: str = ""
    """The CI job, or the id of the run here."""
    source: str = ""
    """The file or run directory to look at."""
    commit: str = ""
    models_commit: str = ""
    """The commit of the submodule."""
    raised: str = ""
    """The reason in the traceback, if `reason` is from the report's message or the log and differs from it."""
    op: CaseNumbers | None = None
    """Only for an op case; its PCC is in there, because it is recorded and not required."""
    profile: str = ""
    """The profile it ran with; empty: the default, as in CI. Results with other profiles decide about no entry."""

    @property
    def as_expected(self) -> bool:
        """Whether it ended as its entry said when it ran."""
        return is_as_expected(self.ending, self.expected, self.pcc_checked)

    @property
    def steady(self) -> str:
        """The part of a failure that is the same in every run; the report's message may not be (docs/rules.md 11)."""
        return self.raised or self.reason

    @property
    def cell(self) -> tuple[str, str]:
        return self.test_id, self.arch


def lowest(rows: Iterable[Observation]) -> float | None:
    """The lowest measured PCC; None if there is none."""
    return min((row.pcc for row in rows if row.pcc is not None), default=None)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One observation with the number of its attempt within its run."""

    observation: Observation
    number: int = 0
    """From 1; 0 if unknown."""
    named: bool = False
    """A person named its run, so another result of that run on the cell is another attempt."""

    @property
    def foldable(self) -> bool:
        """Whether it may be one of several attempts."""
        return self.named or self.number > 0


def fold_attempts(attempts: Iterable[Attempt]) -> list[Observation]:
    """The last attempt of each, with how many there were, oldest first. The order of `attempts` does not matter.

    A cell that ran twice in one attempt, under two jobs of one name, has two observations.
    """
    single: list[Observation] = []
    groups: dict[tuple[str, ...], list[Attempt]] = {}
    for one in attempts:
        if one.foldable:
            seen = one.observation
            key = (seen.run, seen.job, seen.function, seen.test_id, seen.arch)
            groups.setdefault(key, []).append(one)
        else:
            single.append(one.observation)
    for group in groups.values():
        single.extend(replace(group[at].observation, attempts=count) for at, count in counting(group))
    return sorted(single, key=order)


def counting(group: Sequence[Attempt]) -> Iterator[tuple[int, int]]:
    """The positions of the attempts that count, for one run on one cell, with the number of attempts of each."""
    if len(group) == 1:
        yield 0, group[0].observation.attempts
    elif any(one.named for one in group):
        last = max(range(len(group)), key=lambda at: (group[at].number, order(group[at].observation)))
        yield last, len(group)
    else:
        numbers = {one.number for one in group}
        yield from ((at, len(numbers)) for at, one in enumerate(group) if one.number == max(numbers))


def order(one: Observation) -> tuple[float, str, str, str, str]:
    """Sort key: oldest first, and independent of the order in which results were added."""
    return one.when, one.test_id, one.arch, one.run, one.source


def newest(observations: Iterable[Observation]) -> Iterator[Observation]:
    """The newest result of each cell, under the default profile, that says something about the model."""
    found: dict[tuple[str, str], Observation] = {}
    for row in observations:
        if row.ending in RAN and not row.profile and (row.cell not in found or found[row.cell].when <= row.when):
            found[row.cell] = row
    yield from found.values()
