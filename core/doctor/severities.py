# SPDX-License-Identifier: Apache-2.0
"""How bad each kind of finding is. Apart from the checks, because `show` needs it and none of what they import."""

from core.domain.model import Severity

ERRORS = frozenset(
    {
        "bad-value",
        "broken-loader",
        "broken-preset",
        "broken-schema",
        "broken-test",
        "broken-workflow",
        "broken-yaml",
        "duplicate-key",
        "missing-filecheck",
        "missing-fixture",
        "missing-preset",
        "preset-key",
        "preset-machine",
        "preset-mark",
        "preset-path",
        "raising-loader",
        "unknown-arch",
        "unknown-field",
        "unknown-id",
    }
)
NOTES = frozenset(
    {
        "redundant-default",
        "redundant-override",
        "shadowed-status",
        "unused-filecheck",
        "unused-preset",
    }
)


def severity(kind: str) -> Severity:
    """How bad findings of a kind are: what is not listed here is a warning."""
    if kind in ERRORS:
        return Severity.ERROR
    return Severity.NOTE if kind in NOTES else Severity.WARNING
