# SPDX-License-Identifier: Apache-2.0
"""Half a year of nightlies of any matrix, with planted regressions, flaky tests, a bad machine, drift and stale entries."""

import random
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.base.settings import paths
from core.domain.model import BringupStatus, Status
from core.evidence import Ending, Observation, evidence_store
from core.evidence.reports import JUnitReport
from core.evidence.verdicts.expected import Declared, declared_on
from core.matrix import Matrix, index
from core.sources import Checkout
from tests.support.evidence import report, seen
from tests.support.tree import INFERENCE, loader_source, write_checkout

DAY = 86_400.0
BAD_HOST = "host-5"
_HOSTS, _FILES, _JOB_HOURS = 6, 12, 3
_OTHER = "error: failed to legalize operation 'stablehlo.gather' that was explicitly marked illegal"
_LEAST = 0.9
_TESTS = 45

Cell = tuple[str, str]


@dataclass
class Planted:
    """Planted problems, by the finding that they must cause; each cell once."""

    regressed: set[Cell] = field(default_factory=set)
    fixed: set[Cell] = field(default_factory=set)
    flaky: set[Cell] = field(default_factory=set)
    stale: set[Cell] = field(default_factory=set)
    corrected: set[Cell] = field(default_factory=set)
    sinking: set[Cell] = field(default_factory=set)
    """Their PCC falls below the threshold, a little each night."""
    drifted: set[Cell] = field(default_factory=set)
    """Expected to fail, but they fail for another reason."""


def planted_checkout(root: Path, nights: int) -> tuple[Checkout, "Nights"]:
    """A checkout of 45 tests on two archs with `nights` nightlies, the last one yesterday, in its store."""
    failing = '    status: KNOWN_FAILURE_XFAIL\n    reason: "Out of Memory"\n'
    passing = "    status: EXPECTED_PASSING\n"
    entries = "".join(
        f"  alpha/pytorch-v{at:02}-single_device-inference:\n    supported_archs: [n150, p150]\n"
        + (failing if at % 3 == 0 else passing)
        for at in range(_TESTS)
    )
    loaders = {"alpha/pytorch": loader_source([f"v{at:02}" for at in range(_TESTS)])}
    checkout = write_checkout(root, loaders, {INFERENCE: f"test_config:\n{entries}"})
    made = Nights(index(checkout), time.time(), nights, each=3)
    evidence_store(checkout, paths()).add(made.reports())
    return checkout, made


class Nights:
    """Nightlies that end the night before `now`, in seconds since the epoch."""

    def __init__(self, matrix: Matrix, now: float, nights: int = 180, cells: int = 4000, each: int = 5) -> None:
        """`each` cells are planted of every kind; a night has at most `cells`."""
        self.nights, self.each = nights, each
        self._first = (now // DAY - nights) * DAY + _JOB_HOURS * 3600
        declared = _declared(matrix)
        self.cells = dict(list(declared.items())[:cells])
        self.planted = Planted()
        self.silent = {nights - 50, nights - 49}
        """Nights that did not take place."""
        self.broken = nights - 20
        """A night in which no job reached its model."""
        chance = random.Random(11)
        passing = [cell for cell, one in self.cells.items() if _expects_pass(one)]
        failing = [cell for cell, one in self.cells.items() if one.status is Status.KNOWN_FAILURE_XFAIL and one.reason]
        # Only the last arch of each test, so that one cell's results do not affect another.
        passing, failing = _one_each(passing), _one_each(failing)
        chance.shuffle(passing)
        chance.shuffle(failing)
        plan = self.planted
        for some in (plan.regressed, plan.fixed, plan.flaky, plan.sinking, plan.corrected):
            some.update(passing.pop() for _ in range(each))
        for some in (plan.stale, plan.drifted):
            some.update(failing.pop() for _ in range(each))

    def moment(self, night: int) -> float:
        """When a night began."""
        return self._first + night * DAY

    def day(self, night: int) -> str:
        """The day of a night."""
        return datetime.fromtimestamp(self.moment(night), UTC).date().isoformat()

    def name(self, night: int) -> str:
        """The run name of a night."""
        return f"nightly-{self.day(night)}"

    def reports(self) -> Iterator[JUnitReport]:
        """Every report of every night."""
        chance = random.Random(7)
        for night in sorted(set(range(self.nights)) - self.silent):
            parts: list[list[Observation]] = [[] for _ in range(_FILES)]
            for number, (cell, one) in enumerate(self.cells.items()):
                parts[number % _FILES].append(self._result(cell, one, night, number, chance))
            for number, rows in enumerate(parts):
                if rows:
                    yield report(*rows, digest=f"{night}-{number}", run=self.name(night))

    def _result(self, cell: Cell, one: Declared, night: int, number: int, chance: random.Random) -> Observation:
        # Each night on another machine than the previous night.
        host = f"host-{(number + night) % _HOSTS}"
        left = self.nights - night
        corrected = cell in self.planted.corrected and 30 < left <= 60
        expected = Status.KNOWN_FAILURE_XFAIL if corrected else one.status
        ending, reason = self._ending(cell, one, night, chance)
        if ending is not Ending.NOT_RUN and night == self.broken:
            ending, reason = Ending.BROKEN, "OSError: no space left on device"
        elif ending is not Ending.NOT_RUN and host == BAD_HOST and left <= 30 and chance.random() < 0.6:
            ending, reason = Ending.FAILED, "RuntimeError: Device 0 is not responding"
        # Near enough to the threshold that none is raised; below it by a little more each night.
        pcc: float | None = one.required_pcc + chance.uniform(0.001, 0.003)
        stage = BringupStatus.PASSED
        if ending is Ending.INACCURATE:
            pcc, stage = one.required_pcc - 0.002 - (25 - left) * 0.0005, BringupStatus.INCORRECT_RESULT
        elif ending is not Ending.PASSED:
            pcc, stage = None, one.bringup or BringupStatus.UNKNOWN
        return seen(
            ending, test_id=cell[0], arch=cell[1], when=self.moment(night), run=self.name(night), host=host,
            expected=expected, reason=reason, pcc=pcc, pcc_required=one.required_pcc, stage=stage,
            job=f"job-{number % _FILES}", commit=f"{night:040x}",
        )  # fmt: skip

    def _ending(self, cell: Cell, one: Declared, night: int, chance: random.Random) -> tuple[Ending, str]:
        """The result of a cell without planted problems, and the reason."""
        left, plan = self.nights - night, self.planted
        if one.status is Status.NOT_SUPPORTED_SKIP:
            return Ending.NOT_RUN, ""
        if one.status is Status.KNOWN_FAILURE_XFAIL and not (cell in plan.stale and left <= 40):
            return Ending.FAILED, _OTHER if cell in plan.drifted and left <= 30 else one.reason
        if (cell in plan.regressed and left <= 5) or (cell in plan.fixed and left > 6):
            return Ending.FAILED, "RuntimeError: shape mismatch"
        if cell in plan.flaky and night % 2 == 0 and chance.random() > 0.1:
            return Ending.FAILED, "Timeout"
        return (Ending.INACCURATE if cell in plan.sinking and left <= 25 else Ending.PASSED), ""


def differences(made: Nights, found: Mapping[str, Any]) -> Mapping[str, tuple[set[Cell], set[Cell]]]:
    """Where the report `found` differs from what was planted: missing cells, and unexpected ones."""
    plan = made.planted

    def cells(rows: list[Mapping[str, Any]]) -> set[Cell]:
        return {(row["id"], row["arch"]) for row in rows}

    turned = found["turned"]
    pairs = {
        "broke": (plan.regressed, cells([one for one in turned if one["turn"] == "broke"])),
        "fixed": (plan.fixed, cells([one for one in turned if one["turn"] == "fixed"])),
        "flaky": (plan.flaky, cells(found["flaky"])),
        "stale": (plan.stale, cells(found["stale"])),
        "corrected": (plan.corrected, cells(found["corrected"])),
        "days without results": (
            {(made.day(one), "") for one in made.silent},
            {(one, "") for one in found["days_without_results"]},
        ),
        "broken runs": ({(made.name(made.broken), "")}, {(one["run"], "") for one in found["runs"] if one["broken"]}),
    }
    wrong = {name: (want - have, have - want) for name, (want, have) in pairs.items() if want != have}
    counts = {"regressed": plan.regressed, "flaky": plan.flaky, "pcc-tight": plan.sinking, "drifted": plan.drifted}
    for verdict, some in counts.items():
        if (number := found["verdicts"][verdict]) != len(some):
            wrong[f"verdict {verdict}: {number}"] = some, set()
    passing = found["verdicts"]["stale"] + found["verdicts"]["semi-stale"]
    if passing != len(plan.stale):
        wrong[f"verdicts stale: {passing}"] = plan.stale, set()
    return wrong


def _declared(matrix: Matrix) -> Mapping[Cell, Declared]:
    """The declaration of each cell whose test has the marker of its arch."""
    found: dict[Cell, Declared] = {}
    for id, entry in matrix.entries.items():
        if id in matrix.rows:
            marked = matrix.flags["arch"][matrix.rows[id]]
            archs = [arch for arch in matrix.schema.archs if arch in marked]
            found |= {
                (id, arch): one for arch, one in declared_on(entry, archs) if one.status is not Status.EXCLUDE_MODEL
            }
    return found


def _expects_pass(one: Declared) -> bool:
    return one.status is Status.EXPECTED_PASSING and one.pcc_checked and one.required_pcc > _LEAST + 0.05


def _one_each(cells: list[Cell]) -> list[Cell]:
    return list({id: (id, arch) for id, arch in cells}.values())
