# SPDX-License-Identifier: Apache-2.0
"""What a run has reported of itself: the last line of its own, or what pytest and its log say, field by field."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from core.base import files
from core.base.checked_numbers import finite

T = TypeVar("T")


class _Raw(Protocol):
    @property
    def raw(self) -> Mapping[str, Any]: ...


class _Part(Generic[T]):
    """The part of `raw` that has the name of the attribute, read when it is asked for."""

    def __init__(self, read: Callable[[object], T]) -> None:
        self._read = read
        self._name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, of: _Raw, owner: type | None = None) -> T:
        return self._read(of.raw.get(self._name))


def _text(found: object) -> str:
    return str(found or "")


def _mapping(found: object) -> Mapping[str, Any] | None:
    return found if isinstance(found, Mapping) else None


def _whole(found: object) -> int | None:
    return found if isinstance(found, int) else None


def _first_line(value: object) -> str:
    return _text(value).strip().partition("\n")[0]


@dataclass(frozen=True, slots=True)
class Phase:
    """One dtype of a CPU repro, as the payload reports it."""

    raw: Mapping[str, Any] = field(default_factory=dict)

    dtype = _Part(_text)
    step = _Part(_text)
    """Where it stopped: import, load_model, load_inputs, forward, unpack, backward; empty if it passed."""
    output = _Part(_mapping)
    """The structure of the value that forward returned: class, module and leaves; None if it did not return."""
    unpacked = _Part(_mapping)
    """The structure of the value that was unpacked from it."""
    decoder_start = _Part(_mapping)
    """The token that the model's configuration starts decoders with, and its holder; None: it has none."""

    @property
    def ok(self) -> bool:
        return self.raw.get("ok") is True

    @property
    def seconds(self) -> float:
        return finite(self.raw.get("seconds")) or 0.0

    @property
    def error(self) -> str:
        """The exception at the end of its traceback, all lines; empty if it passed."""
        if self.ok:
            return ""
        text, kind = _text(self.raw.get("error")).strip(), _text(self.raw.get("error_type"))
        return f"{kind}: {text}" if text else kind

    @property
    def forward_parameters(self) -> tuple[str, ...]:
        """Parameters of the model's forward, if known."""
        return tuple(map(str, self.raw.get("parameters") or ()))

    @property
    def inputs(self) -> Sequence[Mapping[str, Any]]:
        """The leaves of the value of `load_inputs`: name, type, dtype and shape."""
        return self.raw.get("inputs") or ()

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

    reason = _Part(_text)
    """The most telling line of report and log."""
    cause = _Part(_text)
    """The line of the log that names the cause."""
    message = _Part(_text)
    """What pytest says of a failure, or what a run of another kind says of itself."""
    error_message = _Part(_text)
    """The exception, as upstream's runner reports it, else the cause."""
    backend = _Part(_text)
    device = _Part(_text)
    """The device that its backend used."""
    file = _Part(_text)
    """The manifest that an extraction wrote."""
    model = _Part(_text)
    """The model whose ops were extracted."""
    in_file = _Part(_whole)
    """How many cases the manifest has after an extraction."""
    added = _Part(_whole)
    """How many of them are new."""

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
            said = files.parsed(_text(self.raw.get("performance")) or "{}")
        except files.Malformed:
            return {}
        return _mapping(said) or {}

    @property
    def peak_bytes(self) -> float | None:
        """The largest memory that our own runner measured."""
        return finite(self.performance.get("peak_bytes"))

    @property
    def line(self) -> tuple[str, int] | None:
        """The file and line of the model that a bisection names, relative to the checkout."""
        file, _, line = _text(self.raw.get("line")).rpartition(":")
        return (file, int(line)) if file and line.isdecimal() else None

    @property
    def summary(self) -> str:
        """What prevented the child from running, else what it says, else how each phase ended."""
        if self.problem is not None:
            return self.problem
        return _first_line(self.message) if self.message else "; ".join(one.words for one in self.phases)
