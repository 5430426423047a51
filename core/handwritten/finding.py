# SPDX-License-Identifier: Apache-2.0
"""Find the hand-written tests that a person means by node id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.base.errors import UsageError
from core.base.text import counted
from core.sources.handwritten import ROOTS

if TYPE_CHECKING:
    from core.sources.handwritten import HandwrittenTest, Suite

_SHOWN = 5


def is_place(text: str) -> bool:
    """Whether a text looks like a node id in a Python file, or like a distinctive part of one."""
    return ".py::" in text and not text.startswith("tests/runner/")


def named(suite: Suite, text: str) -> HandwrittenTest:
    """The test that a node id or a part of one names. Raises UsageError if that is none or several."""
    exact = [test for test in suite.tests if test.node_id == text]
    found = exact or [test for test in suite.tests if text.lower() in test.node_id.lower()]
    if len(found) == 1 or exact:
        return found[0]
    if not found:
        hint = "See: ttmatrix list --kind handwritten"
        # If the parameters of a function are unknown, any item of it may be meant.
        for test in suite.tests:
            if test.unknown and text.startswith(f"{test.node_id}[") and text.endswith("]"):
                given = text[len(test.node_id) + 1 : -1]
                return test._replace(id=given, parameters={"?": given})
        raise UsageError(f"No hand-written test {text!r}", f"Nothing below {', '.join(ROOTS)} has this id.", hint)
    shown = "\n".join(test.node_id for test in found[:_SHOWN])
    raise UsageError(f"{text!r} matches {counted(len(found), 'hand-written test')}", shown, "Give the whole node id.")


def items(suite: Suite, text: str) -> list[HandwrittenTest]:
    """The tests to run for a node id: as `named`, but for a function, a class or a file all of their items."""
    within = [test for test in suite.tests if test.node_id.startswith((f"{text}[", f"{text}::"))]
    return within if within and not any(test.node_id == text for test in suite.tests) else [named(suite, text)]
