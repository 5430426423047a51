# SPDX-License-Identifier: Apache-2.0
"""The only table of the meaning of log lines: errors with their weights, phases, bring-up stages."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.domain.model import BringupStatus
from core.payload.ttmatrix_payload.models.compile_options import TRACE_ADVICE

_REASON_CHARACTERS = 200
"""People quote whole lines; few lines of a compiler or of the device are longer."""


# The messages of tt-xla's tools for failures, each in one place: they are used here to find lines of a log, and in
# `core.evidence` to find the stage of a failure.
DIAGNOSTIC = r"(?:^|[\s:)])(?<!Fatal Python )error: "
"""An error of the compiler; an MLIR diagnostic begins with its location: file:line:column, loc(...), or nothing."""
DEVICE_MEMORY = (
    r"Out of Memory: +Not enough space|Not enough space to allocate \d+ B (?:L1|L1_SMALL|DRAM) buffer"
    r"|\bbeyond max L1 size|\bclash with L1 buffers"
)
DEVICE_ASSERTION = r"\bTT_(?:FATAL|THROW)\b"
WRONG_NUMBERS = r"\b(?:PCC|Atol|Allclose|Equal|RelL2) comparison failed|\bPCC check (?:en|dis)abled\. Calculated"
"""A comparison below its threshold, whether or not that was asserted."""
STAGES = {
    "FE_COMPILATION_START": BringupStatus.FAILED_FE_COMPILATION,
    "TTMLIR_COMPILATION_START": BringupStatus.FAILED_TTMLIR_COMPILATION,
    "RUNTIME_EXECUTION_START": BringupStatus.FAILED_RUNTIME,
}
"""By the mark of a stage in the stage file and the log: the bring-up status of a failure in it (docs/rules.md 4.5)."""


class SignKind(StrEnum):
    """The kinds of lines with a sign."""

    ERROR = "error"
    PHASE = "phase"
    STAGE = "stage"


@dataclass(frozen=True, slots=True)
class LogSign:
    """Lines that contain `pattern`. The error with the greatest `weight` in a log is the cause; 0 never is."""

    kind: SignKind
    pattern: re.Pattern[str]
    weight: int = 0


def _sign(kind: SignKind, weight: int, expression: str) -> LogSign:
    return LogSign(kind, re.compile(expression), weight)


# The first match counts. The stages are those of tt-xla's stage file (docs/rules.md 4.5).
SIGNS = (
    _sign(SignKind.PHASE, 0, r"^=====+ .*=====+$"),
    _sign(SignKind.STAGE, 0, rf"\b(?:{'|'.join(STAGES)})\b"),
    _sign(SignKind.ERROR, 0, r"^(?:E +)?(?:\w+Error: )?(?:Bad StatusOr access: )?(?:INTERNAL: )?Error code: ?13\b"),
    _sign(SignKind.ERROR, 0, r"^\s*Traceback \(most recent call last\)"),
    _sign(SignKind.ERROR, 90, DEVICE_MEMORY),
    _sign(SignKind.ERROR, 80, DEVICE_ASSERTION),
    _sign(SignKind.ERROR, 70, r"UNREACHABLE|Assertion .*failed|\bCheck failed\b|^Fatal Python error|^terminate called"),
    _sign(SignKind.ERROR, 60, DIAGNOSTIC),
    _sign(SignKind.ERROR, 50, WRONG_NUMBERS),
    _sign(SignKind.ERROR, 10, r"^\w+: FAILED in |^FAILED |^(?:Segmentation fault|Aborted|Killed)\b"),
    _sign(SignKind.ERROR, 40, r"^(?:E +)?(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exit|Interrupt)(?::|$)"),
    _sign(SignKind.ERROR, 5, r"\bFATAL\b"),
    _sign(SignKind.ERROR, 0, r"^##\[error\]"),
)

# Nearly all lines have no sign, which one search for the words of all signs shows.
_WORDS = re.compile(
    "rror|=====|FA|START|TT_T|Traceback|Memory|L1|ailed|UNREACHABLE|terminate|PCC|enough|fault|Abort|Kill|Excep|Exit|Inter"
)

_NOISE = re.compile(
    r"\b(?:Deprecation|Future|User)Warning\b|Found an argument on non-XLA device"
    r"|^(?:E\s+)?(?:While executing %|Original traceback:|None$|Use tlparse to see)"
)
"""Warnings, and lines that torch prints below an error: they say nothing about nearby failures (docs/rules.md 7)."""
_PREFIX = re.compile(
    r"^(?:E\s+)?"
    r"(?:[\d:.,TZ/ -]{8,}\|\s*)?(?:\w+\s*\|\s*)*"  # 12:00:01 | critical | Always |
    r"(?:(?:loc\(.*?\)|[^\s:]+:\d+(?::\d+)?): (?=error: ))?"
)
_PLACE = re.compile(r"\bTT_(?:FATAL|THROW) @ ")
_INFORMATION = "info:"
_RESULT_MARK = "TTMATRIX-RESULT"


def sign_of(line: str) -> LogSign | None:
    """The sign of a line as shown; None: it has none."""
    if line.startswith(_RESULT_MARK) or _WORDS.search(line) is None:
        return None
    return next((sign for sign in SIGNS if sign.pattern.search(line)), None)


def is_error(line: str) -> bool:
    """Whether a line as it is shown is an error."""
    sign = sign_of(line)
    return sign is not None and sign.kind is SignKind.ERROR


def is_noise(line: str) -> bool:
    """Whether a line appears near failures but describes none."""
    return _NOISE.search(line) is not None


def cause_line(lines: Sequence[str]) -> str:
    """The line that says most about why a test failed, short enough for a `reason`; empty if there is none.

    See docs/rules.md 7.3. Of errors with equal weight the first is taken: later ones are mostly its consequences.
    """
    best, weight = "", 0
    for at, line in enumerate(lines):
        sign = sign_of(line)
        if sign is not None and sign.weight > weight and not is_noise(line):
            best, weight = _message(line, lines[at + 1 : at + 8]), sign.weight
    return best


def shortened(text: str) -> str:
    """`text` on one line, with single spaces, cut after a word if it is too long for a `reason`."""
    text = " ".join(text.split())
    if len(text) <= _REASON_CHARACTERS:
        return text
    head = text[: _REASON_CHARACTERS - 1]
    return f"{head.rpartition(' ')[0] or head}…"


def _message(line: str, after: Sequence[str]) -> str:
    # The message of a TT_FATAL with a location is on the line after "info:".
    text = _reason_below(after) if _PLACE.search(line) else ""
    return shortened(_PREFIX.sub("", text or line, count=1))


def _reason_below(after: Iterable[str]) -> str:
    lines = iter(after)
    return next(lines, "").strip() if any(line.strip() == _INFORMATION for line in lines) else ""


_BYTES = r"\d{1,20}"
_BUFFER = re.compile(
    rf"Not enough space to allocate (?P<asked>{_BYTES}) B (?P<memory>[A-Z]\w*) buffer"
    rf"(?: across (?P<banks>{_BYTES}) banks"
    rf"(?:, where each bank needs to store (?P<per_bank>{_BYTES}) B"
    rf"(?:, but bank size is (?:only )?(?P<bank>{_BYTES}) B)?)?)?"
)
_CIRCULAR = re.compile(
    rf"circular buffers .*? grow to (?P<asked>{_BYTES}) B which is beyond max L1 size of (?P<bank>{_BYTES}) B"
)


_TRACE_BUFFER = re.compile(
    rf"trace buffers? of size (?P<asked>{_BYTES}) ?B.*?only (?P<there>{_BYTES}) ?B (?:is|are) allocated", re.IGNORECASE
)
_TRACE = re.compile(r"(?:TT_FATAL|TT_THROW|error:|Error:).*\btrac(?:e|es|ing)\b")


def trace_advice(lines: Iterable[str], *, traced: bool) -> str | None:
    """What to do about the first error of a trace on the device, with its numbers if it has them.

    `traced`: whether the run records traces; only then a mere mention counts. None: there is no such error.
    """
    for line in lines:
        if match := _TRACE_BUFFER.search(line):
            return f"the trace needs {match['asked']} bytes and has {match['there']}: {TRACE_ADVICE}"
        if traced and _TRACE.search(line):
            return TRACE_ADVICE
    return None


def out_of_memory(lines: Iterable[str]) -> Mapping[str, object] | None:
    """The facts of the first such line, in bytes: `memory` (DRAM, L1), `asked`, and if given `banks`, `per_bank`
    (requested of each) and `bank` (the size of one). None: there is no such line.
    """
    for line in lines:
        if match := _BUFFER.search(line) or _CIRCULAR.search(line):
            said = {name: text for name, text in match.groupdict().items() if text is not None}
            return {"memory": said.pop("memory", "L1"), **{name: int(text) for name, text in said.items()}}
    return None
