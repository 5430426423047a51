# SPDX-License-Identifier: Apache-2.0
"""What is known of the failures of a run: since when, whether they come and go, the issue that their entry cites."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from core.domain.model import Entry
from core.evidence.nightly.cells import Key, NightCell
from core.evidence.observation import Observation
from core.evidence.series import series_of
from core.evidence.store import EvidenceStore

MOST_CELLS = 400
"""Of so many cells the history is read: a night with more has another trouble."""
_ISSUE = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+/(?:issues|pull)/\d+", re.ASCII)


class Known(NamedTuple):
    """What is known of a failing cell."""

    since: str
    """The first run of its uninterrupted failures; empty: unknown."""
    good: str
    """The run of its last pass before; empty: it never passed."""
    flaky: bool
    issue: str
    """The address of the issue that its entry cites; empty: none."""


def known_of(
    cells: Iterable[NightCell], stores: Sequence[EvidenceStore], entry: Callable[[str], Entry | None]
) -> Mapping[Key, Known]:
    """What is known of these cells, until the run that they are of."""
    by_id: dict[str, list[NightCell]] = {}
    for cell in [*cells][:MOST_CELLS]:
        by_id.setdefault(cell.id, []).append(cell)
    return dict(_known(by_id, stores, entry))


def _known(
    by_id: Mapping[str, Sequence[NightCell]], stores: Sequence[EvidenceStore], entry: Callable[[str], Entry | None]
) -> Iterator[tuple[Key, Known]]:
    for id, cells in by_id.items():
        rows = [row for store in stores for row in store.of_test(id)]
        issue = issue_in(entry(id))
        for cell in cells:
            yield (cell.id, cell.arch), _of_cell(cell, rows, issue)


def _of_cell(cell: NightCell, rows: Sequence[Observation], issue: str) -> Known:
    mine = series_of(row for row in rows if row.arch == cell.row.arch and row.when <= cell.row.when)
    first, good = mine.first_bad, mine.last_good
    return Known(first.run if first else "", good.run if good else "", mine.flaky, issue)


def issue_in(entry: Entry | None) -> str:
    """The first issue that an entry cites."""
    found = _ISSUE.search(str(entry.fields)) if entry else None
    return found[0] if found else ""
