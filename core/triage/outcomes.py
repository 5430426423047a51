# SPDX-License-Identifier: Apache-2.0
"""From what a device run has shown to what the entry should say: one write an entry (spec 7.3)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.edits.operations import Operation, OpKind
from core.evidence.observation import Ending
from core.model import BringupStatus, Status
from core.triage.case import Member
from core.triage.signatures import reason_line, stage_of


@dataclass(frozen=True, slots=True)
class Observed:
    """What one test did on a device."""

    id: str
    ending: Ending
    reason: str = ""
    """The failure text, all of it; empty where it passed."""
    stage: str = ""
    """The bring-up status that the run itself is sure of; empty where it is not."""

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> "Observed":
        """Read one answer to `RunDevice`."""
        return cls(str(raw["id"]), Ending(raw["ending"]), str(raw.get("reason") or ""), str(raw.get("stage") or ""))

    def to_fields(self) -> dict[str, str]:
        """As JSON can hold it: `Observed.of` reads it back."""
        return {"id": self.id, "ending": str(self.ending), "reason": self.reason, "stage": self.stage}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an entry should say; None where nothing can be said of it, for the reason in `why`."""

    fields: Mapping[str, object] | None
    why: str


def wanted(observed: Observed) -> Wanted:
    """The fields that follow from one outcome on a device."""
    match observed.ending:
        case Ending.PASSED:
            return Wanted(passing(), "passes")
        case Ending.INACCURATE:
            return Wanted({**passing(), "assert_pcc": False}, "runs, but is inaccurate")
        case Ending.FAILED:
            return _failing(observed)
        case Ending.CRASHED:
            return _crashing(observed)
    words = {Ending.HUNG: "was stopped: it hung or took too long", Ending.NOT_RUN: "was skipped all the same"}
    return Wanted(None, words.get(observed.ending, "could not be set up, which says nothing of the model"))


def passing() -> dict[str, object]:
    """An entry that is expected to pass gives no reason."""
    return {"status": Status.EXPECTED_PASSING.value, "bringup_status": None, "reason": None}


def expected_failure(error: str, stage: BringupStatus = BringupStatus.FAILED_FE_COMPILATION) -> dict[str, object]:
    """An entry that fails by `error` in `stage`, and that goes on to be run."""
    return _fields(Status.KNOWN_FAILURE_XFAIL, stage, reason_line(error))


def operations(member: Member, fields: Mapping[str, object]) -> tuple[Operation, ...]:
    """What it takes for the entry to say `fields`; None stands for a field that is to go. Nothing for what it says."""
    found: list[Operation] = []
    for name, value in fields.items():
        if value is None:
            if name in member.fields:
                found.append(Operation(OpKind.UNSET, member.id, member.file, (name,)))
        elif member.fields.get(name) != value:
            found.append(Operation(OpKind.SET, member.id, member.file, (name,), value))
    return tuple(found)


def _failing(observed: Observed) -> Wanted:
    reason = reason_line(observed.reason)
    if not reason:
        return Wanted(None, "fails, and nothing that it says is a reason: see its log")
    stage = _stage(observed)
    return Wanted(_fields(Status.KNOWN_FAILURE_XFAIL, stage, reason), f"fails: {reason}")


def _crashing(observed: Observed) -> Wanted:
    # A crash is an error even where the test is expected to fail: only a skip keeps it from the others (spec 4.3).
    reason = reason_line(observed.reason) or "crashed"
    return Wanted(_fields(Status.NOT_SUPPORTED_SKIP, _stage(observed), reason), f"crashes: {reason}")


def _stage(observed: Observed) -> BringupStatus:
    named = observed.stage
    sure = named in BringupStatus.__members__ and named.startswith("FAILED")
    return BringupStatus(named) if sure else stage_of(observed.reason)


def _fields(status: Status, stage: BringupStatus, reason: str) -> dict[str, object]:
    return {"status": status.value, "bringup_status": stage.value, "reason": reason}
