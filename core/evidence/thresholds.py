# SPDX-License-Identifier: Apache-2.0
"""Which PCC threshold measured numbers allow (spec 5.3): the lowest of all runs, a margin, two decimals."""

from collections.abc import Sequence
from decimal import ROUND_FLOOR, Decimal

from core.evidence.expected import Expected
from core.evidence.observation import Observation, lowest
from core.evidence.policy import PccPolicy

_STEP = Decimal("0.01")


def allowed(measured: float, policy: PccPolicy) -> float:
    """The highest threshold, in hundredths, that `measured` is more than the margin above."""
    room = Decimal(str(measured)) - Decimal(str(policy.margin))
    level = room.quantize(_STEP, ROUND_FLOOR)
    # Strictly above, as upstream's guidance has it.
    level -= _STEP if level == room else 0
    return float(min(level, Decimal(str(policy.highest))))


def raised(rows: Sequence[Observation], expected: Expected, policy: PccPolicy) -> float | None:
    """The threshold that passes allow to raise to, or to enable; None where nothing is to change.

    A number of 1 that stands for "close enough" raises nothing by itself, and of training the tags hold the forward
    number only (spec 5.3, 11).
    """
    measured = [row for row in rows if not row.shortcut]
    if expected.training or not measured or any(row.pcc is None for row in measured):
        return None
    level = allowed(lowest(measured) or 0.0, policy)
    if level > expected.required_pcc:
        return level
    room = Decimal(str(lowest(measured))) - Decimal(str(policy.margin))
    enable = not expected.pcc_checked and room > Decimal(str(expected.required_pcc))
    return expected.required_pcc if enable else None


def lowered(rows: Sequence[Observation], expected: Expected, policy: PccPolicy) -> float | None:
    """The threshold that results below the present one still reach; None where that would be too low for any."""
    numbers = [row.pcc for row in rows if row.pcc is not None]
    # A low result without a number has one that is none.
    if not numbers or any(row.pcc is None for row in rows):
        return None
    level = allowed(min(numbers), policy)
    return level if policy.lowest <= level < expected.required_pcc else None
