# SPDX-License-Identifier: Apache-2.0
"""core.runs.escalation: every process gets each signal once, at its time."""

import signal

from core.proc import ProcessIdentity
from core.runs.escalation import Escalation

ONE, OTHER = ProcessIdentity(1, 1.0), ProcessIdentity(2, 1.0)
BOTH = frozenset({ONE, OTHER})


def test_each_signal_goes_once_to_each_and_the_next_only_after_its_grace() -> None:
    escalation = Escalation((10.0, 5.0, 2.0))
    assert escalation.due(100.0, frozenset({ONE})) == (signal.SIGINT, frozenset({ONE}))
    assert escalation.due(105.0, frozenset({ONE})) == (signal.SIGINT, frozenset())
    assert escalation.due(110.0, BOTH) == (signal.SIGTERM, BOTH)
    assert escalation.due(115.0, BOTH) == (signal.SIGKILL, BOTH)
    assert escalation.due(116.9, BOTH) == (signal.SIGKILL, frozenset())
    assert not escalation.exhausted
    assert escalation.due(117.0, BOTH) == (signal.SIGKILL, frozenset())
    assert escalation.exhausted


def test_a_process_that_appears_meanwhile_gets_the_signal_of_the_moment() -> None:
    escalation = Escalation((1.0, 1.0, 1.0))
    escalation.due(0.0, frozenset({ONE}))
    assert escalation.due(0.5, BOTH) == (signal.SIGINT, frozenset({OTHER}))
