# SPDX-License-Identifier: Apache-2.0
"""Compare states in another process: reading one takes seconds, during which a thread here would delay every key."""

from collections.abc import Sequence

from core.matrix.cache import Cache, ask_worker, be_worker
from core.states.differing import Difference, difference
from core.states.pull_requests import PullRequest, pull_request_of
from core.states.state import States

_DIFFERENCE, _PULL_REQUEST = "difference", "pull request"


def difference_elsewhere(states: States, before: tuple[str, str], after: tuple[str, str]) -> Difference:
    """As `difference`. Each state is given by its name and the commit of its models, which is mostly empty."""
    return ask_worker(__name__, states.cache, Difference, _DIFFERENCE, *before, *after, *states.op_directories)


def pull_request_elsewhere(states: States, revision: str) -> PullRequest:
    """As `pull_request_of`."""
    return ask_worker(__name__, states.cache, PullRequest, _PULL_REQUEST, revision, *states.op_directories)


def _compare(cache: Cache, words: Sequence[str]) -> Difference | PullRequest:
    kind, first, *rest = words
    if kind == _PULL_REQUEST:
        states = States(cache, rest)
        return pull_request_of(states, cache.index()[0], first)
    models, after, models_after, *directories = rest
    states = States(cache, directories)
    return difference(states.at(first, models), states.at(after, models_after))


if __name__ == "__main__":
    be_worker(_compare)
