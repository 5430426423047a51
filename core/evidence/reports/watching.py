# SPDX-License-Identifier: Apache-2.0
"""Watch a directory for reports: yield those that exist, then new and changed ones."""

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from watchfiles import watch

from core.base.files import Stamp, stamp
from core.evidence.reports.reading import Reading, ReadOptions, read_reports

_LOOK_MS = 2000
"""Polling interval if the system reports no changes, as on network file systems."""


def changed_reports(directory: Path, given: ReadOptions, archs: Sequence[str]) -> Iterator[Reading]:
    """The reports in `directory`, then those of files that are new or have changed; ends on an interrupt.

    A file that is read before it is complete is a problem, and is read again when it has grown.
    """
    seen: dict[Path, Stamp] = {}

    def is_new(file: Path) -> bool:
        before, seen[file] = seen.get(file), stamp(file)
        return before != seen[file]

    looks = watch(directory, raise_interrupt=False, yield_on_timeout=True, rust_timeout=_LOOK_MS)
    for _ in chain([()], looks):
        reading = read_reports([directory], given, archs, is_new)
        if reading.reports or reading.problems:
            yield reading
