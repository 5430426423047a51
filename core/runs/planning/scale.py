# SPDX-License-Identifier: Apache-2.0
"""How much a launch is, in numbers: tests, time, disk and downloads. What is large is asked once more."""

import os
import shutil
import statistics
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from core.base.text import counted
from core.runs.planning.downloads import Download, size_text
from core.runs.spec import RunSpec, is_run_id
from core.runs.store import size_on_disk

MANY = 50
"""More tests than this at once may be a slip of the finger."""
_SAMPLE = 20
_LEAST_BYTES = 16 * 1024
"""The files that every run has, each at least a block of the disk."""
_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86_400.0


@dataclass(frozen=True, slots=True)
class Scale:
    """The numbers of a launch."""

    tests: int
    runs: int
    seconds: float | None
    """Until the last run has ended, as far as there are estimates; None: there are none."""
    guessed: int
    """Runs without an estimate, counted as the middle one of the others."""
    disk: int
    """Bytes that the directories of the runs are likely to take."""
    free: int | None
    """Bytes that are free there; None: unknown."""
    downloads: int
    known_bytes: int
    """The size of those whose size is known."""
    unknown: int
    """Downloads of unknown size."""

    @property
    def large(self) -> bool:
        """Whether a person is asked once more."""
        return self.tests > MANY or self.unknown > 0

    @property
    def lines(self) -> list[str]:
        """The numbers for a person, one a line."""
        return [
            f"Tests      {self.tests:,}{f' in {self.runs:,} runs' if self.runs != self.tests else ''}",
            f"Time       {self._time}",
            f"Disk       about {size_text(self.disk)}{f' of {size_text(self.free)} free' if self.free else ''}",
            f"Downloads  {self._downloads}",
        ]

    @property
    def _time(self) -> str:
        if self.seconds is None:
            return "unknown: no run like these has ended yet"
        rest = f"; {counted(self.guessed, 'run')} without an estimate" if self.guessed else ""
        return f"about {_duration(self.seconds)}{rest}"

    @property
    def _downloads(self) -> str:
        if not self.downloads:
            return "none"
        known = [size_text(self.known_bytes)] if self.known_bytes else []
        unknown = [f"{self.unknown:,} of unknown size"] if self.unknown else []
        return f"{self.downloads:,}: {' and '.join([*known, *unknown])}"


def scale_of(specs: Sequence[RunSpec], downloads: Sequence[Download], runs: Path) -> Scale:
    """The numbers of a launch; the runs are stored below `runs`, whose newest runs say how large one is."""
    seconds, guessed = _seconds(specs)
    sizes = [one.size for one in downloads]
    return Scale(
        tests=len({spec.test_id for spec in specs}) if not any(spec.cases for spec in specs) else len(specs),
        runs=len(specs),
        seconds=seconds,
        guessed=guessed,
        disk=len(specs) * _bytes_of_one(runs) + sum(size or 0 for size in sizes),
        free=_free(runs),
        downloads=len(sizes),
        known_bytes=sum(size or 0 for size in sizes),
        unknown=sizes.count(None),
    )


def _seconds(specs: Sequence[RunSpec]) -> tuple[float | None, int]:
    """How long the runs take, with as many at a time as their slots allow, and how many of them are guessed."""
    known = [spec.estimate for spec in specs if spec.estimate is not None]
    if not known:
        return None, len(specs)
    middle = statistics.median(known)
    sums: dict[str, float] = {}
    widths: dict[str, int] = {}
    for spec in specs:
        sums[spec.slots] = sums.get(spec.slots, 0.0) + (middle if spec.estimate is None else spec.estimate)
        widths[spec.slots] = max(1, spec.slot_count)
    return max(total / widths[slots] for slots, total in sums.items()), len(specs) - len(known)


def _bytes_of_one(runs: Path) -> int:
    try:
        newest = sorted(entry.name for entry in os.scandir(runs) if is_run_id(entry.name))[-_SAMPLE:]
    except OSError:
        return _LEAST_BYTES
    sizes: list[int] = []
    for name in newest:
        with suppress(OSError):
            sizes.append(size_on_disk(runs / name))
    return max(_LEAST_BYTES, int(statistics.median(sizes))) if sizes else _LEAST_BYTES


def _free(runs: Path) -> int | None:
    place = next((one for one in (runs, *runs.parents) if one.is_dir()), None)
    try:
        return shutil.disk_usage(place).free if place else None
    except OSError:
        return None


def _duration(seconds: float) -> str:
    if seconds < 2 * _MINUTE:
        return f"{max(1, round(seconds))} s"
    if seconds < 2 * _HOUR:
        return f"{round(seconds / _MINUTE)} min"
    if seconds < 2 * _DAY:
        return f"{seconds / _HOUR:.1f} h"
    return f"{seconds / _DAY:.1f} days"
