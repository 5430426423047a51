# SPDX-License-Identifier: Apache-2.0
"""Placeholders of models that are planned and have no loader yet."""

from core.kinds.kind import EVERY, Kind
from core.matrix import PLACEHOLDER_KIND


class PlaceholderKind(Kind):
    """Names in the file of placeholders (docs/rules.md 2.5)."""

    name = PLACEHOLDER_KIND
    noun = "placeholder"
    fields = (*EVERY, "bringup", "group", "name", "job", "function", "model")
    columns = ("id", "bringup", "model", "reason")
    facets = ("bringup", "group", "job")
    groupings = ("bringup", "reason", "file")


KIND = PlaceholderKind()
