# SPDX-License-Identifier: Apache-2.0
"""The lines that differ between two states, and the tests that a difference touches."""

from collections.abc import Iterable, Iterator
from difflib import unified_diff

from core.ids import TestId
from core.states.differing import Difference
from core.states.state import State

_NO_FILE = "/dev/null"


def code_diff(before: State, after: State, paths: Iterable[str]) -> list[str]:
    """A unified diff of files, given by their paths relative to the checkout. Raises TTMatrixError if git fails."""
    wanted = list(dict.fromkeys(paths))
    old, new = before.texts(wanted), after.texts(wanted)
    return [line for path in wanted for line in _diff(path, old.get(path), new.get(path))]


def _diff(path: str, old: str | None, new: str | None) -> Iterator[str]:
    before, after = (f"a/{path}" if old is not None else _NO_FILE, f"b/{path}" if new is not None else _NO_FILE)
    return iter(unified_diff((old or "").splitlines(), (new or "").splitlines(), before, after, lineterm=""))


def touched(found: Difference) -> tuple[str, ...]:
    """The tests that a difference touches and the second state has, those at most risk first.

    First those whose gate fell or that left CI, then entries with a test again, other requirements, other code, other
    fields, new entries; at last new tests that run on one device.
    """
    loaders = sorted(found.loaders, key=lambda one: not one.requirements)
    ordered = (
        *(one.id for one in found.fallen),
        *(one.id for one in found.left),
        *found.reached,
        *(id for one in loaders for id in one.entries),
        *(one.id for one in found.changed),
        *found.entries_added,
        *filter(_is_simple, found.added),
    )
    gone = {*found.removed, *found.orphaned}
    return tuple(id for id in dict.fromkeys(ordered) if id not in gone and "::" not in id)


def _is_simple(id: str) -> bool:
    parsed = TestId.parse(id)
    return (
        parsed is not None
        and parsed.llm is None
        and (parsed.parallelism, parsed.mode) == ("single_device", "inference")
    )
