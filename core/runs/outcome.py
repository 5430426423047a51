# SPDX-License-Identifier: Apache-2.0
"""How a run ended: one word for it, judged from what its process left behind."""

import json
import signal
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

RESULT_PREFIX = "TTMATRIX-RESULT "
RESULT_VERSION = 1

_TAIL_BYTES = 4 * 1024 * 1024


class Outcome(StrEnum):
    """The one word for how a run ended."""

    PASS = "pass"
    FAIL = "fail"
    XFAIL = "xfail"
    """It ran, and pytest was set to call any end of it an expected failure."""
    SKIP = "skip"
    """pytest has not run it."""
    CRASH = "crash"
    """A signal from elsewhere ended it."""
    HANG = "hang"
    """It was stopped because it neither wrote nor worked."""
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    LOST = "lost"
    """Its supervisor is gone, and it left no result."""
    ERROR = "error"
    """The environment could not run it; says nothing about the model."""


FAILURES = frozenset({Outcome.FAIL, Outcome.CRASH, Outcome.HANG, Outcome.TIMEOUT, Outcome.ERROR})
"""The ends that speak against a test or its environment."""
HARMLESS = frozenset({Outcome.PASS, Outcome.XFAIL, Outcome.SKIP})


def judge(exit_code: int, result: Mapping[str, object] | None) -> Outcome:
    """The outcome of a process that ended by itself.

    `exit_code` is minus the signal's number where a signal ended it. Without a `result` a process proves
    neither success nor failure of its model: its code may be anybody's.
    """
    if exit_code < 0:
        return Outcome.CRASH
    if result is None or exit_code not in (0, 1):
        return Outcome.ERROR
    return Outcome.PASS if exit_code == 0 else Outcome.FAIL


def signal_name(number: int) -> str:
    """`SIGSEGV` for 11, and so on."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def read_result(log: Path, nonce: str) -> Mapping[str, object] | None:
    """The last result line in the end of `log` that carries `nonce`; None where there is none."""
    try:
        with log.open("rb") as handle:
            size = handle.seek(0, 2)
            handle.seek(max(0, size - _TAIL_BYTES))
            tail = handle.read(_TAIL_BYTES)
    except OSError:
        return None
    return parse_result(tail.decode("utf-8", "replace"), nonce)


def parse_result(text: str, nonce: str) -> Mapping[str, object] | None:
    """As `read_result`, from `text`. The model prints what it likes, so only the nonce makes a line ours."""
    for line in reversed(text.split("\n")):
        if line.startswith(RESULT_PREFIX):
            result = _load(line.removeprefix(RESULT_PREFIX))
            if result is not None and result.get("nonce") == nonce:
                return result
    return None


def _load(text: str) -> Mapping[str, object] | None:
    try:
        value = json.loads(text)
        # Python reads NaN and infinity, which no other reader of our events would.
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return None
    known = isinstance(value, dict) and value.get("version") == RESULT_VERSION
    return value if known else None
