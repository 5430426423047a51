# SPDX-License-Identifier: Apache-2.0
"""A marker that keeps a test in CI if its proposal would remove it (docs/rules.md 3.6)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from core.ci import Ci
from core.edits import Operation, OpKind
from core.evidence.proposals.proposal import Proposal, ci_after
from core.matrix import Matrix, resolve, texts

SCHEDULES = ("weekly", "nightly")
"""Markers that scheduled jobs select, the cheaper one first."""
_MARKERS = "markers"


class ScheduleMarker(NamedTuple):
    """A marker of a schedule that keeps a test in CI."""

    marker: str
    ops: tuple[Operation, ...]
    """The operations of the proposal, and one for each place that gets the marker."""
    jobs: int
    """How many scheduled jobs would newly select the test, on all archs."""


def schedule_markers(matrix: Matrix, ci: Ci, proposals: Iterable[Proposal]) -> Mapping[str, ScheduleMarker]:
    """The markers, by id, for those tests of `proposals` that would leave CI and that a marker can keep there.

    Among several ways, the one that adds the fewest jobs is taken, then the one with the fewest operations.
    """
    leaving = [one for one in proposals if one.leaves]
    found: dict[str, ScheduleMarker] = {}
    for marker in SCHEDULES:
        for everywhere in (True, False):
            tried = {one.id: (*one.ops, *_marked(matrix, one, marker, everywhere=everywhere)) for one in leaving}
            after = ci_after(matrix, ci, tried)
            left = ci.archs_left(after, tried)
            for one in leaving:
                gained, _ = ci.gained_and_lost(after, one.id)
                way = ScheduleMarker(marker, tried[one.id], len(gained))
                if one.id not in left and (one.id not in found or _cost(way) < _cost(found[one.id])):
                    found[one.id] = way
    return found


def with_schedule_markers(proposals: Iterable[Proposal], found: Mapping[str, ScheduleMarker]) -> tuple[Proposal, ...]:
    """`proposals` with the operations that keep their tests in CI added."""
    return tuple(
        one
        if (marked := found.get(one.id)) is None
        else replace(one, ops=marked.ops, leaves=(), note=_note(one, marked))
        for one in proposals
    )


def _note(one: Proposal, way: ScheduleMarker) -> str:
    return "; ".join(filter(None, (one.note, f"the marker {way.marker} keeps it in CI")))


def _cost(way: ScheduleMarker) -> tuple[int, int]:
    return way.jobs, len(way.ops)


def _marked(matrix: Matrix, one: Proposal, marker: str, *, everywhere: bool) -> Iterator[Operation]:
    """Add a marker to the entry, or only on the archs that leave CI, and to overrides that already have markers."""
    entry = matrix.entries.get(one.id)
    overridden = {arch for arch, fields in entry.overrides.items() if _MARKERS in fields} if entry else set()
    if everywhere:
        yield _add(one, (_MARKERS,), resolve(entry, _MARKERS, None).value, marker)
    for arch in one.leaves:
        if not everywhere or arch in overridden:
            yield _add(one, ("arch_overrides", arch, _MARKERS), resolve(entry, _MARKERS, arch).value, marker)


def _add(one: Proposal, path: tuple[str, ...], present: object, marker: str) -> Operation:
    return Operation(OpKind.SET, one.id, one.base.file, path, list(dict.fromkeys((*texts(present), marker))))
