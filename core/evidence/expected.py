# SPDX-License-Identifier: Apache-2.0
"""What an entry claims of one cell, in the terms that evidence can be held against."""

from dataclasses import dataclass

from core.matrix.effective import resolve, status_on, supports
from core.model import BringupStatus, Entry, Status

_DEFAULT_PCC = 0.99


@dataclass(frozen=True, slots=True)
class Expected:
    """One cell, but for its results. The fields are the effective ones of its arch (spec 2.3)."""

    status: Status
    reason: str = ""
    bringup: BringupStatus | None = None
    """How far the entry says it gets; None: it does not say."""
    required_pcc: float = _DEFAULT_PCC
    pcc_checked: bool = True
    supported: bool = True
    """The test carries the marker of the arch."""
    scheduled: bool | None = None
    """Whether a scheduled CI job selects the cell; None: nobody has looked."""
    silent_runs: int = 0
    """How many runs of jobs that select the cell have brought results, and none of it."""
    training: bool = False

    @property
    def expects_no_pass(self) -> bool:
        return self.status in (Status.KNOWN_FAILURE_XFAIL, Status.NOT_SUPPORTED_SKIP)


def expected_of(
    entry: Entry | None, arch: str, *, training: bool, scheduled: bool | None = None, silent_runs: int = 0
) -> Expected:
    """What `entry` claims of its cell on `arch`. Values that cannot be what they should be count as not written."""
    bringup = resolve(entry, "bringup_status", arch).value
    required = resolve(entry, "required_pcc", arch).value
    reason = resolve(entry, "reason", arch).value
    named = bringup.strip().upper() if isinstance(bringup, str) else ""
    return Expected(
        status=status_on(entry, arch),
        reason=reason if isinstance(reason, str) else "",
        bringup=BringupStatus(named) if named in BringupStatus.__members__ else None,
        required_pcc=float(required) if isinstance(required, int | float) else _DEFAULT_PCC,
        # Upstream turns the check off for the boolean alone (spec 2.2).
        pcc_checked=resolve(entry, "assert_pcc", arch).value is not False,
        supported=supports(entry, arch),
        scheduled=scheduled,
        silent_runs=silent_runs,
        training=training,
    )
