# SPDX-License-Identifier: Apache-2.0
"""Placeholders of models that are planned and have no loader yet."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar

from core import ci
from core.domain.ids import pasted
from core.domain.model import Function, node_id
from core.kinds.kind import EVERY, Kind
from core.matrix import PLACEHOLDER_KIND, Matrix, OtherRows

if TYPE_CHECKING:
    from core.matrix.cache import Cache
    from core.sources.ci import Job
    from core.workspace import Workspace


_GROUP = "red"
"""The group of every placeholder (docs/rules.md 2.5)."""


class PlaceholderKind(Kind):
    """Names in the file of placeholders (docs/rules.md 2.5)."""

    name = PLACEHOLDER_KIND
    noun = "placeholder"
    written_in = "test_config_placeholders.yaml"
    collected = True
    real = False
    fields = (*EVERY, "bringup", "group", "name", "job", "function", "model")
    columns = ("id", "bringup", "model", "reason")
    facets = ("bringup", "group", "job")
    groupings = ("bringup", "reason", "file")
    same_in_all: ClassVar = {"is": name, "function": Function.PLACEHOLDER}

    def rows_at_once(self, matrix: Matrix, cache: "Cache") -> OtherRows | None:
        return matrix.planned

    def find(self, text: str, workspace: "Workspace") -> str:
        function, name = pasted(text)
        planned = workspace.matrix.planned
        known = planned is not None and name in planned.ids and function in ("", Function.PLACEHOLDER)
        return name if known else ""

    def selected_by(self, rows: OtherRows) -> object:
        return rows.ids

    def selected(self, rows: OtherRows, jobs: Iterable["Job"], cache: "Cache") -> Mapping[str, Iterable["Job"]]:
        return {name: ci.placeholder_jobs(jobs, name) for name in rows.ids}

    def model_texts(self, rows: OtherRows) -> Mapping[str, Iterable[str]]:
        """Group and name in reports (docs/rules.md 2.5)."""
        return {"group": [_GROUP] * len(rows.ids), "name": rows.columns["model"].texts()}

    def node_id(self, id: str, matrix: Matrix) -> str:
        return node_id(Function.PLACEHOLDER, id)


KIND = PlaceholderKind()
