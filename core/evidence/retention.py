# SPDX-License-Identifier: Apache-2.0
"""Retention by policy: new reports trigger, at most once a week, the removal of old results that repeat others."""

from core.evidence.store import EvidenceStore
from core.evidence.verdicts import Policy

_DAY = 86_400.0
_EVERY = 7 * _DAY


def retain(store: EvidenceStore, policy: Policy, now: float) -> int:
    """Remove the results that the policy does not retain, unless that was done within a week; returns their number.

    It reads every result: 2,000,000 take about ten seconds.
    """
    done = store.file.with_suffix(".thinned")
    if not policy.retention.days or not store.file.exists():
        return 0
    if done.exists() and now - done.stat().st_mtime < _EVERY:
        return 0
    gone = store.thin(now - policy.retention.days * _DAY, policy.retained, write=True)
    done.touch()
    return gone
