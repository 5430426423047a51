# SPDX-License-Identifier: Apache-2.0
"""What a CPU repro has shown: its two phases, each passed or stopped at one step by one error."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Phase:
    """One dtype of a CPU repro, as the payload reports it."""

    raw: Mapping[str, Any] = field(default_factory=dict)

    @property
    def dtype(self) -> str:
        return str(self.raw.get("dtype") or "")

    @property
    def ok(self) -> bool:
        return self.raw.get("ok") is True

    @property
    def step(self) -> str:
        """Where it stopped: import, load_model, load_inputs, forward, unpack, backward; empty if it passed."""
        return str(self.raw.get("step") or "")

    @property
    def error(self) -> str:
        """The exception at the end of its traceback, all lines; empty if it passed."""
        if self.ok:
            return ""
        text = str(self.raw.get("error") or "").strip()
        kind = str(self.raw.get("error_type") or "")
        return f"{kind}: {text}" if text else kind

    @property
    def output(self) -> Mapping[str, Any] | None:
        """The structure of the value that forward returned: class, module and leaves; None if it did not return."""
        found = self.raw.get("output")
        return found if isinstance(found, Mapping) else None

    @property
    def unpacked(self) -> Mapping[str, Any] | None:
        """The structure of the value that was unpacked from it."""
        found = self.raw.get("unpacked")
        return found if isinstance(found, Mapping) else None

    @property
    def forward_parameters(self) -> tuple[str, ...]:
        """Parameters of the model's forward, if known."""
        return tuple(map(str, self.raw.get("parameters") or ()))

    @property
    def inputs(self) -> Sequence[Mapping[str, Any]]:
        """The leaves of the value of `load_inputs`: name, type, dtype and shape."""
        return self.raw.get("inputs") or ()

    @property
    def decoder_start(self) -> Mapping[str, Any] | None:
        """The token that the model's configuration starts decoders with, and its holder; None: it has none."""
        found = self.raw.get("decoder_start")
        return found if isinstance(found, Mapping) else None

    @property
    def traceback(self) -> str:
        """The frames within the checkout, as Python prints them."""
        frames: Sequence[Mapping[str, Any]] = self.raw.get("frames") or ()
        lines = [
            f'  File "{one["file"]}", line {one["line"]}, in {one["function"]}\n    {one["code"]}' for one in frames
        ]
        return "\n".join(lines)


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
        result = raw.get("result") or {}
        phases = [Phase(phase) for phase in result.get("phases") or ()]
        problem = result.get("problem") or {}
        named = {phase.dtype: phase for phase in phases}
        return cls(
            str(raw["id"]),
            str(raw.get("outcome") or ""),
            str(raw.get("run") or ""),
            str(raw.get("summary") or ""),
            named.get("bfloat16"),
            named.get("float32"),
            str(problem.get("message") or "").partition("\n")[0],
        )
