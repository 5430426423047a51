# SPDX-License-Identifier: Apache-2.0
"""Runs within so many hours: the first ones that fit, by their estimates."""

import statistics
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from core.base.errors import TTMatrixError, UsageError
from core.base.text import counted
from core.runs.spec import RunSpec

_GUESS = 600.0
"""Seconds of a run if nothing at all is known."""
_RAN = 10.0
"""Seconds that loading any model takes: what took less in CI was skipped there, or failed at once."""


class Fitting(NamedTuple):
    """What fits into a time."""

    specs: list[RunSpec]
    left: list[TTMatrixError]
    """The reason for each test that does not fit."""


def guess_of(specs: Sequence[RunSpec]) -> float:
    """The seconds of a run without an estimate: the middle one of the others that ran a model."""
    known = [one.estimate for one in specs if one.estimate is not None and one.estimate >= _RAN]
    return statistics.median(known or [_GUESS])


def fitting(specs: Sequence[RunSpec], hours: float) -> Fitting:
    """The runs that fit, one after the other, in their order; a test that is too long leaves its time to later ones."""
    guess, room = guess_of(specs), hours * 3600
    why = f"Not within {counted(int(hours), 'hour') if hours == int(hours) else f'{hours:g} hours'}, by the estimates."
    found = Fitting([], [])
    for test, some in groupby(specs, lambda one: one.test_id):
        runs = list(some)
        seconds = sum(guess if one.estimate is None else one.estimate for one in runs)
        if seconds <= room:
            room -= seconds
            found.specs.extend(runs)
        else:
            found.left.append(UsageError(f"{test} is left out", why))
    return found
