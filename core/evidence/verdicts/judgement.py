# SPDX-License-Identifier: Apache-2.0
"""The words for what the evidence of a cell says of its entry."""

from dataclasses import dataclass
from enum import StrEnum

from core.evidence.observation import Observation, lowest


class Verdict(StrEnum):
    """What the evidence of a cell says of its entry."""

    STALE = "stale"
    """Passes on every arch on which it is expected not to."""
    SEMI_STALE = "semi-stale"
    """As stale, but only on some of the archs."""
    ACTIVE = "active"
    """The entry is true."""
    DRIFTED = "drifted"
    """Still fails, but for another reason or in another stage."""
    REGRESSED = "regressed"
    """Expected to pass, and fails: often enough, or more than once and for one cause since it passed last."""
    FLAKY = "flaky"
    CRASH = "crash"
    HANG = "hang"
    SLOW = "slow"
    """Runs out of time, and nothing shows that it hangs."""
    PCC_LOOSE = "pcc-loose"
    """The check is off or its threshold lower than the measured numbers need."""
    PCC_TIGHT = "pcc-tight"
    """The threshold is higher than what is measured."""
    UNUSED = "unused"
    """No job selects the cell, or none has brought a result although it is scheduled."""
    UNKNOWN = "unknown"
    """Too little evidence."""


class Direction(StrEnum):
    """Where a failure has moved."""

    FORWARD = "forward"
    BACK = "back"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on one cell with all that proves it."""

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
    """The threshold that the numbers allow, two decimals; None where nothing is to change."""
    pinned: str = ""
    """Why a person asked for the entry to stay as it is; empty: nobody did."""

    @property
    def pcc(self) -> float | None:
        """The lowest measured over the deciding rows."""
        return lowest(self.rows)
