# SPDX-License-Identifier: Apache-2.0
"""Numbers that results have measured, one after the other, as bars."""

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING

from core import evidence
from core.base.text import bars, pcc_text
from tui.view_models.style import seconds_text

if TYPE_CHECKING:
    from core.evidence import Observation

MEASURED: Mapping[str, tuple[Callable[["Observation"], float | None], Callable[[float], str]]] = {
    "pcc": (lambda row: row.pcc, lambda one: pcc_text(one).lstrip("0")),
    "time": (lambda row: row.seconds, seconds_text),
}
"""Each number with its text."""


def course_text(rows: Sequence["Observation"], name: str, strip: int = 0) -> str:
    """`▅▂▆▂▆ .9922`: a number of the results in a strip, the lowest one as the shortest bar, and the newest one.

    The bars have `strip` cells. Empty if fewer than two numbers are known.
    """
    number, text = MEASURED[name]
    found = [number(row) for row in evidence.summary_of("", rows).rows]
    known = [one for one in found if one is not None and isfinite(one)]
    return f"{bars(found):>{strip}} {text(known[-1])}" if len(known) > 1 else ""
