# SPDX-License-Identifier: Apache-2.0
"""Facets that are read late come last and are named from the beginning: what is above does not move."""

from core.matrix.query import BY_NAME
from core.matrix.view import Facet
from core.matrix.view.view import FACETS, FacetValue
from tui.widgets.facet_panel import _FacetRows


def test_what_is_read_late_comes_last() -> None:
    late = [bool(BY_NAME[name].needs) for name in FACETS]
    assert late == sorted(late)


def test_nothing_moves_when_the_late_ones_arrive() -> None:
    status, group = (Facet(name, (FacetValue("a", 2, False),)) for name in ("status", "group"))
    before, after = _FacetRows([status], ["group"]), _FacetRows([status, group])
    words = [["".join(cell.text for cell in column) for column in before.cells(at)] for at in range(len(before))]
    assert words[-1] == ["group", "reading"]
    assert [after.key(at) for at in range(len(before))] == [before.key(at) for at in range(len(before))]
