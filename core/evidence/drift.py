# SPDX-License-Identifier: Apache-2.0
"""Whether failures are still the one that the entry tells of, and if not, whether the model gets further."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.evidence.expected import Expected
from core.evidence.judgement import Direction
from core.evidence.observation import Ending, Observation
from core.evidence.reasons import alike, same_failure, telling
from core.model import BringupStatus

_ORDER = (
    BringupStatus.FAILED_FE_COMPILATION,
    BringupStatus.FAILED_TTMLIR_COMPILATION,
    BringupStatus.FAILED_RUNTIME,
    BringupStatus.INCORRECT_RESULT,
)


@dataclass(frozen=True, slots=True)
class Drift:
    """How failures differ from what the entry says."""

    direction: Direction
    why: str


def drift(rows: Sequence[Observation], expected: Expected) -> Drift | None:
    """How `rows`, all of them failures, differ from the entry; None where they do not, or nothing sure can be said."""
    stage = _stage(rows)
    if stage is not None and expected.bringup in _ORDER and stage is not expected.bringup:
        further = _ORDER.index(stage) - _ORDER.index(expected.bringup)
        direction = Direction.FORWARD if further > 0 else Direction.BACK
        return Drift(direction, f"ends in {stage}, the entry says {expected.bringup}")
    if (reason := _other_reason(rows, expected)) is None:
        return None
    direction = Direction.FORWARD if stage is BringupStatus.INCORRECT_RESULT else Direction.SAME
    return Drift(direction, f"fails for another reason: {reason}")


def _stage(rows: Sequence[Observation]) -> BringupStatus | None:
    """The one stage in which all of `rows` ended, as far as they say."""
    known = {row.stage for row in rows if row.stage in _ORDER}
    return known.pop() if len(known) == 1 else None


def _other_reason(rows: Sequence[Observation], expected: Expected) -> str | None:
    """The one reason that all of `rows` give, where the entry gives another."""
    # A declared reason or a message that stands for anything cannot be compared (spec 5.1).
    told = [row for row in rows if _says_something(row.reason)]
    if not told or not _says_something(expected.reason) or any(row.ending is Ending.CRASHED for row in rows):
        return None
    newest, different = told[-1], {(row.reason, row.raised): row for row in told}.values()
    same = any(alike(expected.reason, text) for row in different for text in (row.reason, row.raised) if text)
    return None if same or not all(same_failure(newest, row) for row in different) else newest.reason


@lru_cache(maxsize=65536)
def _says_something(reason: str) -> bool:
    return bool(telling(reason))
