# SPDX-License-Identifier: Apache-2.0
"""core.runs.escalation: every process gets each signal once, at its time."""

import signal

from core.base.processes import ProcessIdentity
from core.runs.escalation import CLEANING_SECONDS, Escalation

ONE, OTHER = ProcessIdentity(1, 1.0), ProcessIdentity(2, 1.0)
BOTH = frozenset({ONE, OTHER})


def test_each_signal_goes_once_to_each_and_the_next_only_after_its_grace() -> None:
    escalation = Escalation((10.0, 5.0, 2.0))
    assert escalation.due(100.0, BOTH) == (signal.SIGINT, BOTH)
    assert escalation.due(105.0, BOTH) == (signal.SIGINT, frozenset())
    assert escalation.due(110.0, BOTH) == (signal.SIGTERM, BOTH)
    assert escalation.due(115.0, BOTH) == (signal.SIGKILL, BOTH)
    assert escalation.due(116.9, BOTH) == (signal.SIGKILL, frozenset())
    assert not escalation.exhausted
    assert escalation.due(117.0, BOTH) == (signal.SIGKILL, frozenset())
    assert escalation.exhausted


def test_what_begins_after_the_interrupt_cleans_up_and_is_given_the_time() -> None:
    escalation = Escalation((10.0, 5.0, 5.0))
    assert escalation.due(0.0, frozenset({ONE})) == (signal.SIGINT, frozenset({ONE}))
    for now in (0.5, 9.9, 10.0, 60.0):
        assert escalation.due(now, BOTH) == (signal.SIGINT, frozenset())
    assert escalation.due(61.9, frozenset({ONE})) == (signal.SIGINT, frozenset()), "the next one may begin"
    assert escalation.due(62.0, frozenset({ONE})) == (signal.SIGTERM, frozenset({ONE})), "it is done"
    assert escalation.due(63.0, BOTH) == (signal.SIGTERM, frozenset({OTHER}))


def test_cleaning_up_ends_too() -> None:
    escalation = Escalation((10.0, 5.0, 5.0))
    escalation.due(0.0, frozenset({ONE}))
    assert escalation.due(10.0 + CLEANING_SECONDS, BOTH) == (signal.SIGTERM, BOTH)
    assert escalation.due(15.0 + CLEANING_SECONDS, BOTH) == (signal.SIGKILL, BOTH)
