# SPDX-License-Identifier: Apache-2.0
"""core.evidence.observation: a retry in CI makes one observation, two runs make two."""

import random

from core.evidence import Ending
from core.evidence.observation import Attempt, fold_attempts
from tests.support.evidence import seen


def test_the_last_attempt_counts() -> None:
    failed, passed = seen(Ending.FAILED, when=1.0), seen(when=2.0)
    (one,) = fold_attempts([Attempt(passed, 2), Attempt(failed, 1)])
    assert (one.ending, one.attempts) == (Ending.PASSED, 2)
    # If clocks differ, the number decides.
    (one,) = fold_attempts([Attempt(passed, 1), Attempt(failed, 2)])
    assert one.ending is Ending.FAILED


def test_of_a_run_that_a_person_named_the_last_result_counts() -> None:
    failed, passed = seen(Ending.FAILED, when=1.0), seen(when=2.0)
    (one,) = fold_attempts([Attempt(passed, named=True), Attempt(failed, named=True)])
    assert (one.ending, one.attempts) == (Ending.PASSED, 2)


def test_only_the_same_cell_of_the_same_run_and_job_is_another_attempt() -> None:
    others = [seen(), seen(arch="p150"), seen(run="other"), seen(job="j"), seen(test_id="x")]
    assert len(fold_attempts(Attempt(one, at + 1) for at, one in enumerate(others))) == len(others)
    assert len(fold_attempts([Attempt(seen())] * 2)) == 2


def test_what_ran_twice_in_one_attempt_ran_twice() -> None:
    found = fold_attempts([Attempt(seen(), 1), Attempt(seen(source="a"), 2), Attempt(seen(source="b"), 2)])
    assert [(one.source, one.attempts) for one in found] == [("a", 2), ("b", 2)]


def test_the_order_does_not_matter() -> None:
    attempts = [
        Attempt(seen(list(Ending)[n % 7], when=float(n % 3), source=str(n)), n % 2, n % 4 > 0) for n in range(20)
    ]
    wanted = fold_attempts(attempts)
    for seed in range(20):
        random.Random(seed).shuffle(attempts)
        assert fold_attempts(attempts) == wanted
