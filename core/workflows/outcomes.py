# SPDX-License-Identifier: Apache-2.0
"""From the result of a device run to the operations on the entry (docs/rules.md 7.3)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.base.files import plain, typed
from core.domain.model import BringupStatus
from core.edits import Operation, OpKind
from core.evidence import Ending, Observation, Recommendation, Result, quotable, recommend, stage_in
from core.workflows.case import CaseEntry


@dataclass(frozen=True, slots=True)
class DeviceResult:
    """The result of one test on a device."""

    id: str
    ending: Ending
    reason: str = ""
    """The whole failure text; empty if it passed."""
    stage: str = ""
    """The bring-up status, if known; else empty."""
    line: str | None = None
    """The line of `reason` to quote; empty if none says more than error code 13. None: not picked yet."""
    signal: int | None = None

    @property
    def result(self) -> Result:
        """The same for the table of endings; picks line and stage now if that was not done before."""
        stage = BringupStatus(self.stage) if self.stage in BringupStatus.__members__ else BringupStatus.UNKNOWN
        if self.line is not None:
            return Result(self.ending, self.line, stage, self.signal)
        if stage in (BringupStatus.UNKNOWN, BringupStatus.PASSED):
            stage = stage_in(self.reason)
        return Result(self.ending, quotable(self.reason), stage, self.signal)

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> "DeviceResult":
        """Read one answer to `RunDevice`. Raises Malformed."""
        return typed(raw, cls)

    @classmethod
    def seen(cls, id: str, one: Observation, text: str = "") -> "DeviceResult":
        """From an observation; `text` is the whole text of its failure."""
        result = Result.of(one)
        stage = "" if result.stage is BringupStatus.UNKNOWN else str(result.stage)
        words = "" if one.ending is Ending.PASSED else "\n".join(dict.fromkeys(filter(None, (one.reason, text))))
        return cls(id, one.ending, words, stage, result.reason, result.signal)

    def to_fields(self) -> dict[str, Any]:
        """As JSON: `DeviceResult.of` reads it back."""
        return {name: value for name, value in plain(self).items() if value is not None}


def wanted(observed: DeviceResult, *, stage_is_stale: bool = False) -> Recommendation:
    """What follows from one device result. `stage_is_stale`: the entry's stage is of a failure that is gone."""
    return recommend(observed.result, stage_is_stale=stage_is_stale)


def expected_failure(error: str, stage: BringupStatus = BringupStatus.FAILED_FE_COMPILATION) -> dict[str, object]:
    """An entry that fails with `error` in `stage` and keeps running. The CPU fails before any compiler runs."""
    return dict(recommend(Result(Ending.FAILED, quotable(error), stage)).fields or {})


def operations(member: CaseEntry, fields: Mapping[str, object]) -> tuple[Operation, ...]:
    """The operations that give the entry `fields`; None removes a field. Fields with that value already need none."""
    found: list[Operation] = []
    for name, value in fields.items():
        if value is None:
            if name in member.fields:
                found.append(Operation(OpKind.UNSET, member.id, member.file, (name,)))
        elif member.fields.get(name) != value:
            found.append(Operation(OpKind.SET, member.id, member.file, (name,), value))
    return tuple(found)
