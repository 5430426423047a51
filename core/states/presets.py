# SPDX-License-Identifier: Apache-2.0
"""Presets that have another name: their jobs are the same ones, and so is what is found about them."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from core.domain.model import Finding
from core.sources.ci import Job


class RenamedPreset(NamedTuple):
    """A preset under another name. Names are relative to the directory of presets."""

    before: str
    after: str
    jobs: int
    """How many it has now."""
    same: bool
    """Whether these are all as before."""


def bare(job: Job) -> Job:
    """A job without its place."""
    return replace(job, file="", index=0)


def renamed_presets(before: Iterable[Job], after: Iterable[Job]) -> tuple[RenamedPreset, ...]:
    """The presets of a name that is gone whose jobs, or at least half of them, are in one of a new name."""
    old, new = _by_file(before), _by_file(after)
    shared = {
        (was, now): (old[was] & new[now]).total() / max(old[was].total(), new[now].total())
        for was in old.keys() - new
        for now in new.keys() - old
    }
    found: dict[str, RenamedPreset] = {}
    for (was, now), share in sorted(shared.items(), key=lambda pair: (-pair[1], pair[0])):
        if 2 * share >= 1 and was not in found and all(one.after != now for one in found.values()):
            found[was] = RenamedPreset(was, now, new[now].total(), old[was] == new[now])
    return tuple(found[was] for was in sorted(found))


def _by_file(jobs: Iterable[Job]) -> dict[str, Counter[Job]]:
    found: dict[str, Counter[Job]] = {}
    for job in jobs:
        found.setdefault(job.file, Counter())[bare(job)] += 1
    return found


def under_new_name(job: Job, renamed: Iterable[RenamedPreset]) -> Job:
    """A job of the first state, in the preset that has its objects now."""
    file = next((one.after for one in renamed if one.before == job.file), job.file)
    return job if file == job.file else replace(job, file=file)


def with_new_names(finding: Finding, renamed: Iterable[RenamedPreset]) -> Finding:
    """A finding of the first state, as the second one has it if all that changed are the names of presets."""
    names: Mapping[str, str] = {one.before: one.after for one in renamed}
    if not names:
        return finding
    pattern = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, names))})(?![\w-])")
    file, message = (pattern.sub(lambda hit: names[hit[0]], text) for text in (finding.file, finding.message))
    return finding._replace(file=file, message=message)
