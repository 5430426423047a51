# SPDX-License-Identifier: Apache-2.0
"""Whether two results are the same failure; the reasons themselves are those of `core.runs`."""

from core.evidence.observation import Observation
from core.runs import (
    FAMILIES as FAMILIES,
    alike as alike,
    is_about_numbers as is_about_numbers,
    normalise as normalise,
    quotable as quotable,
    quoted_pcc as quoted_pcc,
    signature as signature,
    without_links as without_links,
)


def with_issue(reason: str, issue: str) -> str:
    """A reason with a link to an issue, in the form that the team uses most (docs/rules.md 2.7)."""
    return f"{reason} - {issue}" if issue and issue not in reason else reason


def same_failure(one: Observation, other: Observation) -> bool:
    """Whether two results are the same failure: by the line to quote, else by the part that stays from run to run."""
    if one.ending is not other.ending:
        return False
    if not (one.reason and other.reason) or alike(one.reason, other.reason):
        return True
    return not (one.raised and other.raised) and alike(one.steady, other.steady)
