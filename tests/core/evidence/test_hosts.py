# SPDX-License-Identifier: Apache-2.0
"""core.evidence.hosts: machines on which tests fail that pass elsewhere."""

from core.evidence import Ending, Observation, Results
from core.evidence.hosts import Suspect, shares_of, suspects
from tests.support.evidence import observed


def _rows(host: str, *endings: Ending) -> list[Observation]:
    return [observed(ending, host=host, test_id=f"test-{at}") for at, ending in enumerate(endings)]


PASS, FAIL = Ending.PASSED, Ending.FAILED


def test_a_machine_that_fails_alone() -> None:
    rows = [*_rows("bad", FAIL, FAIL, FAIL, PASS), *_rows("good", PASS, PASS, PASS, PASS)]
    assert suspects(shares_of(rows)) == (Suspect("bad", 3, 4),)
    assert {row.host for row in Results(rows).without({"bad"}).all()} == {"good"}


def test_others_must_pass_and_it_must_be_more_than_chance() -> None:
    good = _rows("good", PASS, PASS, PASS, PASS, FAIL)
    assert suspects(shares_of([*good, *_rows("two", FAIL, FAIL, PASS)])) == ()
    assert (
        suspects(shares_of([*good, *_rows("all", FAIL, FAIL, FAIL, PASS, FAIL), *_rows("also", FAIL, FAIL, FAIL)]))
        == ()
    )
    passes = _rows("good", *[PASS] * 9)
    assert suspects(shares_of([*passes, *_rows("some", FAIL, FAIL, FAIL, *[PASS] * 6)])) == ()


def test_what_only_one_machine_ran_says_nothing() -> None:
    assert suspects(shares_of(_rows("only", FAIL, FAIL, FAIL, FAIL))) == ()


def test_the_newest_result_of_a_machine_counts() -> None:
    mended = [row for at in (1.0, 2.0) for row in _again("bad", at, FAIL if at == 1.0 else PASS)]
    assert suspects(shares_of([*_rows("good", PASS, PASS, PASS), *mended])) == ()


def _again(host: str, when: float, ending: Ending) -> list[Observation]:
    return [observed(ending, host=host, test_id=f"test-{at}", when=when) for at in range(3)]
