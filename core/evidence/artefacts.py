# SPDX-License-Identifier: Apache-2.0
"""What the place of a report says of it: CI names artefacts by attempt, runner, mark and job (spec 3.4)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_ARTEFACT = re.compile(r"test-reports-(?P<matrix>.+?)-(?P<attempt>\d{1,9})\.(?P<index>\d+)-(?P<job>.+)-(?P<id>\d+)")
_SUFFIX = re.compile(r"\.(?:xml|zip)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """What a path tells."""

    run: str
    """What the reports that lie together belong to."""
    arch: str = ""
    job: str = ""
    """Runner and mark of the CI job, as its artefact spells them."""
    attempt: int = 0
    """Of the run, from 1; 0 where the path does not say."""


def place_of(parts: Sequence[str], archs: Sequence[str], *, alone: bool = False) -> Place:
    """The place of a report with the path `parts`, archives counting as directories.

    A report that was asked for by itself, not with its directory, is a run of its own.
    """
    names = [_SUFFIX.sub("", part) for part in parts]
    found = next((match for name in reversed(names) if (match := _ARTEFACT.fullmatch(name))), None)
    if found is not None:
        above = names[: max(at for at, name in enumerate(names) if _ARTEFACT.fullmatch(name))]
        run = next((name for name in reversed(above) if _ARTEFACT.fullmatch(name) is None), "") or found["matrix"]
        return Place(run, arch_in(found["job"], archs), found["job"], int(found["attempt"]))
    arch = next(filter(None, (arch_in(name, archs) for name in reversed(names))), "")
    return Place(names[-1] if alone or len(names) < 2 else names[-2], arch)


def arch_in(text: str, archs: Sequence[str]) -> str:
    """The arch that stands first in `text` as a word of its own; of those that begin there the longest."""
    alternatives = "|".join(re.escape(arch) for arch in sorted(archs, key=len, reverse=True))
    match = re.search(rf"(?<![A-Za-z0-9])(?:{alternatives})(?![A-Za-z0-9])", text) if alternatives else None
    return match[0] if match else ""
