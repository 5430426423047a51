# SPDX-License-Identifier: Apache-2.0
"""Which copy of a job runs a test: pytest-split's `least_duration` (spec 3.6)."""

import heapq
from collections.abc import Mapping, Sequence

from core.model import TEST_MODULE

_UNKNOWN_SECONDS = 1.0


def least_duration(names: Sequence[str], durations: Mapping[str, float], groups: int) -> dict[str, int]:
    """The group of each test, from 1, when `groups` copies share them.

    `names` are items in the order of their collection, as `function[id]`; `durations` are seconds by node id. Longest
    first, each test goes to the group with the least to do so far; what was never timed counts as the mean of the rest.
    """
    seconds = {name: durations[node] for name in names if (node := f"{TEST_MODULE}::{name}") in durations}
    unknown = sum(seconds.values()) / len(seconds) if seconds else _UNKNOWN_SECONDS
    # Ties go by the text of pytest's item, whose closing bracket puts `f[ab]` and `f[a]` in another order than ids.
    by_text = sorted(names, key=lambda name: f"<Function {name}>")
    load = [(0.0, group) for group in range(1, groups + 1)]
    placed: dict[str, int] = {}
    for name in sorted(by_text, key=lambda name: seconds.get(name, unknown), reverse=True):
        total, group = load[0]
        heapq.heapreplace(load, (total + seconds.get(name, unknown), group))
        placed[name] = group
    return placed
