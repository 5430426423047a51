# SPDX-License-Identifier: Apache-2.0
"""Placeholders of models that are planned and have no loader yet."""

from typing import TYPE_CHECKING

from core.domain.ids import pasted
from core.domain.model import Function, node_id
from core.kinds.kind import EVERY, Kind
from core.matrix import PLACEHOLDER_KIND, Matrix, OtherRows
from core.matrix.query import Query

if TYPE_CHECKING:
    from core.matrix.cache import Cache
    from core.workspace import Workspace


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

    def asked_by(self, query: Query) -> bool:
        asked = (("is", self.name), ("function", Function.PLACEHOLDER))
        return super().asked_by(query) or any(query.asks(field, text) for field, text in asked)

    def rows_at_once(self, matrix: Matrix, cache: "Cache") -> OtherRows | None:
        return matrix.planned

    def find(self, text: str, workspace: "Workspace") -> str:
        function, name = pasted(text)
        planned = workspace.matrix.planned
        known = planned is not None and name in planned.ids and function in ("", Function.PLACEHOLDER)
        return name if known else ""

    def node_id(self, id: str, matrix: Matrix) -> str:
        return node_id(Function.PLACEHOLDER, id)


KIND = PlaceholderKind()
