# SPDX-License-Identifier: Apache-2.0
"""Why a test failed: the live reason in words, and upstream's name for it if there is one.

See docs/rules.md 4.5, 5.1, 5.2.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterable
from dataclasses import dataclass

from .reason_rules import METAL, RULES, SWEEPS, TORCH, TTNN, XLA, Rule


@dataclass(frozen=True)
class FailingReason:
    """The tag `failing_reason`."""

    name: str | None = None
    description: str | None = None
    component: str | None = None
    summary: str | None = None


SKIPPED = FailingReason("NOT_SUPPORTED_AND_SKIPPED", "Model is not supported (skipped)")
_OOM = "OUT_OF_MEMORY"
PCC_DISABLED = FailingReason("INCORRECT_RESULT_PCC_DISABLED", "Test marked w/ INCORRECT_RESULT. PCC check disabled.")


def live_reason(error: BaseException, output: str) -> str:
    """The failure in one text: the essential part of the first line of `output` that upstream would take, else `error`.

    A harmless line with `error:` takes precedence over the exception, as it does upstream.
    """
    for line in output.split("\n"):
        begin = next((begin for sign, begin in _SIGNS if re.search(sign, line)), None)
        if begin is not None:
            return line[line.index(begin) :].strip() if begin in line else str(error)
    return str(error)


_SIGNS = (
    ("(?i:circular buffers)", "Statically allocated"),
    ("Out of Memory: Not enough space to allocate", "Out of Memory"),
    ("error:", "error:"),
)
"""Patterns that select a line, and the place where its essential part begins."""


_LIBRARIES = r"libtt_metal\.so|_ttnncpp\.so|libTTMLIRRuntime\.so"
_ORIGINS = {
    METAL: (("libtt_metal", "_ttnncpp", "libTTMLIRRuntime"), "(?!)"),
    TTNN: (("_ttnncpp|libTTMLIRCompiler", "libTTMLIRRuntime"), r"libtt_metal\.so"),
    TORCH: ((), _LIBRARIES),
    SWEEPS: ((), _LIBRARIES),
}
"""By component, library names that the log must contain, and those that it must not.

Upstream also uses the last frame in its own files, which our runner does not have.
"""
_SUMMARIES = (
    "TT_THROW: Statically allocated circular buffers on core range",
    "Bad StatusOr access: INTERNAL: Error code: 13",
)


def failing_reason(error: BaseException, output: str) -> FailingReason:
    """Upstream's name for `error`; without one, the name of its class and the live reason."""
    log = "".join([*traceback.format_exception(error)])
    for rule in RULES:
        if _fits(rule, error, log, output):
            summary = next((text for text in _SUMMARIES if text in log + output), "")
            return FailingReason(rule.name, rule.description, rule.component, summary if rule.name == _OOM else "")
    return FailingReason(type(error).__name__, live_reason(error, output))


def _fits(rule: Rule, error: BaseException, log: str, output: str) -> bool:
    message, both = str(error), log + output
    if rule.exception not in ("", type(error).__name__) or (rule.without and re.search(rule.without, both)):
        return False
    texts = ((rule.message, message), (rule.log, log), (rule.output, output), (rule.anywhere, both))
    return _is_of(rule.component, message, log) and all(_has(text, patterns) for patterns, text in texts)


def _is_of(component: str | None, message: str, log: str) -> bool:
    if component == XLA:
        return not re.search(rf"{_LIBRARIES}|libTTMLIRCompiler\.so", message)
    wanted, never = _ORIGINS.get(component or "", ((), "(?!)"))
    return _has(log, wanted) and not re.search(never, log)


def _has(text: str, patterns: Iterable[str]) -> bool:
    return all(re.search(pattern, text) for pattern in patterns)
