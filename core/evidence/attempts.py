# SPDX-License-Identifier: Apache-2.0
"""Attempts of one run on one cell are one observation: CI runs what has failed again, under the same run."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from core.evidence.observation import Observation


@dataclass(frozen=True, slots=True)
class Attempt:
    """One observation and which attempt of its run it is from."""

    observation: Observation
    number: int
    """From 1; 0 where nothing says so."""
    grouped: bool
    """Whether what its run says of the same cell again is another attempt, and not simply another execution."""


def fold_attempts(attempts: Iterable[Attempt]) -> list[Observation]:
    """The last attempt of each, with how many there were, oldest first. The order of `attempts` does not matter."""
    single: list[Observation] = []
    groups: dict[tuple[str, ...], list[Attempt]] = {}
    for one in attempts:
        if one.grouped:
            seen = one.observation
            key = (seen.run, seen.job, seen.function, seen.test_id, seen.arch)
            groups.setdefault(key, []).append(one)
        else:
            single.append(one.observation)
    return sorted((*single, *(_last(group) for group in groups.values())), key=_order)


def _last(group: list[Attempt]) -> Observation:
    if len(group) == 1:
        return group[0].observation
    last = max(group, key=lambda one: (one.number, _order(one.observation)))
    return replace(last.observation, attempts=len(group))


def _order(one: Observation) -> tuple[float, str, str, str, str]:
    return one.when, one.test_id, one.arch, one.run, one.source
