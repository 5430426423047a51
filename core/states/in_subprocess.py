# SPDX-License-Identifier: Apache-2.0
"""Compare states in another process: reading one takes seconds, during which a thread here would delay every key."""

import threading
from collections.abc import Sequence

from core.edits import Operation
from core.edits.commit import Evidence
from core.matrix.cache import Cache, in_worker, in_worker_until
from core.states.differing import Difference, difference
from core.states.pull_requests import PullRequest, pending_pull_request, pull_request_of
from core.states.state import States

_Name = tuple[str, str]
"""The name of a state, and the commit of its models, which is mostly empty."""


def difference_elsewhere(
    states: States, before: _Name, after: _Name, stop: threading.Event | None = None
) -> Difference:
    """As `difference`. Raises Cancelled once `stop` is set; the parts that were read by then stay cached."""
    return in_worker_until(stop, _difference, states.cache, states, before, after)


def pull_request_elsewhere(states: States, revision: str) -> PullRequest:
    """As `pull_request_of`."""
    return in_worker(_pull_request, states.cache, states, revision)


def pending_text_elsewhere(states: States, operations: Sequence[Operation], evidence: Evidence) -> str:
    """The text of `pending_pull_request`."""
    return in_worker(_pending, states.cache, states, operations, evidence)


def _difference(_: Cache, states: States, before: _Name, after: _Name) -> Difference:
    return difference(states.at(*before), states.at(*after))


def _pull_request(_: Cache, states: States, revision: str) -> PullRequest:
    return pull_request_of(states, states.cache.index()[0], revision)


def _pending(_: Cache, states: States, operations: Sequence[Operation], evidence: Evidence) -> str:
    return pending_pull_request(states, states.cache.index()[0], operations, evidence).markdown
