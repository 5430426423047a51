# SPDX-License-Identifier: Apache-2.0
"""Which entries have been proven wrong: their test passed where they expect it not to."""

from collections.abc import Iterable

from core.matrix.columns import Column
from core.matrix.index import Matrix
from core.matrix.scope import Plain
from core.model import Status

STALE = "stale"
_EXPECT_NO_PASS = (Status.KNOWN_FAILURE_XFAIL, Status.NOT_SUPPORTED_SKIP)


def stale_facts(matrix: Matrix, passed: Iterable[tuple[str, str]]) -> Plain:
    """The rows that the cells in `passed`, by id and arch, prove to be stale, as a column that says so."""
    rows = {
        matrix.rows[id]: STALE
        for id, arch in passed
        if id in matrix.rows and arch in matrix.status and matrix.status[arch][matrix.rows[id]] in _EXPECT_NO_PASS
    }
    return Plain({STALE: Column.sparse(len(matrix.ids), "", rows)})
