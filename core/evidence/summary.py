# SPDX-License-Identifier: Apache-2.0
"""The evidence of one cell in one line: a mark for each result, the number of passes, the range of the PCC."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.base.text import pcc_text
from core.evidence.observation import RAN, Ending, Observation, Origin

MARKS: Mapping[Ending, str] = {
    Ending.PASSED: "P",
    Ending.INACCURATE: "i",
    Ending.FLAKY: "~",
    Ending.FAILED: "x",
    Ending.CRASHED: "C",
    Ending.HUNG: "H",
    Ending.SLOW: "S",
    Ending.OUT_OF_TIME: "T",
    Ending.NOT_RUN: "-",
    Ending.BROKEN: "?",
}
_NEWEST = 12
"""The most marks that are shown."""


@dataclass(frozen=True, slots=True)
class CellSummary:
    """The results of one cell, oldest first."""

    arch: str
    ci: tuple[Observation, ...]
    here: tuple[Observation, ...]

    @property
    def rows(self) -> tuple[Observation, ...]:
        return (*self.ci, *self.here)

    @property
    def count(self) -> str:
        """The passes among the results that say something about the model: `6/7`."""
        return passes_of(self.rows).text

    @property
    def pcc(self) -> str:
        """The range of the measured values, `.991-.994`; empty if there are none."""
        found = [row.pcc for row in self.rows if row.pcc is not None and math.isfinite(row.pcc) and not row.shortcut]
        if not found:
            return "nan" if any(row.pcc is not None and math.isnan(row.pcc) for row in self.rows) else ""
        low, high = _number(min(found)), _number(max(found))
        return low if low == high else f"{low}-{high}"

    @property
    def strip(self) -> str:
        """`p150 PPPxPPP+PP 8/9`: the results after the plus are from this machine."""
        return self.strip_in(0)

    def strip_in(self, cells: int) -> str:
        """The strip, with so many cells for the marks of CI: the newest one is at their right."""
        both = marks(self.ci).rjust(cells) + (f"+{marks(self.here)}" if self.here else "")
        return " ".join(filter(None, (self.arch, both, self.count)))

    @property
    def text(self) -> str:
        """`p150 PPPxPPP+PP 8/9 pcc .991-.994`: the strip with the range of the PCC."""
        return self.with_pcc(0)

    def with_pcc(self, cells: int) -> str:
        """The same, with so many cells for the marks of CI."""
        strip = self.strip_in(cells)
        return f"{strip} pcc {self.pcc}" if self.pcc else strip


def summary_of(arch: str, observations: Iterable[Observation]) -> CellSummary:
    """The newest results of one cell, local runs apart from those of CI."""
    rows = sorted(observations, key=lambda row: row.when)
    ci, here = ([row for row in rows if row.origin is origin] for origin in (Origin.CI, Origin.HERE))
    return CellSummary(arch, tuple(ci[-_NEWEST:]), tuple(here[-_NEWEST:]))


def summary_text(observations: Mapping[str, Iterable[Observation]], strip: int = 0) -> str:
    """`n150 xxx 0/3  p150 PPP 3/3  pcc p150 .992`, by arch: what is cut off in a narrow column comes last.

    The marks of CI have `strip` cells, so that the newest ones of several rows are below each other.
    """
    cells = [summary_of(arch, rows) for arch, rows in observations.items()]
    if len(cells) == 1:
        return cells[0].with_pcc(strip)
    measured = [cell for cell in cells if cell.pcc]
    pcc = ["pcc " + " ".join(f"{cell.arch} {cell.pcc}" for cell in measured)] if measured else []
    return "  ".join((*(cell.strip_in(strip) for cell in cells), *pcc))


def longest_strip(tests: Iterable[Mapping[str, Sequence[Observation]]]) -> int:
    """The most marks of CI that a strip of these tests has."""
    longest = 0
    for cells in tests:
        for rows in cells.values():
            if len(rows) > longest:
                longest = max(longest, min(_NEWEST, sum(row.origin is Origin.CI for row in rows)))
        if longest == _NEWEST:
            break
    return longest


class Passes(NamedTuple):
    """How often something passed."""

    passed: int
    ran: int

    @property
    def text(self) -> str:
        """`6/7`"""
        return f"{self.passed}/{self.ran}"


def passes_of(rows: Iterable[Observation]) -> Passes:
    """How many of these results passed, of those that say something about the model."""
    ran = [row.ending for row in rows if row.ending in RAN]
    return Passes(ran.count(Ending.PASSED), len(ran))


def passes_text(tests: Iterable[Mapping[str, Passes]]) -> str:
    """`n150 30/30  p150 0/30`, by arch: how often the tests of a group passed; empty without results."""
    found: dict[str, Passes] = {}
    for cells in tests:
        for arch, one in cells.items():
            before = found.get(arch, _NONE)
            found[arch] = Passes(before.passed + one.passed, before.ran + one.ran)
    return "  ".join(f"{arch} {one.text}" for arch, one in found.items())


_NONE = Passes(0, 0)


def marks(rows: Sequence[Observation]) -> str:
    """A letter for each result."""
    return "".join(MARKS[row.ending] for row in rows)


def _number(pcc: float) -> str:
    """Three digits, never rounded up: .9899 does not pass a threshold of .99."""
    return pcc_text(pcc, 3).replace("0.", ".", 1)
