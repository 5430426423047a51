# SPDX-License-Identifier: Apache-2.0
"""Queries for given verdicts, on one arch or on any."""

import pytest

from core.base.errors import QueryError
from core.matrix import Column, Matrix, index, with_other_rows
from core.matrix.op_rows import BACKENDS, RESULTS
from core.matrix.query import Query, VerdictColumns, needs, nothing_beside, select, written
from core.payload.ttmatrix_payload.ops.results import STATUSES
from core.providers import RUNS
from core.runs.planning import BACKENDS as OFFERED
from tests.support.op_rows import SOME_RESULTS, some_op_rows
from tests.support.tree import sample

TINY, NET, ORG = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug", "org/name"))

BOX = "n300-llmbox"
_WORDS = ("stale", "semi-stale", "active", "flaky")


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return index(sample(tmp_path_factory.mktemp("checkout")))


def _ids(matrix: Matrix, text: str, verdicts: dict[tuple[str, str], str]) -> set[str]:
    archs = {arch for _, arch in verdicts}
    by_arch = {
        arch: Column.sparse(
            len(matrix.ids),
            "",
            {matrix.rows[id]: word for (id, other), word in verdicts.items() if other == arch},
            _WORDS,
        )
        for arch in archs
    }
    rows = select(matrix, Query.parse(text), learned={RUNS: VerdictColumns(matrix, by_arch)})
    return {matrix.ids[row] for row in rows}


def test_a_verdict_on_one_arch_or_on_any(matrix: Matrix) -> None:
    verdicts = {(NET, "n150"): "stale", (TINY, "n150"): "active", (NET, BOX): "flaky", (ORG, "p150"): "semi-stale"}
    assert _ids(matrix, "verdict:stale,flaky", verdicts) == {NET}
    assert _ids(matrix, "verdict:stale arch:n300-llmbox", verdicts) == set()
    assert _ids(matrix, "verdict:flaky arch:n300-llmbox", verdicts) == {NET}
    assert _ids(matrix, "verdict:none", verdicts) == set(matrix.ids) - {NET, TINY, ORG}
    assert _ids(matrix, "has:entry verdict:none", {}) == _ids(matrix, "has:entry", {})


def test_stale_is_what_passes_where_it_should_not_on_any_arch(matrix: Matrix) -> None:
    verdicts = {(NET, "n150"): "stale", (TINY, "n150"): "active", (ORG, "p150"): "semi-stale"}
    assert _ids(matrix, "is:stale", verdicts) == {NET, ORG}
    assert _ids(matrix, "has:entry is:stale,stray !is:known", verdicts) == _ids(matrix, "is:stray", {})
    assert _ids(matrix, "is:stale", {}) == set()


def test_results_of_op_cases_by_backend(matrix: Matrix) -> None:
    table = with_other_rows(matrix, some_op_rows())
    known = {RUNS: VerdictColumns(matrix, {}, SOME_RESULTS)}

    def ids(text: str) -> list[str]:
        return [table.ids[row] for row in select(table, Query.parse(text), learned=known)]

    assert ids("backend:inductor") == ["m::add", "m::mm"]
    assert ids("kind:op backend:none") == ids("kind:op result:none") == ["n::Add"]
    assert ids("backend:tt") == ids("backend:xla") == [], "nothing has a result there"
    assert ids("result:fail") == ["m::add"]
    assert ids("result:pass") == ["m::add", "m::mm", "n::add"], "on any backend"
    assert ids("backend:inductor result:pass") == ids("backend:induct result:pass") == ["m::mm"]
    assert ids("backend:eager,inductor result:pass") == ids("result:pass")
    assert ids("(backend:eager result:pass) (backend:inductor result:fail)") == ["m::add"]
    assert ids("result:pass !(backend:eager result:pass)") == ["m::mm"]
    assert ids("backend:eager !result:pass") == []
    assert ids("op:torch.add result:crash,fail") == ["m::add"]
    with pytest.raises(QueryError, match="'fial'"):
        ids("result:fial")


def test_verdicts_on_op_cases_by_backend(matrix: Matrix) -> None:
    table = with_other_rows(matrix, some_op_rows())
    of_models = Column.sparse(len(matrix.ids), "", {matrix.rows[NET]: "stale", matrix.rows[TINY]: "active"}, _WORDS)
    on_cases = {
        "m::add": {"eager": "active", "inductor": "regressed"},
        "m::mm": {"inductor": "semi-stale"},
        "gone::case": {"tt": "flaky"},
    }
    judged = VerdictColumns(matrix, {"n150": of_models}, SOME_RESULTS, judge_cases=lambda: on_cases)

    def ids(text: str) -> set[str]:
        return {table.ids[row] for row in select(table, Query.parse(text), learned={RUNS: judged})}

    assert ids("verdict:regressed") == {"m::add"}
    assert ids("verdict:active") == {TINY, "m::add"}
    assert ids("backend:inductor verdict:active") == set()
    assert ids("backend:eager verdict:active") == {"m::add"}
    assert ids("is:stale") == {NET, "m::mm"}
    assert ids("is:stale kind:op") == {"m::mm"}
    assert ids("kind:op verdict:none") == {"n::Add", "n::add"}
    assert ids("arch:n150 verdict:stale") == {NET}
    assert ids("verdict:none") == set(table.ids) - {NET, TINY, "m::add", "m::mm"}

    def words(id: str, arch: str = "") -> str:
        return judged.words(table, table.rows[id], arch)

    assert words("m::add") == "eager active  inductor regressed"
    assert (words("n::add"), words(NET), words(NET, "n150"), words(NET, "p150"), words(ORG)) == (
        "", "stale", "stale", "", "",
    )  # fmt: skip
    assert VerdictColumns(matrix, {"n150": of_models, "p150": of_models}).words(table, table.rows[NET], "") == "stale"
    other = Column.sparse(len(matrix.ids), "", {matrix.rows[NET]: "flaky"}, _WORDS)
    both = VerdictColumns(matrix, {"n150": of_models, "p150": other})
    assert both.words(table, table.rows[NET], "") == "n150 stale  p150 flaky"


def test_manifests_are_read_for_verdicts_alone(matrix: Matrix) -> None:
    def read() -> dict[str, dict[str, str]]:
        raise AssertionError("nobody has asked for them")

    learned = {RUNS: VerdictColumns(matrix, {}, SOME_RESULTS, judge_cases=read)}
    table = with_other_rows(matrix, some_op_rows())
    assert select(table, Query.parse("backend:eager result:pass !turned:broke"), learned=learned)


def test_every_result_of_the_plugin_can_be_asked_for() -> None:
    assert set(RESULTS) == set(STATUSES)
    assert BACKENDS == OFFERED


def test_an_op_result_without_any_results_selects_nothing(matrix: Matrix) -> None:
    table = with_other_rows(matrix, some_op_rows())
    for text in ("result:fail", "backend:inductor"):
        assert select(table, Query.parse(text), learned={RUNS: VerdictColumns(matrix, {})}) == []


def test_only_what_asks_for_results_needs_them(matrix: Matrix) -> None:
    assert needs(Query.parse("is:stray or is:mixed")) == ()
    assert needs(Query.parse("backend:eager or result:fail")) == (RUNS,)
    assert needs(Query.parse("!is:stale verdict:flaky")) == (RUNS,)
    with pytest.raises(QueryError, match="'stael'"):
        select(matrix, Query.parse("is:stael"))


def test_what_turned_on_one_arch_or_on_any(matrix: Matrix) -> None:
    facts = VerdictColumns(matrix, {}, turned={NET: {"n150": "broke", BOX: "fixed"}, "gone/pytorch": {"n150": "broke"}})

    def ids(text: str) -> set[str]:
        return {matrix.ids[row] for row in select(matrix, Query.parse(text), learned={RUNS: facts})}

    assert ids("turned:broke") == ids("turned:fixed") == ids("turned:broke arch:n150") == {NET}
    assert ids("turned:fixed arch:n150") == set()
    assert ids("turned:none") == set(matrix.ids) - {NET}
    assert needs(Query.parse("turned:broke")) == (RUNS,)


def test_machines_on_which_a_test_failed(matrix: Matrix) -> None:
    places = {NET: {"n150": ["f10", "f11"], BOX: ["g1"]}, TINY: {"n150": ["f1"]}, "gone/pytorch": {"n150": ["f10"]}}
    facts = VerdictColumns(matrix, {}, failed_on=lambda: places)

    def ids(text: str) -> set[str]:
        return {matrix.ids[row] for row in select(matrix, Query.parse(text), learned={RUNS: facts})}

    assert ids("failed_on:f1") == {NET, TINY}
    assert ids("failed_on~^f1$") == {TINY} and ids("failed_on:g1") == {NET}
    assert ids("failed_on:g1 arch:n150") == set() and ids("failed_on:f10 arch:n150") == {NET}
    assert needs(Query.parse("failed_on:f1")) == (RUNS,)
    alone = Query((written("failed_on", "f1", ()), nothing_beside("failed_on", "f1")))
    assert ids(str(alone)) == {TINY} and Query.parse(str(alone)) == alone
    assert ids(str(Query((written("failed_on", "f10", ()), nothing_beside("failed_on", "f10"))))) == set()


def test_since_when_and_how_flaky_on_one_arch_or_on_any(matrix: Matrix) -> None:
    courses = {NET: {"n150": ("2026-11-03", "0.25"), BOX: ("", "0.00")}, TINY: {"n150": ("2026-10-01", "0.00")}}
    facts = VerdictColumns(matrix, {}, courses=lambda: courses)

    def ids(text: str) -> set[str]:
        return {matrix.ids[row] for row in select(matrix, Query.parse(text), learned={RUNS: facts})}

    assert ids("first_bad:>2026-11-01") == ids("first_bad:2026-11-03") == {NET}
    assert ids("first_bad:2026-10-01..2026-11-03") == ids("first_bad:<=2026-11-03 arch:n150") == {NET, TINY}
    assert ids(f"first_bad:>2026-11-01 arch:{BOX}") == set()
    assert ids("first_bad:none") == set(matrix.ids) - {NET, TINY}
    assert ids("flaky:>0.2") == {NET}
    assert ids(f"flaky:>0.2 arch:{BOX}") == set() and ids("flaky:0") == {NET, TINY}
    assert needs(Query.parse("flaky:>0.2")) == (RUNS,)
    with pytest.raises(QueryError, match="first_bad:<2026-11-20"):
        ids("first_bad:yesterday")
