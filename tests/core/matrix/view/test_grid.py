# SPDX-License-Identifier: Apache-2.0
"""Grids: every cell holds exactly what its query selects."""

from collections import Counter

import pytest

from core.base.errors import QueryError
from core.domain.model import Status
from core.matrix import Column, Matrix, index, with_other_rows
from core.matrix.query import Learned, Plain, Query, VerdictColumns, lens, select
from core.matrix.view import BY_GROUPING, LAYOUTS, Rate, by_rate, rate
from core.matrix.view.grid import Layout, grid
from core.matrix.view.tally import status_words, tally
from tests.support.op_rows import SOME_RESULTS, some_handwritten_rows, some_op_rows
from tests.support.tree import sample

QUERIES = ("", "has:entry", "status:xfail", "arch:n150 !status:skip", "tiny or net", "status:none mode:training", "zzz")


def worst_result(id: str) -> str:
    """The worst last result of an op case; a case that has not run says nothing."""
    order = ("crash", "timeout", "fail", "error(ref)", "build-error", "xpass", "xfail", "pass", "skip", "dup")
    return min(SOME_RESULTS.get(id, {}).values(), key=order.index, default="UNSPECIFIED")


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    cases = with_other_rows(index(sample(tmp_path_factory.mktemp("checkout"))), some_op_rows())
    return with_other_rows(cases, some_handwritten_rows())


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda one: one.name)
@pytest.mark.parametrize("text", QUERIES)
@pytest.mark.parametrize("arch", ["", "p150"])
def test_each_cell_is_what_its_query_selects(matrix: Matrix, layout: Layout, text: str, arch: str) -> None:
    names = Column.of("red" if "alpha" in id else "" for id in matrix.ids)
    learned: Learned = {
        "runs": VerdictColumns(matrix, {}, SOME_RESULTS),
        "models": Plain({"group": names, "task": names}),
    }
    cells = grid(matrix, Query.parse(text), arch, layout.name, learned)
    for row in range(len(cells)):
        for column in range(len(cells.heads)):
            query = Query.parse(str(cells.query_of(row, column)))
            rows = select(matrix, query, arch, learned)
            meant = cells.heads[column] if layout.across == "arch" else lens(matrix, query.terms) or arch
            if layout.across == "backend":
                found = Counter(SOME_RESULTS[matrix.ids[one]][cells.heads[column]] for one in rows)
                assert cells.at(row, column) == found, query
            elif layout.kind == "op":
                assert cells.at(row, column) == Counter(worst_result(matrix.ids[one]) for one in rows), query
            else:
                assert cells.at(row, column) == tally(status_words(matrix, meant), rows), query


def test_results_are_of_the_backend_above_them(matrix: Matrix) -> None:
    learned = {"runs": VerdictColumns(matrix, {}, SOME_RESULTS)}

    def cells(text: str) -> dict[tuple[str, str], dict[str, int]]:
        found = grid(matrix, Query.parse(text), "", "op-results", learned)
        places = ((row, column) for row in range(len(found)) for column in range(len(found.heads)))
        return {(found.label(row), found.heads[column]): dict(found.at(row, column)) for row, column in places}

    assert cells("") == {
        ("all", "eager"): {"pass": 2},
        ("all", "inductor"): {"pass": 1, "fail": 1},
        ("torch.add", "eager"): {"pass": 2},
        ("torch.add", "inductor"): {"fail": 1},
        ("torch.mm", "eager"): {},
        ("torch.mm", "inductor"): {"pass": 1},
    }
    assert cells("result:fail") == {("all", "inductor"): {"fail": 1}, ("torch.add", "inductor"): {"fail": 1}}


def test_a_cell_has_the_status_on_its_arch(matrix: Matrix) -> None:
    cells = grid(matrix, Query.parse("net-v1.5+aug has:entry"), "", "variants")
    assert cells.label(0) == "all"
    assert cells.label(1) == "alpha/pytorch net-v1.5+aug"
    assert cells.at(1, cells.heads.index("n150")) == {Status.KNOWN_FAILURE_XFAIL: 1}
    assert cells.at(1, cells.heads.index("n300-llmbox")) == {Status.EXPECTED_PASSING: 1}
    assert cells.at(1, cells.heads.index("p150")) == {}


def test_rows_and_work_columns_without_tests_are_left_out(matrix: Matrix) -> None:
    cells = grid(matrix, Query.parse("gamma mode:training"), "", "loader-work")
    assert [cells.label(row) for row in range(len(cells))] == ["all", "gamma/jax"]
    assert all(cells.at(0, column) for column in range(len(cells.heads)))
    empty = grid(matrix, Query.parse("zzz"), "", "work")
    assert (len(empty), empty.heads) == (1, ())


def test_every_layout_is_made_of_what_there_is() -> None:
    assert {one.down for one in LAYOUTS} <= BY_GROUPING.keys()


def test_a_bad_query_is_reported(matrix: Matrix) -> None:
    with pytest.raises(QueryError):
        grid(matrix, Query.parse("nofield:x"), "", "loaders")


def test_rows_in_the_order_of_their_pass_rate(matrix: Matrix) -> None:
    cells = grid(matrix, Query.parse(""), "", "loaders")
    p150 = cells.heads.index("p150")
    worst = by_rate(cells, [p150])
    shares = [rate(cells.at(row, p150)).share for row in worst[1:]]
    known = [share for share in shares if share is not None]
    assert worst[0] == 0
    assert sorted(worst) == list(range(len(cells)))
    assert known == sorted(known)
    assert shares[: len(known)] == known
    best = [rate(cells.at(row, p150)).share for row in by_rate(cells, [p150], best_first=True)[1:]]
    assert best[: len(known)] == known[::-1]


def test_rows_in_the_order_of_what_a_second_arch_loses(matrix: Matrix) -> None:
    cells = grid(matrix, Query.parse("alpha"), "", "variants")
    pair = [cells.heads.index(arch) for arch in ("n300-llmbox", "n150")]
    label = cells.label(by_rate(cells, pair)[1])
    assert label == "alpha/pytorch net-v1.5+aug"


def test_a_rate_is_of_what_has_an_entry_or_ran() -> None:
    assert rate({"EXPECTED_PASSING": 1, "KNOWN_FAILURE_XFAIL": 2, "UNSPECIFIED": 9}) == (1, 3)
    assert rate({"pass": 2, "xpass": 1, "fail": 1, "skip": 5, "dup": 1}) == (3, 4)
    assert rate({"UNSPECIFIED": 9}).share is None
    assert [Rate(*one).percent for one in ((0, 0), (0, 9), (1, 999), (998, 999), (9, 9))] == [None, 0, 1, 99, 100]


def test_op_cases_that_have_not_run_have_no_rate(matrix: Matrix) -> None:
    cells = grid(matrix, Query(), "", "ops", {"runs": VerdictColumns(matrix, {}, {})})
    found = [cells.at(row, column) for row in range(len(cells)) for column in range(len(cells.heads))]
    assert any(found)
    assert {rate(one).percent for one in found} == {None}
