# SPDX-License-Identifier: Apache-2.0
"""Tests that only reports of CI know: of PJRT, which is no Python, and those that this checkout does not have."""

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from core import evidence, handwritten
from core.base.errors import UsageError
from core.domain.areas import AREAS, BENCHMARKS, MODELS, OPS, area_of
from core.kinds import benchmark
from core.kinds.kind import EVERY, Kind, Section
from core.matrix import REPORTED_KIND, Column, Matrix, OtherRows, load, store, with_other_rows

if TYPE_CHECKING:
    from core.evidence import Observation
    from core.matrix.cache import Cache
    from core.workspace import Workspace

_MOST_NAMED = 5


class ReportedKind(Kind):
    """What hand-written tests and benchmarks leave of the tests in reports. Nothing says what is expected of it."""

    name = REPORTED_KIND
    noun = "reported test"
    written_in = "reports of CI: this checkout does not have them"
    from_reports = True
    areas = tuple(area for area in AREAS if area not in (MODELS, BENCHMARKS, OPS))
    fields = (*(one for one in EVERY if one != "status"), "verdict")
    columns = ("id", "verdict")
    facets = ("area", "verdict")
    overview: ClassVar = {"all": ""}

    def rows_at_once(self, matrix: Matrix, cache: "Cache") -> OtherRows | None:
        found = load(cache.file(self.name))
        return found if isinstance(found, OtherRows) else None

    def add(self, matrix: Matrix, on: "Workspace") -> Matrix:
        reported = {cell.test_id for cell in evidence.handwritten_store(on.checkout, on.paths).cells()}
        if reported:
            own = {test.node_id for test in handwritten.read_tests(on.cache).tests}
            known = benchmark.known_targets(matrix, on.cache)
            reported = {id for id in reported - own if not known.intersection(benchmark.targets_of(id))}
        rows, before = rows_of(sorted(reported)), matrix.of_kind(self.name)
        if before is not None and before.ids == rows.ids:
            return matrix
        # `rows_at_once` has those of the last look.
        store(on.cache.file(self.name), rows)
        return with_other_rows(matrix, rows)

    def find(self, text: str, on: "Workspace") -> str:
        """By id, or by a part of one that begins as no file does."""
        if "::" not in text or text.partition("::")[0] in ("op", benchmark.NAME):
            return ""
        ids = on.matrix and self.add(on.matrix, on).of_kind(self.name)
        known = ids.ids if ids else ()
        found = [text] if text in known else [id for id in known if text.lower() in id.lower() and ".py::" not in text]
        if len(found) > 1:
            shown = "\n".join(found[:_MOST_NAMED])
            raise UsageError(f"{text!r} matches {len(found)} reported tests", shown, "Give the whole id.")
        return found[0] if found else ""

    def sections(self, matrix: Matrix, id: str, on: "Workspace") -> Sequence[Section]:
        lines = (("area", area_of(id.partition("::")[0])), ("known from", self.written_in))
        return (Section("", lines),)

    def reported_ids(self, matrix: Matrix, reported: Collection[str]) -> Mapping[str, Sequence[str]]:
        rows = matrix.of_kind(self.name)
        return {id: (id,) for id in rows.ids if id in reported} if rows else {}

    def results(self, id: str, on: "Workspace") -> "Sequence[Observation]":
        return evidence.handwritten_observations(on.checkout, on.paths, (), id)


def rows_of(ids: Iterable[str]) -> OtherRows:
    """A row for each id; none has a file, because the checkout does not have the test."""
    found = tuple(ids)
    nothing = Column.of(["" for _ in found])
    return OtherRows(
        kind=REPORTED_KIND,
        ids=found,
        lines=array("I", bytes(4 * len(found))),
        status=nothing,
        columns={"reason": nothing, "file": nothing},
        flags={},
    )


KIND = ReportedKind()
