# SPDX-License-Identifier: Apache-2.0
"""Compare states in another process: reading one takes seconds, during which a thread here would delay every key."""

from collections.abc import Sequence

from core.edits import Operation
from core.edits.commit import Evidence
from core.matrix.cache import Cache, in_worker
from core.states.differing import Difference, difference
from core.states.pull_requests import PullRequest, pending_pull_request, pull_request_of
from core.states.state import States

_Name = tuple[str, str]
"""The name of a state, and the commit of its models, which is mostly empty."""


def difference_elsewhere(states: States, before: _Name, after: _Name) -> Difference:
    """As `difference`."""
    return in_worker(_difference, states.cache, states.op_directories, before, after)


def pull_request_elsewhere(states: States, revision: str) -> PullRequest:
    """As `pull_request_of`."""
    return in_worker(_pull_request, states.cache, states.op_directories, revision)


def pending_text_elsewhere(states: States, operations: Sequence[Operation], evidence: Evidence) -> str:
    """The text of `pending_pull_request`."""
    return in_worker(_pending, states.cache, states.op_directories, operations, evidence)


def _difference(cache: Cache, op_directories: Sequence[str], before: _Name, after: _Name) -> Difference:
    states = States(cache, op_directories)
    return difference(states.at(*before), states.at(*after))


def _pull_request(cache: Cache, op_directories: Sequence[str], revision: str) -> PullRequest:
    return pull_request_of(States(cache, op_directories), cache.index()[0], revision)


def _pending(cache: Cache, op_directories: Sequence[str], operations: Sequence[Operation], evidence: Evidence) -> str:
    states = States(cache, op_directories)
    return pending_pull_request(states, cache.index()[0], operations, evidence).markdown
