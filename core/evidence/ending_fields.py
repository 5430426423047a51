# SPDX-License-Identifier: Apache-2.0
"""The YAML fields that follow from the result of a run, with stage and reason. Verdicts and workflows both use this.

See docs/rules.md 7.3.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from core.domain.model import BringupStatus, Status
from core.evidence.observation import Ending, Observation
from core.evidence.reasons import quotable
from core.runs.log import DEVICE_ASSERTION, DEVICE_MEMORY, DIAGNOSTIC, WRONG_NUMBERS

Fields = Mapping[str, object]
"""The effective value that each field shall have; None: the field is not written."""

PROMOTED: Fields = {"status": Status.EXPECTED_PASSING.value, "reason": None, "bringup_status": None}
UNCHECKED: Fields = {"assert_pcc": False, "required_pcc": None}

_STAGES = (
    # Diagnostics of the compiler, whatever they quote.
    (BringupStatus.FAILED_TTMLIR_COMPILATION, re.compile(DIAGNOSTIC, re.MULTILINE)),
    # Failures of the device: its assertions, and out-of-memory messages as in upstream's own rules (docs/rules.md 5.2).
    (
        BringupStatus.FAILED_RUNTIME,
        re.compile(
            rf"{DEVICE_ASSERTION}|{DEVICE_MEMORY}"
            r"|Buffer must be allocated on device|\b(?:DRAM|L1) OOM\b|\bOOM DRAM\b|lib(?:tt_metal|TTMLIRRuntime)\.so"
            r"|Can only work with bfloat16/float32 or int32/uint32 tensors"
        ),
    ),
    # Names of operations, and the abort that follows a failed assertion of the compiler.
    (
        BringupStatus.FAILED_TTMLIR_COMPILATION,
        re.compile(
            r"'(?:ttir|ttnn|stablehlo)\.|(?<![\w/.])tt(?:ir|nn)\.(?!(?:c|cc|cpp|h|hpp|py|so)\b)[a-z_]|ElementsAttr"
            r"|\bAborted\b|core dumped|\bSIGABRT\b|\bsignal 6\b|\bstatus 134\b"
        ),
    ),
    (BringupStatus.INCORRECT_RESULT, re.compile(WRONG_NUMBERS)),
    # Ambiguous messages (docs/rules.md 5.1, 11): they come from a device call, and do not say how far that got.
    (
        BringupStatus.UNKNOWN,
        re.compile(r"Error code: ?13\b|Bad StatusOr access|RuntimeError: Fatal error|async operation is in flight"),
    ),
    # Errors of Python before anything was compiled.
    (
        BringupStatus.FAILED_FE_COMPILATION,
        re.compile(r"^\s*(?:E\s+)?(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)(?::|\s*$)", re.MULTILINE),
    ),
)
"""Patterns in the text of a failure, with the stage they indicate. The first match counts."""


_FAILED_STAGES = frozenset(stage for stage, _ in _STAGES) - {BringupStatus.UNKNOWN}
"""The stages that an entry may give for a failure."""


@dataclass(frozen=True, slots=True)
class Result:
    """How one execution ended, or several that ended alike."""

    ending: Ending
    reason: str = ""
    """The line to quote, see `core.evidence.reports`; empty if all texts say no more than error code 13."""
    stage: BringupStatus = BringupStatus.UNKNOWN
    signal: int | None = None

    @classmethod
    def of(cls, one: Observation) -> "Result":
        """The result in an observation."""
        return cls(one.ending, quotable(one.reason), one.stage, one.signal)


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What an entry should say after a result."""

    fields: Fields | None
    """None: a person must decide."""
    why: str
    """What happened, as a predicate whose subject is the test."""


@dataclass(frozen=True, slots=True)
class _Row:
    words: str
    status: Status | None = None
    """None: no status expresses that."""
    also: Fields = field(default_factory=dict)


# An expected failure must be raised in the test process; what kills that process is an error all the same
# (docs/rules.md 4.3).
_CRASH = "crashes, and a dead process cannot be expected to fail: skip it"
_HANG = "hangs, and a process that has to be stopped cannot be expected to fail: skip it"
_ROWS: Mapping[Ending, _Row] = {
    Ending.PASSED: _Row("passes", Status.EXPECTED_PASSING, PROMOTED),
    Ending.INACCURATE: _Row("runs, but is inaccurate", Status.EXPECTED_PASSING, {**PROMOTED, **UNCHECKED}),
    Ending.FLAKY: _Row("failed first, and passed when it was repeated: find out why before the entry changes"),
    Ending.FAILED: _Row("fails", Status.KNOWN_FAILURE_XFAIL),
    Ending.CRASHED: _Row(_CRASH, Status.NOT_SUPPORTED_SKIP),
    Ending.HUNG: _Row(_HANG, Status.NOT_SUPPORTED_SKIP),
    Ending.SLOW: _Row("was still working when its time was up: give it more time to see how it ends"),
    Ending.OUT_OF_TIME: _Row("was stopped when its time was up; it is not known whether it was working or hung"),
    Ending.NOT_RUN: _Row("was skipped anyway"),
    Ending.BROKEN: _Row("could not be set up, which says nothing about the model"),
}
"""The status for each ending. A test that ends or stops the process is skipped, any other failure is expected."""
_WRONG = _Row("runs, and its numbers are wrong", Status.KNOWN_FAILURE_XFAIL)
"""The row for a test that was accurate before: its check stays on."""


def stage_in(text: str) -> BringupStatus:
    """The stage that the text of a failure indicates (docs/rules.md 7.3); UNKNOWN if it could be any."""
    return next((stage for stage, pattern in _STAGES if pattern.search(text)), BringupStatus.UNKNOWN)


def recommend(result: Result, *, stage_is_stale: bool = False, numbers_were_right: bool = False) -> Recommendation:
    """The fields that follow from one result. If the stage is unknown, the entry keeps its stage, unless that is stale.

    `numbers_were_right`: an inaccurate result is a failure, and not a reason to turn the check off.
    """
    row = _WRONG if numbers_were_right and result.ending is Ending.INACCURATE else _ROWS[result.ending]
    if row.status is None or row.status is Status.EXPECTED_PASSING:
        return Recommendation(row.also or None, row.words)
    reason = result.reason or _reason_of_ending(result)
    if not reason:
        why = f"{row.words}, with nothing but error code 13: read its log, and write the reason"
        return Recommendation(None, why)
    fields: dict[str, object] = {"status": row.status.value}
    if result.stage in _FAILED_STAGES:
        fields["bringup_status"] = result.stage.value
    elif stage_is_stale:
        fields["bringup_status"] = None
    return Recommendation({**fields, "reason": reason}, f"{row.words}: {reason}")


def _reason_of_ending(result: Result) -> str:
    """The reason if no text gives one."""
    match result.ending:
        case Ending.HUNG:
            return "Test hangs"
        case Ending.CRASHED if result.signal:
            return f"Running the test CRASHED with signal {result.signal}"
        case Ending.CRASHED:
            return "Running the test ended the process"
        case Ending.INACCURATE:
            return "PCC comparison failed"
    return ""
