# SPDX-License-Identifier: Apache-2.0
"""From a matrix to a selector: reads what else of the checkout decides which tests CI runs."""

from core.matrix.jobs import Selector
from core.matrix.markers import GroupOf, collect
from core.matrix.matrix import Matrix
from core.model import Finding
from core.sources.durations import read_durations
from core.sources.runnable import read_skip_prefixes


def read_selector(matrix: Matrix, group_of: GroupOf) -> tuple[Selector, tuple[Finding, ...]]:
    """A selector over the tests of `matrix` and its entries.

    Counts and groups are those of CI where the matrix holds the collected universe; which jobs select a test does
    not depend on that.
    """
    prefixes, prefix_findings = read_skip_prefixes(matrix.checkout)
    durations, duration_findings = read_durations(matrix.checkout)
    collection = collect(matrix, group_of, prefixes)
    return Selector(collection, matrix.entries, durations), (*prefix_findings, *duration_findings)
