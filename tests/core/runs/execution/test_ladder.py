# SPDX-License-Identifier: Apache-2.0
"""core.runs.ladder: every process gets each signal once, at its time."""

import signal

from core.proc import ProcessIdentity
from core.runs.ladder import Ladder

ONE, OTHER = ProcessIdentity(1, 1.0), ProcessIdentity(2, 1.0)
BOTH = frozenset({ONE, OTHER})


def test_each_signal_goes_once_to_each_and_the_next_only_after_its_grace() -> None:
    ladder = Ladder((10.0, 5.0, 2.0))
    assert ladder.climb(100.0, frozenset({ONE})) == (signal.SIGINT, frozenset({ONE}))
    assert ladder.climb(105.0, frozenset({ONE})) == (signal.SIGINT, frozenset())
    assert ladder.climb(110.0, BOTH) == (signal.SIGTERM, BOTH)
    assert ladder.climb(115.0, BOTH) == (signal.SIGKILL, BOTH)
    assert ladder.climb(116.9, BOTH) == (signal.SIGKILL, frozenset())
    assert not ladder.exhausted
    assert ladder.climb(117.0, BOTH) == (signal.SIGKILL, frozenset())
    assert ladder.exhausted


def test_whoever_appears_meanwhile_gets_the_signal_of_the_moment() -> None:
    ladder = Ladder((1.0, 1.0, 1.0))
    ladder.climb(0.0, frozenset({ONE}))
    assert ladder.climb(0.5, BOTH) == (signal.SIGINT, frozenset({OTHER}))
