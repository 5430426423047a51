# SPDX-License-Identifier: Apache-2.0
"""Add observations to the store of a checkout as if they had been read from reports."""

from collections import Counter
from collections.abc import Sequence

from core.base.settings import paths
from core.evidence import Observation, store_file
from core.evidence.reports import JUnitReport
from core.evidence.store import EvidenceStore
from core.sources import Checkout


def keep(checkout: Checkout, observations: Sequence[Observation]) -> None:
    """Add `observations` to the evidence of `checkout`, with one report per run."""
    by_run: dict[str, list[Observation]] = {}
    for one in observations:
        by_run.setdefault(one.run, []).append(one)
    store = EvidenceStore(store_file(paths().state / "evidence", checkout.root))
    store.add(
        JUnitReport(f"{run} {len(rows)}", f"{run}.xml", run, 0, False, False, tuple(rows), Counter())
        for run, rows in by_run.items()
    )
