# SPDX-License-Identifier: Apache-2.0
"""Placeholders of models that are planned and have no loader yet."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from core import ci, kinds, workspace
from core.base.text import counted
from core.domain.ids import pasted
from core.domain.model import Function, node_id
from core.kinds.kind import EVERY, Kind, Page, Section, Written
from core.matrix import PLACEHOLDER_KIND, Matrix, OtherRows

if TYPE_CHECKING:
    from core.base.files import Record
    from core.kinds.records import Row
    from core.matrix.cache import Cache
    from core.sources.ci import Job
    from core.workspace import Workspace, once


_GROUP = "red"
"""The group of every placeholder (docs/rules.md 2.5)."""


_MOST_TESTS = 200


class PlaceholderKind(Kind):
    """Names in the file of placeholders (docs/rules.md 2.5)."""

    name = PLACEHOLDER_KIND
    noun = "placeholder"
    written_in = "test_config_placeholders.yaml"
    collected = True
    written = Written.PLACEHOLDER
    real = False
    own_table = False
    fields = (*EVERY, "bringup", "group", "name", "job", "function", "model")
    columns = ("id", "bringup", "model", "reason")
    facets = ("bringup", "group", "job")
    groupings = ("bringup", "reason", "file")
    same_in_all: ClassVar = {"is": name, "function": Function.PLACEHOLDER}

    def rows_at_once(self, matrix: Matrix, cache: "Cache") -> OtherRows | None:
        return matrix.planned

    def find(self, text: str, on: "Workspace") -> str:
        function, name = pasted(text)
        planned = on.matrix.planned
        known = planned is not None and name in planned.ids and function in ("", Function.PLACEHOLDER)
        return name if known else ""

    def selected_by(self, rows: OtherRows) -> object:
        return rows.ids

    def selected(self, rows: OtherRows, jobs: Iterable["Job"], cache: "Cache") -> Mapping[str, Iterable["Job"]]:
        return {name: ci.placeholder_jobs(jobs, name) for name in rows.ids}

    def model_texts(self, rows: OtherRows) -> Mapping[str, Iterable[str]]:
        """Group and name in reports (docs/rules.md 2.5)."""
        return {"group": [_GROUP] * len(rows.ids), "name": rows.columns["model"].texts()}

    def details(self) -> "Sequence[once[Any]]":
        return (workspace.Workspace.placeholder_tests, workspace.Workspace.other_jobs)

    def sections(self, matrix: Matrix, id: str, on: "Workspace") -> Sequence[Section]:
        row = matrix.rows[id]
        lines = [(name, matrix.columns[name][row]) for name in ("model", "bringup", "reason")]
        place = ("place", f"{matrix.columns['file'][row]}:{matrix.line_of(row)}")
        return (Section("", (*lines, place)), self._tests(matrix, id, on))

    @staticmethod
    def _tests(matrix: Matrix, id: str, on: "Workspace") -> Section:
        """The tests of its model; where it has none, the models that are most like it."""
        known = on.known(workspace.Workspace.placeholder_tests)
        if known is None:
            return Section("tests of this model: …", ())
        tests, nearest = (one.get(id, ()) for one in known)
        if not tests:
            return Section(f"No loader has exactly this model{'; the nearest:' * bool(nearest)}", _named(nearest))
        lines = ((one, "has an entry" if one in matrix.entries else "") for one in tests[:_MOST_TESTS])
        return Section(f"{counted(len(tests), 'test')} of this model", tuple(lines))

    def job_lines(self, matrix: Matrix, id: str, on: "Workspace") -> Sequence[str] | None:
        known = on.known(workspace.Workspace.other_jobs)
        return None if known is None else [name for name, _ in known.get(id, ())]

    def records(
        self, matrix: Matrix, ids: Sequence[str], on: "Workspace", arch: str = "", *, broken: bool = False
    ) -> "Sequence[Row]":
        return [kinds.placeholder_row(matrix, id) for id in ids]

    def page(self, matrix: Matrix, id: str, on: "Workspace") -> Page | None:
        return kinds.placeholder_page(matrix, on.model_infos, id)

    def shown(self, matrix: Matrix, id: str, on: "Workspace") -> "Record":
        (found,) = kinds.placeholders_with_tests(matrix, on.model_infos, [id])
        return found

    def node_id(self, id: str, matrix: Matrix) -> str:
        return node_id(Function.PLACEHOLDER, id)


def _named(names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, "") for name in names)


KIND = PlaceholderKind()
