# SPDX-License-Identifier: Apache-2.0
"""Tests that people write by hand, beside those of models."""

from core.kinds.kind import EVERY, Kind
from core.matrix import DEVICE_RUN, HANDWRITTEN_KIND, LEVELS, RUN, OwnColumn
from core.matrix.query import Choice, made, own_column


class HandwrittenKind(Kind):
    """Tests below `tests/jax` and `tests/torch` (`core.handwritten`)."""

    name = HANDWRITTEN_KIND
    noun = "hand-written test"
    fields = (*EVERY, "marker", "job")
    own_fields = (
        Choice(
            "level",
            "what a hand-written test runs: op, graph or other",
            made(lambda matrix: own_column(matrix, "level", LEVELS)),
        ),
        Choice(
            "known",
            "yes or no: whether the parameters of a hand-written test are known",
            made(lambda matrix: own_column(matrix, "known", ("yes", "no"))),
        ),
    )
    own_columns = (OwnColumn("level", "level", "what a hand-written test runs: op, graph or other", None),)
    columns = ("id", "level", "status", RUN, DEVICE_RUN, "mark", "reason")
    facets = ("status", "level", "marker")
    groupings = ("file", "level", "status", "reason")


KIND = HandwrittenKind()
