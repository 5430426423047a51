# SPDX-License-Identifier: Apache-2.0
"""A kind that nothing else knows: what it says of its rows is all that overview, queries, grids and jobs need."""

from array import array
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar

import pytest

import core.matrix.row_kinds as row_kinds
from core.kinds import Kind
from core.kinds.kind import EVERY
from core.matrix import Column, Matrix, OtherRows, index, with_other_rows
from core.matrix.cache import Cache
from core.matrix.query import Query, select
from core.matrix.view import overview
from core.providers import compute_columns
from core.sources import Checkout
from core.sources.ci import Job
from tests.support.sample import sample_checkout

_STANDS_FOR = "placeholder"
"""A kind of rows that the sample is indexed without: the made-up one takes its place in the order."""


class _Notes(Kind):
    name = _STANDS_FOR
    noun = "note"
    fields = (*EVERY, "job", "name", "function")
    overview: ClassVar = {"all": "", "first": "one"}
    same_in_all: ClassVar = {"is": "written", "function": "by_hand"}

    def selected_by(self, rows: OtherRows) -> object:
        return rows.ids

    def selected(self, rows: OtherRows, jobs: Iterable[Job], cache: Cache) -> Mapping[str, Iterable[Job]]:
        return {"note two": list(jobs)[:1]}

    def model_texts(self, rows: OtherRows) -> Mapping[str, Iterable[str]]:
        return {"name": [f"name of {id}" for id in rows.ids]}


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample_checkout(tmp_path / "tt-xla")


@pytest.fixture
def matrix(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> Iterator[Matrix]:
    notes = _Notes()
    known = {**row_kinds.all_kinds(), notes.name: notes}
    for module in ("core.matrix.view.overviews", "core.matrix.query.fields"):
        monkeypatch.setattr(f"{module}.all_kinds", lambda: known)
    for module in ("core.matrix.query.columns", "core.providers.jobs", "core.providers.models"):
        monkeypatch.setattr(f"{module}.row_kind", known.__getitem__)
    empty = Column.of(["", ""])
    rows = OtherRows(
        kind=notes.name,
        ids=("note one", "note two"),
        lines=array("I", [1, 2]),
        status=empty,
        columns={"reason": empty, "file": Column.of(["notes", "notes"])},
        flags={},
    )
    yield with_other_rows(index(checkout), rows)


def _selected(matrix: Matrix, cache: Cache, query: str) -> list[str]:
    asked = Query.parse(query)
    learned = compute_columns(cache, matrix, ("jobs", "models"))
    return [matrix.ids[row] for row in select(matrix, asked, learned=learned)]


def test_texts_that_all_rows_of_a_kind_have_are_found(matrix: Matrix, tmp_path: Path) -> None:
    cache = Cache(matrix.checkout, tmp_path / "cache")
    assert _selected(matrix, cache, "is:written") == ["note one", "note two"]
    assert _selected(matrix, cache, "function:by_hand") == ["note one", "note two"]


def test_what_a_kind_says_of_jobs_and_models_is_found(matrix: Matrix, tmp_path: Path) -> None:
    cache = Cache(matrix.checkout, tmp_path / "cache")
    assert _selected(matrix, cache, 'name:"name of note one"') == ["note one"]
    assert _selected(matrix, cache, f"kind:{_STANDS_FOR} !job:none") == ["note two"]
    assert _selected(matrix, cache, f"kind:{_STANDS_FOR} job:none") == ["note one"]


def test_the_overview_counts_what_a_kind_asks_for(matrix: Matrix) -> None:
    (section,) = (one for one in overview(matrix) if one.title == "notes")
    found = {row.label: number.count for row in section.rows for number in row.numbers if number}
    assert found == {"all": 2, "first": 1}
