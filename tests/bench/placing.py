# SPDX-License-Identifier: Apache-2.0
"""Runs placed on hosts by the real queue code, with a simulated clock: python -m tests.bench.placing CHECKOUT

The durations are those that CI has measured for the checkout; each run takes exactly its own.
"""

import argparse
import heapq
import random
import secrets
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from core.domain.model import Function
from core.runs import RunSpec
from core.runs.execution.placement import Going, Line, Slot, next_of
from core.runs.spec import run_id
from core.runs.store import Ticket
from core.sources import Checkout
from core.sources.ci import read_durations

ARCHS = ("n150", "p150")
_BEGIN = datetime(2026, 11, 23, tzinfo=UTC)
_SEED = 20


class Simulated(NamedTuple):
    """The results; times are simulated seconds, `computed` are those of a processor."""

    makespan: float
    ideal: float
    """A lower bound for any order: all hosts of an arch work without a pause, or the longest run starts at once."""
    computed: float
    most_at_a_time: int

    @property
    def ratio(self) -> float:
        return self.makespan / self.ideal


def runs(number: int, durations: Sequence[float]) -> list[RunSpec]:
    """Device runs, for the archs in turn, in an order unrelated to their durations."""
    chosen = random.Random(_SEED)
    found = []
    for place in range(number):
        now, token = _BEGIN + timedelta(seconds=place), secrets.token_hex(16)
        spec = RunSpec(
            run_id(now, token),
            f"model_{place}/pytorch-single_device-inference",
            Function.TORCH,
            "device",
            ARCHS[place % len(ARCHS)],
            ("true",),
            {},
            Path("/"),
            0.0,
            now.isoformat(),
            token,
            "device",
            0,
            devices=("*",),
            estimate=chosen.choice(durations),
            needs=ARCHS[place % len(ARCHS)],
        )
        found.append(spec)
    return found


def simulate(specs: Sequence[RunSpec], hosts: int) -> Simulated:
    """Queue `specs` at once for `hosts` hosts with a slot each, half of them of each arch."""
    line = Line()
    for place, spec in enumerate(specs):
        line.put(Ticket(spec.run_id, float(place)), spec)
    slots = [Slot(f"host-{one}", 0, frozenset((f"host-{one}", ARCHS[one % len(ARCHS)]))) for one in range(hosts)]
    at = {slot.host: place for place, slot in enumerate(slots)}
    going: dict[str, Going] = {}
    ends: list[tuple[float, str]] = []
    now, most = 0.0, 0
    begun = time.process_time()
    while len(line) or ends:
        moment = _BEGIN + timedelta(seconds=now)
        while chosen := next_of(line, list(going.values()), 2**40, slots, moment, {}):
            host = chosen.slot.host
            line.remove(chosen.spec.run_id)
            slots[at[host]] = replace(chosen.slot, taken=True)
            going[host] = Going(chosen.spec, 0.0, host)
            heapq.heappush(ends, (now + (chosen.spec.estimate or 0.0), host))
        most = max(most, len(going))
        now, host = heapq.heappop(ends)
        del going[host]
        slots[at[host]] = replace(slots[at[host]], taken=False)
    return Simulated(now, _ideal(specs, hosts), time.process_time() - begun, most)


def _ideal(specs: Sequence[RunSpec], hosts: int) -> float:
    by_arch = {arch: [spec.estimate or 0.0 for spec in specs if spec.needs == arch] for arch in ARCHS}
    each = hosts / len(ARCHS)
    return max(max(sum(times) / each, max(times)) for times in by_arch.values() if times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    durations = list(read_durations(Checkout(parser.parse_args().checkout))[0].values())
    for number, hosts in ((1_000, 8), (100_000, 200)):
        found = simulate(runs(number, durations), hosts)
        hours = f"{found.makespan / 3600:.1f} h, {found.ratio:.3f} of the ideal {found.ideal / 3600:.1f} h"
        print(f"{number:,} runs on {hosts} hosts: {hours}; computed in {found.computed:.1f} s")


if __name__ == "__main__":
    main()
