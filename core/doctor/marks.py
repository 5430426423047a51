# SPDX-License-Identifier: Apache-2.0
"""Parts of a mark expression that no test of a model can fit: markers that none has together (docs/rules.md 3.1)."""

import itertools
from collections.abc import Collection, Iterable, Iterator, Set

from core.ci import mark_matches, names_in
from core.domain.model import TEST_MODULE, Status

MOST_NAMES = 12
"""An expression with more names is not tried with every set of them."""
_PLACEHOLDER = "placeholder"
_OF_PLACEHOLDERS = frozenset({_PLACEHOLDER, "model_test", "no_auto_properties", "parametrize"})
"""A placeholder has no other markers."""
_ONE_OF = (
    frozenset(status.lower() for status in Status),
    frozenset({"inference", "training"}),
    frozenset({"single_device", "data_parallel", "tensor_parallel"}),
)
"""A test has one marker of each of these."""


def only_models(paths: str) -> bool:
    """Whether paths for pytest are those of the tests of models and of nothing else."""
    above = TEST_MODULE.rpartition("/")[0]
    found = [path.partition("::")[0].removeprefix("./").rstrip("/") for path in paths.split()]
    return bool(found) and all(path in (TEST_MODULE, above) for path in found)


def sets_of(names: Collection[str]) -> Iterator[frozenset[str]]:
    """All sets of some names, the smallest first."""
    return (frozenset(some) for size in range(len(names) + 1) for some in itertools.combinations(names, size))


def never_together(mark: str, free: Iterable[str] = ()) -> tuple[str, str] | None:
    """A name that selects nothing in an expression, with one that no test has together with it; None: there is none.

    Entries add the markers `free` to any test. The expression is one that pytest accepts.
    """
    names = sorted(names_in(mark))
    if len(names) > MOST_NAMES:
        return None
    clashes = {some: _clash(some - set(free)) for some in sets_of(names)}
    fits = {some for some in clashes if mark_matches(mark, some)}
    for name in names:
        # Where the name alone decides: with it the expression fits, and without it no more.
        decided = [some for some in clashes if name in some and some in fits and some - {name} not in fits]
        if decided and all(clashes[some] for some in decided):
            first, second = clashes[decided[0]] or ("", "")
            return (second, first) if second == name else (first, second)
    return None


def _clash(markers: Set[str]) -> tuple[str, str] | None:
    """Two markers that no test has at once; None: a test may have all of them."""
    others = sorted(markers - _OF_PLACEHOLDERS)
    if _PLACEHOLDER in markers and others:
        return _PLACEHOLDER, others[0]
    for group in _ONE_OF:
        if len(both := sorted(group & markers)) > 1:
            return both[0], both[1]
    return None
