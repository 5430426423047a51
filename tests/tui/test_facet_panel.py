# SPDX-License-Identifier: Apache-2.0
"""Facets that are read late come last and are named from the beginning: what is above does not move."""

from dataclasses import replace
from pathlib import Path

from core.matrix import index, row_kind, with_other_rows
from core.matrix.query import BY_NAME
from core.matrix.view import Facet, View
from core.matrix.view.view import FacetValue
from tests.support.op_rows import some_handwritten_rows, some_op_rows
from tests.support.tree import sample
from tui.widgets.facet_panel import facet_rows


def test_what_is_read_late_comes_last() -> None:
    late = [bool(BY_NAME[name].needs) for name in row_kind("model").facets]
    assert late == sorted(late)


def test_kinds_have_their_place_before_all_of_them_are_read(tmp_path: Path) -> None:
    matrix = index(sample(tmp_path / "tt-xla"))
    whole = with_other_rows(with_other_rows(matrix, some_op_rows()), some_handwritten_rows())
    assert matrix.models is None and whole.models is not None
    before, after = View(matrix).facets(), View(whole).facets()
    assert [facet.field for facet in before] == [facet.field for facet in after]
    assert [one.value for one in before[0].values] == [one.value for one in after[0].values]


def test_nothing_moves_when_the_late_ones_arrive() -> None:
    status, group = (Facet(name, (FacetValue("a", 2, False),)) for name in ("status", "group"))
    before, after = facet_rows([status], {"group": "reading"}), facet_rows([status, group])
    words = [["".join(cell.text for cell in column) for column in before.cells(at)] for at in range(len(before))]
    assert words[-1] == ["group", "reading"]
    assert [after.key(at) for at in range(len(before))] == [before.key(at) for at in range(len(before))]


def test_rows_that_are_still_being_read_are_not_counted_as_none(tmp_path: Path) -> None:
    view = View(replace(index(sample(tmp_path / "tt-xla")), unread=frozenset({"op"})))
    rows = facet_rows(view.facets())
    words = [["".join(cell.text for cell in column).strip() for column in rows.cells(at)] for at in range(len(rows))]
    assert ["op", "…"] in words
    assert ["handwritten", "0"] in words
