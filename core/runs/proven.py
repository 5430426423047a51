# SPDX-License-Identifier: Apache-2.0
"""What runs on devices here have shown of cells: the newest result of each counts."""

from collections.abc import Iterable

from core.runs.outcome import FAILURES, HARMLESS, Outcome
from core.runs.record import RunRecord

_RESULTS = FAILURES | HARMLESS


def passed_cells(records: Iterable[RunRecord]) -> frozenset[tuple[str, str]]:
    """The cells, by id and arch, whose newest run that came to a result has passed.

    A run that claimed no device says nothing of one, whoever ran the test. Device runs ask pytest to run what is
    skipped and not to expect failures, so a pass is one (spec 5.3).
    """
    newest: dict[tuple[str, str], RunRecord] = {}
    for record in records:
        spec = record.spec
        if spec.devices and spec.arch and record.outcome in _RESULTS:
            cell = (spec.test_id, spec.arch)
            if cell not in newest or newest[cell].spec.run_id < spec.run_id:
                newest[cell] = record
    return frozenset(cell for cell, record in newest.items() if record.outcome is Outcome.PASS)
