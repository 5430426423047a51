# SPDX-License-Identifier: Apache-2.0
"""What a CPU repro has shown: its two phases, each passed or stopped at one step by one error."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.runs.store import Phase, RunResult


@dataclass(frozen=True, slots=True)
class Repro:
    """A CPU repro of one test."""

    id: str
    outcome: str
    """Outcome of the run: pass, fail, crash, timeout, ..."""
    run: str
    """Id of the run."""
    summary: str
    """One line for people."""
    low: Phase | None = None
    """bfloat16; None if the run produced no result."""
    full: Phase | None = None
    """float32."""
    problem: str = ""
    """Why the environment cannot run the model, in one line (the log has the rest); says nothing about the model."""

    @property
    def ok(self) -> bool:
        """Whether bfloat16 passed."""
        return self.low is not None and self.low.ok

    @property
    def output(self) -> Mapping[str, Any] | None:
        """The structure of the value that forward returned in bfloat16, else in float32; None if in neither."""
        found = [phase.output for phase in (self.low, self.full) if phase is not None and phase.output is not None]
        return found[0] if found else None

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> "Repro":
        """Read the answer to `RunCpu` for one id: `{id, outcome, run, summary, result}`."""
        result = RunResult(raw.get("result") or {})
        named = {phase.dtype: phase for phase in result.phases}
        return cls(
            str(raw["id"]),
            str(raw.get("outcome") or ""),
            str(raw.get("run") or ""),
            str(raw.get("summary") or ""),
            named.get("bfloat16"),
            named.get("float32"),
            result.problem or "",
        )
