# SPDX-License-Identifier: Apache-2.0
"""The newest results of many cells, read together: verdicts only depend on these."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby, islice, pairwise
from operator import itemgetter
from typing import Any, NamedTuple

from core.domain.model import Function
from core.evidence.observation import Observation, order
from core.evidence.store_rows import BROKEN, COLUMNS, HAS_RUN, NOT_RUN, Reader, as_stored, as_text

_TESTS_AT_ONCE = 200
"""Results that are read together are in memory together."""


class Recent(NamedTuple):
    """The newest results of some cells of one test."""

    rows: list[Observation]
    """Oldest first."""
    not_run: Mapping[str, int]
    """The number of older results, by arch, that were not run."""
    broken: Mapping[str, int]
    """The number of older results, by arch, that broke before the model ran."""


def read_recent(
    connection: sqlite3.Connection,
    ids: Iterable[str],
    functions: Collection[Function],
    limits: Mapping[int, int],
    count_older: bool,
) -> Iterator[tuple[str, Recent]]:
    """The newest results of each cell of these tests and `functions`: of each kind as many as `limits` gives."""
    reader, left = Reader(connection), iter(ids)
    while some := list(islice(left, _TESTS_AT_ONCE)):
        archs = _cells(connection, reader, some, functions)
        rows: dict[int, dict[int, list[tuple[Any, ...]]]] = {}
        wanted = json.dumps([cell for cells in archs.values() for cell in cells])
        for kind, limit in ((kind, limit) for kind, limit in limits.items() if limit):
            found = connection.execute(_NEWEST, (wanted, kind, limit - 1)).fetchall()
            reader.prepare(found)
            # The rows of a cell follow each other.
            for cell, some_rows in groupby(found, key=_CELL):
                rows.setdefault(cell, {})[kind] = list(some_rows)
        for id in some:
            yield id, _recent(connection if count_older else None, reader, archs.get(id, {}), rows, limits)


def _cells(
    connection: sqlite3.Connection, reader: Reader, ids: Iterable[str], functions: Collection[Function]
) -> dict[str, dict[int, str]]:
    """The cells of each test, with their arch."""
    found: dict[str, dict[int, str]] = {}
    for id in ids:
        for cell, arch, function in connection.execute(_CELLS_OF, (as_stored(id),)):
            if function in functions:
                name = as_text(arch)
                found.setdefault(id, {})[cell] = name
                reader.know(cell, id, Function(function), name)
    return found


def _recent(
    connection: sqlite3.Connection | None,
    reader: Reader,
    archs: Mapping[int, str],
    rows: Mapping[int, Mapping[int, list[tuple[Any, ...]]]],
    limits: Mapping[int, int],
) -> Recent:
    """The newest results of the cells of one test; without a connection older ones are not counted."""
    found: list[tuple[Any, ...]] = []
    older: dict[int, dict[str, int]] = {NOT_RUN: {}, BROKEN: {}}
    for cell, arch in archs.items():
        kinds = rows.get(cell, {})
        for kind, some in kinds.items():
            # Several results may have the same time.
            found += some if len(some) <= limits[kind] else sorted(some, key=_AT)[-limits[kind] :]
        # If a cell has results that say something, verdicts do not depend on the number of others.
        for kind in (NOT_RUN, BROKEN) if len(kinds.get(HAS_RUN, ())) < limits[HAS_RUN] else ():
            if connection is not None and len(kinds.get(kind, ())) >= limits[kind]:
                count = connection.execute(_COUNT, (cell, kind)).fetchone()[0]
                older[kind][arch] = older[kind].get(arch, 0) + count - limits[kind]
    # Results of the same time are in the order of adding, as in other queries.
    found.sort(key=_ADDED)
    found.sort(key=_MOMENT)
    ready = reader.prepared(found)
    if any(one[5] == other[5] for one, other in pairwise(found)):
        # Rare: otherwise the order by time is complete.
        ready.sort(key=order)
    return Recent(ready, older[NOT_RUN], older[BROKEN])


_CELL = itemgetter(0)
_AT = itemgetter(5, 1, 10)
"""Time, session and number of a row with COLUMNS."""
_MOMENT = itemgetter(5)
_ADDED = itemgetter(1, 10)
"""Session and number."""
_CELLS_OF = "SELECT id, arch, function FROM cells WHERE test = ? ORDER BY id"
_COUNT = "SELECT count(*) FROM results WHERE cell = ? AND kind = ? AND attempts IS NOT 0"
# One statement for all cells: one for each takes three times as long.
_NEWEST = f"""SELECT {COLUMNS} FROM json_each(?1) AS wanted CROSS JOIN results
    ON results.cell = wanted.value AND results.kind = ?2 AND results.attempts IS NOT 0 AND results.at >= coalesce((
        SELECT at FROM results AS newer WHERE newer.cell = wanted.value AND newer.kind = ?2
        AND newer.attempts IS NOT 0 ORDER BY at DESC LIMIT 1 OFFSET ?3), 0)"""
