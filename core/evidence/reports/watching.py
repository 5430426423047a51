# SPDX-License-Identifier: Apache-2.0
"""Reports in a directory as they come: what is there, then what is new or has changed."""

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from watchfiles import watch

from core.evidence.reports.reading import Reading, ReadOptions, read_reports
from core.files import Stamp, stamp

_LOOK_MS = 2000
"""Where the system reports no changes, as on network file systems, the directory is looked through that often."""


def changed_reports(directory: Path, given: ReadOptions, archs: Sequence[str]) -> Iterator[Reading]:
    """The reports in `directory`, then those of files that are new or have changed; ends when it is interrupted.

    A file that is read before it is whole is a problem, and read again when it has grown.
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
