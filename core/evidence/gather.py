# SPDX-License-Identifier: Apache-2.0
"""All evidence of one checkout, and what it says under the policy that holds there."""

from collections.abc import Collection, Iterable
from operator import attrgetter

from core.evidence.hosts import without
from core.evidence.observation import Observation
from core.evidence.own_runs import own_observations
from core.evidence.policy import Found, find_policy
from core.evidence.stamp import store_file
from core.evidence.store import EvidenceStore
from core.evidence.verdicts import Verdicts
from core.matrix.cache import Cache
from core.matrix.matrix import Matrix
from core.runs.ages import own_runs
from core.runs.record import RunRecord
from core.runs.tree_reader import TreeReader
from core.settings import Paths
from core.sources.checkout import Checkout


def evidence_store(checkout: Checkout, paths: Paths) -> EvidenceStore:
    """Where reports about `checkout` are kept."""
    return EvidenceStore(store_file(paths.evidence, checkout.root))


def policy_of(checkout: Checkout, paths: Paths) -> Found:
    """The policy that holds for `checkout`. Raises TTMatrixError where the file that says it has a mistake."""
    return find_policy(checkout.root, paths.policy_file)


def gather(store: EvidenceStore, records: Iterable[RunRecord], checkout: Checkout) -> list[Observation]:
    """What reports and runs of `checkout` have shown, oldest first; `records` may be of other checkouts, too."""
    reader = TreeReader(checkout)
    # Both are nearly in order, which is what this sort is good at.
    found = [*store.observations(), *own_observations(own_runs([*records], reader), reader)]
    return sorted(found, key=attrgetter("when", "test_id", "arch", "run", "source"))


def verdicts_on(
    matrix: Matrix, cache: Cache, paths: Paths, records: Iterable[RunRecord], left_out: Collection[str] = ()
) -> Verdicts:
    """What all evidence says of every cell, but for that of the machines in `left_out`.

    The jobs are worked out anew where that must be, which takes a while.
    """
    from core.matrix.learn_jobs import learn

    observations = gather(evidence_store(matrix.checkout, paths), records, matrix.checkout)
    observations = without(observations, left_out) if left_out else observations
    return Verdicts(matrix, observations, policy_of(matrix.checkout, paths).policy, learn(cache, matrix))
