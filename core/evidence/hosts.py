# SPDX-License-Identifier: Apache-2.0
"""Machines that fail alone, on cells that pass on others (a bad card, a full disk, another firmware)."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from core.evidence.observation import FAILURES, Ending, Observation, newest

_LEAST_CELLS = 3
_LEAST_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class Suspect:
    """A machine that fails alone."""

    host: str
    failed: int
    """Cells whose last result on it is a failure, while every other machine that ran them passed last."""
    shared: int
    """Cells that both it and another machine ran."""


class HostShare(NamedTuple):
    """What some cells show of a machine."""

    host: str
    failed: int
    """See `Suspect`."""
    shared: int


def shares_of(observations: Iterable[Observation]) -> tuple[HostShare, ...]:
    """What the last results of these cells show of each machine. Shares of other cells can be added."""
    by_host: dict[str, list[Observation]] = defaultdict(list)
    for row in observations:
        by_host[row.host].append(row)
    endings: dict[tuple[str, str], dict[str, Ending]] = defaultdict(dict)
    for host, rows in by_host.items():
        for row in newest(rows):
            endings[row.cell][host] = row.ending
    alone, shared = (dict.fromkeys(by_host, 0) for _ in range(2))
    for by in endings.values():
        for host in by if len(by) > 1 else ():
            shared[host] += 1
            others = [ending for other, ending in by.items() if other != host]
            alone[host] += by[host] in FAILURES and all(one is Ending.PASSED for one in others)
    return tuple(HostShare(host, count, shared[host]) for host, count in alone.items() if host and shared[host])


def suspects(shares: Iterable[HostShare]) -> tuple[Suspect, ...]:
    """Machines that fail at least three cells, and half of those they share, that all others pass; worst first."""
    failed: Counter[str] = Counter()
    shared: Counter[str] = Counter()
    for one in shares:
        failed[one.host] += one.failed
        shared[one.host] += one.shared
    found = [Suspect(host, count, shared[host]) for host, count in failed.items()]
    worst = [one for one in found if one.failed >= _LEAST_CELLS and one.failed >= _LEAST_SHARE * one.shared]
    return tuple(sorted(worst, key=lambda one: (-one.failed, one.host)))
