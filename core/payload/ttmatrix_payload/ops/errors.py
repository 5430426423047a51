# SPDX-License-Identifier: Apache-2.0
"""Whether an error is the one that a case expects."""

from __future__ import annotations

import builtins
import re

from .cases import Raises

_WRAPPERS = ("torch._dynamo.exc", "torch._inductor.exc")
"""Errors of compilers that replace the op's own error and quote or chain it."""


def unexpected(error: Exception | None, expected: Raises, *, compiled: bool) -> str:
    """Why `error`, raised by an op, is not the expected one; empty if it is.

    If `compiled`, a compiler's error that quotes or chains the expected text also counts.
    """
    wanted = describe(expected)
    if error is None:
        return f"nothing was raised; expected is {wanted}"
    wrapped = compiled and type(error).__module__ in _WRAPPERS
    kind = getattr(builtins, expected.type, Exception)
    if (wrapped or isinstance(error, kind)) and any(_matches(one, expected) for one in _texts(error, wrapped)):
        return ""
    return f"raised {first_lines(error)}; expected is {wanted}"


def describe(expected: Raises) -> str:
    """The expected error for people, such as `RuntimeError with 'view'`."""
    text = f" with {expected.match!r}" if expected.match else ""
    return expected.type + text + (f" matching {expected.match_re!r}" if expected.match_re else "")


def first_lines(error: BaseException, most: int = 1500) -> str:
    """Type and text of an error, cut if it is long."""
    text = str(error).strip()
    whole = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return whole if len(whole) <= most else whole[:most] + " ..."


def _texts(error: BaseException, wrapped: bool) -> list[str]:
    texts = [str(error)]
    cause = error.__cause__ if wrapped else None
    while cause is not None and len(texts) < 10:
        texts.append(str(cause))
        cause = cause.__cause__
    return texts


def _matches(text: str, expected: Raises) -> bool:
    return expected.match in text and (not expected.match_re or re.search(expected.match_re, text) is not None)
