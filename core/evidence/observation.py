# SPDX-License-Identifier: Apache-2.0
"""One observation: what one execution of one cell showed, here or in CI."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from core.model import BringupStatus, Status


class Ending(StrEnum):
    """How the model ended in one execution; decided by its testcase and tags, never by the status.

    See docs/rules.md 4.4.
    """

    PASSED = "passed"
    """It ran to its end, and every number that was taken is as good as it must be."""
    INACCURATE = "inaccurate"
    """It ran to its end, and a comparison is below its threshold, whether or not that was asserted."""
    FAILED = "failed"
    """It raised."""
    CRASHED = "crashed"
    """Its process was ended by a signal, or ended itself."""
    HUNG = "hung"
    """It was stopped after a time without output and without work."""
    SLOW = "slow"
    """It was stopped by a time limit, and was still working."""
    OUT_OF_TIME = "out_of_time"
    """It was stopped by a time limit, and it is unknown whether it was busy or hung."""
    NOT_RUN = "not_run"
    """Skipped before the model ran: by its entry, its LLM combination or its arch."""
    BROKEN = "broken"
    """Setup, requirements or the loader's construction failed: says nothing of the model (docs/rules.md 4.1)."""


RAN = frozenset(Ending) - {Ending.NOT_RUN, Ending.BROKEN}
"""The endings that say something of the model."""
FAILURES = RAN - {Ending.PASSED}


class Origin(StrEnum):
    """Where an observation comes from."""

    CI = "ci"
    HERE = "here"


@dataclass(frozen=True, slots=True)
class CaseNumbers:
    """What only a result of an op case says."""

    status: str
    """As the plugin has it (docs/ops.md); of a duplicate that of the case which represents it."""
    key: str
    """The digest of what was computed (docs/ops.md); empty: it was not run."""
    rtol: float
    """The tolerances that its manifest had."""
    atol: float
    max_abs: float | None = None
    """The greatest difference of an element, and below the greatest one relative to the reference; None: not taken."""
    max_rel: float | None = None
    mismatched: float | None = None
    """Percent of the elements."""
    pcc: float | None = None
    dup_of: str = ""
    """The case that represented it."""
    device: str = ""
    torch: str = ""


# Not frozen, though nothing changes one: a frozen one takes 6.8 us to make instead of 1.1, and a nightly of 4,000 is
# judged by 40,000.
@dataclass(slots=True, unsafe_hash=True)
class Observation:
    """What one execution of one cell has shown. Attempts of one run on one cell are one observation: the last.

    A cell of an op case is its id and a backend, which is where model tests have their arch.
    """

    test_id: str
    function: str
    arch: str
    """Empty where neither tags, nor the path, nor the person said it. Of an op case the backend."""
    origin: Origin
    run: str
    """The name of the run it belongs to: a nightly, a batch."""
    when: float
    """Seconds since the epoch."""
    host: str
    ending: Ending
    expected: Status
    """The status that was in force when it ran."""
    forced: bool
    """It ran although its entry says skip, so the tags describe the entry and not the run (docs/rules.md 4.4)."""
    stage: BringupStatus
    """How far it came; UNKNOWN where nothing reliable says so."""
    reason: str
    """The line that an entry would quote, verbatim, plain; empty where it passed."""
    seconds: float
    pcc: float | None = None
    """The lowest that is known. Of a training test the tags hold the forward one only (docs/rules.md 4.6)."""
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
    """What the traceback says where `reason` is of the report's message or the log, and says otherwise."""
    op: CaseNumbers | None = None
    """Of an op case alone, whose PCC is in there: it is recorded, not required."""
    profile: str = ""
    """The profile that it ran with; empty: the default, as CI runs it. A result of another decides about no entry."""

    @property
    def steady(self) -> str:
        """What stays from run to run of one failure: the message of a report does not (docs/rules.md 11)."""
        return self.raised or self.reason

    @property
    def cell(self) -> tuple[str, str]:
        return self.test_id, self.arch


def lowest(rows: Iterable[Observation]) -> float | None:
    """The lowest PCC that was measured; None where there is none."""
    return min((row.pcc for row in rows if row.pcc is not None), default=None)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One observation and which attempt of its run it is from."""

    observation: Observation
    number: int = 0
    """From 1; 0 where nothing says so."""
    named: bool = False
    """A person said what run it belongs to, so whatever that run says of the cell again is another attempt."""

    @property
    def foldable(self) -> bool:
        """Whether it may be one of several attempts."""
        return self.named or self.number > 0


def fold_attempts(attempts: Iterable[Attempt]) -> list[Observation]:
    """The last attempt of each, with how many there were, oldest first. The order of `attempts` does not matter.

    What ran twice in one attempt, under two jobs of one name, ran twice.
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
    """Of the attempts of one run on one cell the positions of those that count, and how many attempts there were."""
    if len(group) == 1:
        yield 0, group[0].observation.attempts
    elif any(one.named for one in group):
        last = max(range(len(group)), key=lambda at: (group[at].number, order(group[at].observation)))
        yield last, len(group)
    else:
        numbers = {one.number for one in group}
        yield from ((at, len(numbers)) for at, one in enumerate(group) if one.number == max(numbers))


def order(one: Observation) -> tuple[float, str, str, str, str]:
    """Oldest first, and the same however results have come."""
    return one.when, one.test_id, one.arch, one.run, one.source


def newest(observations: Iterable[Observation]) -> Iterator[Observation]:
    """Of each cell the newest result, under the default profile, that says something of the model."""
    found: dict[tuple[str, str], Observation] = {}
    for row in observations:
        if row.ending in RAN and not row.profile and (row.cell not in found or found[row.cell].when <= row.when):
            found[row.cell] = row
    yield from found.values()
