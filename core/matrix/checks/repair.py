# SPDX-License-Identifier: Apache-2.0
"""The operations that put a value right which upstream cannot take as it is meant."""

from core.matrix.checks.defaults import says_nothing
from core.matrix.checks.written import Op, Path, Written
from core.matrix.field_values import RULES


def repair(one: Written, at: Path, value: object) -> tuple[Op, ...]:
    """Write at `at` what `value` was meant to be, or take it away where that says nothing; empty: a person must say."""
    better = RULES[at[-1]].repaired(value)
    if better is None or _silences_threshold(one, at, better):
        return ()
    return (one.unset(at) if says_nothing(one, at, better) else one.set(at, better),)


def _silences_threshold(one: Written, at: Path, value: object) -> bool:
    """Text in `assert_pcc` leaves PCC on: with a threshold beside it, either of the two can be the mistake."""
    return at[-1] == "assert_pcc" and value is False and any(way[-1] == "required_pcc" for way, _ in one.fields())
