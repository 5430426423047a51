# SPDX-License-Identifier: Apache-2.0
"""Attempts of one run on one cell are one observation: CI runs what has failed again, under the same run."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from core.evidence.observation import Observation


@dataclass(frozen=True, slots=True)
class Attempt:
    """One observation and which attempt of its run it is from."""

    observation: Observation
    number: int = 0
    """From 1; 0 where nothing says so."""
    named: bool = False
    """A person said what run it belongs to, so whatever that run says of the cell again is another attempt."""


def fold_attempts(attempts: Iterable[Attempt]) -> list[Observation]:
    """The last attempt of each, with how many there were, oldest first. The order of `attempts` does not matter.

    What ran twice in one attempt, under two jobs of one name, ran twice.
    """
    single: list[Observation] = []
    groups: dict[tuple[str, ...], list[Attempt]] = {}
    for one in attempts:
        if one.named or one.number:
            seen = one.observation
            key = (seen.run, seen.job, seen.function, seen.test_id, seen.arch)
            groups.setdefault(key, []).append(one)
        else:
            single.append(one.observation)
    for group in groups.values():
        single.extend(_last(group))
    return sorted(single, key=_order)


def _last(group: list[Attempt]) -> Iterator[Observation]:
    if len(group) == 1:
        yield group[0].observation
        return
    if any(one.named for one in group):
        last = max(group, key=lambda one: (one.number, _order(one.observation)))
        yield replace(last.observation, attempts=len(group))
        return
    numbers = {one.number for one in group}
    for one in group:
        if one.number == max(numbers):
            yield replace(one.observation, attempts=len(numbers))


def _order(one: Observation) -> tuple[float, str, str, str, str]:
    return one.when, one.test_id, one.arch, one.run, one.source
