# SPDX-License-Identifier: Apache-2.0
"""What a run has reported of itself: the last line of its own, or what pytest and its log say, field by field."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.base.checked_numbers import finite


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
    def seconds(self) -> float:
        return finite(self.raw.get("seconds")) or 0.0

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
        return _mapping(self.raw.get("output"))

    @property
    def unpacked(self) -> Mapping[str, Any] | None:
        """The structure of the value that was unpacked from it."""
        return _mapping(self.raw.get("unpacked"))

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
        return _mapping(self.raw.get("decoder_start"))

    @property
    def traceback(self) -> str:
        """The frames within the checkout, as Python prints them."""
        frames: Sequence[Mapping[str, Any]] = self.raw.get("frames") or ()
        lines = [
            f'  File "{one["file"]}", line {one["line"]}, in {one["function"]}\n    {one["code"]}' for one in frames
        ]
        return "\n".join(lines)

    @property
    def words(self) -> str:
        """How it ended, in a line."""
        if self.ok:
            return f"{self.dtype} ok"
        return f"{self.dtype} {self.step}: {self.raw.get('error_type')}: {_first_line(self.raw.get('error'))}"


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a run. Each part is read when it is asked for; one of another type than ours is as if not there."""

    raw: Mapping[str, Any]

    @property
    def reason(self) -> str:
        """The most telling line of report and log."""
        return self._text("reason")

    @property
    def cause(self) -> str:
        """The line of the log that names the cause."""
        return self._text("cause")

    @property
    def message(self) -> str:
        """What pytest says of a failure, or what a run of another kind says of itself."""
        return self._text("message")

    @property
    def error_message(self) -> str:
        """The exception, as upstream's runner reports it, else the cause."""
        return self._text("error_message")

    @property
    def problem(self) -> str | None:
        """Why the environment cannot run the model, in one line; None: it can."""
        found = _mapping(self.raw.get("problem"))
        return None if found is None else _first_line(found.get("message"))

    @property
    def phases(self) -> list[Phase]:
        """The phases of a CPU repro."""
        found = self.raw.get("phases")
        return [Phase(one) for one in found if isinstance(one, Mapping)] if isinstance(found, list | tuple) else []

    @property
    def backend(self) -> str:
        return self._text("backend")

    @property
    def device(self) -> str:
        """The device that its backend used."""
        return self._text("device")

    @property
    def seconds(self) -> float | None:
        """Those of the test alone."""
        found = self.raw.get("seconds")
        return found if isinstance(found, float | int) else None

    @property
    def tags(self) -> Mapping[str, Any]:
        """The properties of its testcase."""
        return _mapping(self.raw.get("tags")) or {}

    @property
    def performance(self) -> Mapping[str, Any]:
        """The numbers that our own runner wrote; empty if another one ran."""
        try:
            said = json.loads(self._text("performance") or "{}")
        except ValueError:
            return {}
        return _mapping(said) or {}

    @property
    def peak_bytes(self) -> float | None:
        """The largest memory that our own runner measured."""
        return finite(self.performance.get("peak_bytes"))

    @property
    def line(self) -> tuple[str, int] | None:
        """The file and line of the model that a bisection names, relative to the checkout."""
        file, _, line = self._text("line").rpartition(":")
        return (file, int(line)) if file and line.isdecimal() else None

    @property
    def file(self) -> str:
        """The manifest that an extraction wrote."""
        return self._text("file")

    @property
    def model(self) -> str:
        """The model whose ops were extracted."""
        return self._text("model")

    @property
    def in_file(self) -> int | None:
        """How many cases the manifest has after an extraction."""
        return _whole(self.raw.get("in_file"))

    @property
    def added(self) -> int | None:
        """How many of them are new."""
        return _whole(self.raw.get("added"))

    @property
    def summary(self) -> str:
        """What prevented the child from running, else what it says, else how each phase ended."""
        if self.problem is not None:
            return self.problem
        return _first_line(self.message) if self.message else "; ".join(one.words for one in self.phases)

    def _text(self, name: str) -> str:
        return str(self.raw.get(name) or "")


def _mapping(found: object) -> Mapping[str, Any] | None:
    return found if isinstance(found, Mapping) else None


def _whole(found: object) -> int | None:
    return found if isinstance(found, int) else None


def _first_line(value: object) -> str:
    return str(value or "").strip().partition("\n")[0]
