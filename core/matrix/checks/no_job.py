# SPDX-License-Identifier: Apache-2.0
"""Entries that CI never looks at: no scheduled job selects their test on any machine (spec 3.6)."""

from collections.abc import Iterator

from core.matrix.checks.check import Check
from core.matrix.effective import status_on
from core.matrix.matrix import Matrix
from core.matrix.selected import Selected
from core.model import Finding, Status

NO_JOB = Check("no-job", "an entry whose test no scheduled CI job selects")


def no_job_findings(matrix: Matrix, selected: Selected) -> Iterator[Finding]:
    """One finding an entry. Where there are no scheduled jobs at all, there is nothing to say."""
    for id, entry in matrix.entries.items() if selected.jobs else ():
        if selected.of(matrix.rows[id]):
            continue
        where = matrix.checkout.relative(matrix.checkout.test_config / entry.file)
        excluded = status_on(entry, None) is Status.EXCLUDE_MODEL
        why = "it is excluded from collection" if excluded else "no mark expression fits its markers"
        yield Finding(NO_JOB.kind, f"No scheduled CI job selects this test: {why}", where, entry.line, 3, id)
