# SPDX-License-Identifier: Apache-2.0
"""Retention: which ended runs to remove, by count, age and size, oldest first, and never a cited one."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from core.runs.store.record import RunRecord

_DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Policy:
    """The limits; 0: no limit."""

    runs: int = 0
    days: float = 0.0
    size: int = 0
    """Bytes."""


def surplus(
    records: Iterable[RunRecord],
    policy: Policy,
    *,
    now: float,
    cited: Callable[[str], bool],
    size: Callable[[RunRecord], int],
) -> Sequence[RunRecord]:
    """The runs to remove under `policy`, oldest first.

    `records` are newest first, `now` is in seconds since the epoch. `cited` says whether a run id is still cited; such
    runs, and those that have not ended, count but are not removed.
    """
    taken, given_up = 0, []
    for count, record in enumerate(records, 1):
        taken += size(record) if policy.size else 0
        over = 0 < policy.runs < count or 0 < policy.size < taken
        old = policy.days > 0 and now - _created(record) > policy.days * _DAY
        if (over or old) and not record.active and not cited(record.spec.run_id):
            given_up.append(record)
    return given_up[::-1]


def size_on_disk(directory: Path) -> int:
    """Total size of the files of a run, in bytes."""
    return sum(file.lstat().st_size for file in directory.rglob("*") if file.is_symlink() or file.is_file())


def _created(record: RunRecord) -> float:
    try:
        return datetime.fromisoformat(record.spec.created).timestamp()
    except ValueError:
        return 0.0
