# SPDX-License-Identifier: Apache-2.0
"""How a run ended, in one word, judged from the files and output of its process."""

import json
import signal
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from core.base.files import opened

RESULT_PREFIX = "TTMATRIX-RESULT "
RESULT_VERSION = 1

_TAIL_BYTES = 4 * 1024 * 1024


class Outcome(StrEnum):
    """How a run ended, in one word."""

    PASS = "pass"
    FAIL = "fail"
    XFAIL = "xfail"
    """It ran, and pytest was set to treat any end of it as an expected failure."""
    SKIP = "skip"
    """pytest has not run it."""
    CRASH = "crash"
    """It was ended by a signal that ttmatrix did not send."""
    HANG = "hang"
    """It was stopped because it neither wrote nor worked."""
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    LOST = "lost"
    """Its supervisor is gone, and it left no result."""
    ERROR = "error"
    """The environment could not run it; says nothing about the model."""


FAILURES = frozenset({Outcome.FAIL, Outcome.CRASH, Outcome.HANG, Outcome.TIMEOUT, Outcome.ERROR})
"""The outcomes that count against a test or its environment."""
HARMLESS = frozenset({Outcome.PASS, Outcome.XFAIL, Outcome.SKIP})


def judge(exit_code: int, result: Mapping[str, object] | None) -> Outcome:
    """The outcome of a process that ended by itself.

    `exit_code` is minus the signal's number where a signal ended it. Without a `result`, nothing is known about the
    model: any code could have set the exit code.
    """
    if exit_code < 0:
        return Outcome.CRASH
    if result is None or exit_code not in (0, 1):
        return Outcome.ERROR
    return Outcome.PASS if exit_code == 0 else Outcome.FAIL


def signal_name(number: int) -> str:
    """The name of a signal: `SIGSEGV` for 11."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def read_result(log: Path, nonce: str) -> Mapping[str, object] | None:
    """The last result line with `nonce` near the end of `log`; None if there is none."""
    try:
        with opened(log) as handle:
            size = handle.seek(0, 2)
            handle.seek(max(0, size - _TAIL_BYTES))
            tail = handle.read(_TAIL_BYTES)
    except OSError:
        return None
    return parse_result(tail.decode("utf-8", "replace"), nonce)


def parse_result(text: str, nonce: str) -> Mapping[str, object] | None:
    """As `read_result`, from `text`. The model may print anything, so only the nonce identifies our line."""
    for line in reversed(text.split("\n")):
        if line.startswith(RESULT_PREFIX):
            result = _load(line.removeprefix(RESULT_PREFIX))
            if result is not None and result.get("nonce") == nonce:
                return result
    return None


def _load(text: str) -> Mapping[str, object] | None:
    try:
        value = json.loads(text)
        # Python parses NaN and infinity, which no other reader of our events would.
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return None
    known = isinstance(value, dict) and value.get("version") == RESULT_VERSION
    return value if known else None
