# SPDX-License-Identifier: Apache-2.0
"""core.cli.cluster_report: the age of a cluster (the rest is seen in the command's tests)."""

from core.cli.cluster_report import oldest
from core.evidence.clusters import Cluster, Member


def test_the_entry_that_has_stood_longest_counts() -> None:
    cluster = Cluster("x", "x", (Member("a", "n150"), Member("b", "n150"), Member("c", "n150")))
    assert oldest(cluster, {"a": 3, "b": 9}) == 9
    assert oldest(cluster, {}) is None
