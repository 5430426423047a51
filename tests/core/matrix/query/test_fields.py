# SPDX-License-Identifier: Apache-2.0
"""What each field of a query selects, and how conditions are combined."""

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from core.base.errors import QueryError
from core.ci import Selected
from core.matrix import Column, Matrix, index
from core.matrix.query import FIELDS, Learned, Node, Plain, Query, Scope, column_of, needs, parsed, select
from core.matrix.query.terms import conjunction, disjunction, negation
from core.sources.ci import Job
from tests.support.tree import sample

TINY, NET, ORG = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug", "org/name"))
TRAINING = "alpha/pytorch-tiny-single_device-training"
STRAY = "alpha/pytorch-gone-single_device-training"


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return index(sample(tmp_path_factory.mktemp("checkout")))


def _ids(matrix: Matrix, text: str, arch: str = "") -> set[str]:
    return {matrix.ids[row] for row in select(matrix, Query.parse(text), arch)}


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("has:entry", {TINY, NET, ORG, TRAINING, STRAY}),
        ("status:xfail", {NET, TRAINING}),
        ("status:pass", {TINY, NET, STRAY}),
        ("status:skip,xfail", {ORG, NET, TRAINING}),
        ("status:skip or status:xfail", {ORG, NET, TRAINING}),
        ('status~"SKIP|xfail$"', {ORG, NET, TRAINING}),
        ("status:xfail arch:n150", {NET, TRAINING}),
        ("status:xfail arch:p150", {TRAINING}),
        ("status:pass arch:n300-llmbox", {NET}),
        ("(arch:p150 status:xfail) or (arch:n150 status:skip)", {TRAINING, ORG}),
        ("has:entry !(arch:n150 status:pass)", {NET, ORG, TRAINING}),
        ("has:entry !status:pass", {ORG, TRAINING}),
        ("has:entry not status:pass", {ORG, TRAINING}),
        ("has:entry mode:training", {TRAINING, STRAY}),
        ("marker:large", {ORG}),
        ("bringup:runtime", {TRAINING}),
        ("reason:oom", {NET}),
        ("reason:chip", {ORG}),
        ('reason~"single CHIP$"', {ORG}),
        ("reason~.", {NET, ORG, TRAINING}),
        ("file:training", {TRAINING, STRAY}),
        ("has:override", {NET}),
        ("has:reason", {NET, ORG, TRAINING}),
        ("is:stray", {STRAY}),
        ("assert_pcc:false", set()),
        ("is:mixed", {NET}),
        ("has:entry is:known", {TINY, NET, ORG, TRAINING}),
        ("NET-V1 has:entry", {NET}),
        ('"org/name" status:skip', {ORG}),
        ("id:org/name status:skip", {ORG}),
        ("variant:ORG/name mode:inference has:entry", {ORG}),
        ('id~"tiny.*(training|tensor)" has:entry', {TRAINING}),
        ("has:entry !tiny !gone", {NET, ORG}),
        ("has:entry !(tiny or gone)", {NET, ORG}),
        ("loader:alpha has:entry status:none", set()),
    ],
)
def test_select(matrix: Matrix, text: str, ids: set[str]) -> None:
    assert _ids(matrix, text) == ids


# Without the arch, which also changes the values of the terms beside it.
_TERMS = ("status:xfail", "has:entry", "mode:training", "tiny", "pcc:<1", "reason~chip", "seq:1", "id~causal", "zzz")
_NODE: st.SearchStrategy[Node] = st.recursive(
    st.sampled_from([Query.parse(text).terms[0] for text in _TERMS]),
    lambda nodes: (
        st.lists(nodes, min_size=2, max_size=3).map(conjunction)
        | st.lists(nodes, min_size=2, max_size=3).map(disjunction)
        | nodes.map(negation)
    ),
    max_leaves=6,
)


@given(st.lists(_NODE, min_size=1, max_size=3))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_conditions_join_as_sets_do(matrix: Matrix, nodes: list[Node]) -> None:
    def rows(node: Node) -> list[int]:
        return select(matrix, Query((node,)))

    sets = [set(rows(node)) for node in nodes]
    everything = set(range(len(matrix.ids)))
    assert rows(conjunction(nodes)) == sorted(set.intersection(*sets))
    assert rows(disjunction(nodes)) == sorted(set.union(*sets))
    assert rows(negation(nodes[0])) == sorted(everything - sets[0])


GROUPS = {"alpha": "red", "beta": "generality"}
JOB = Job(file="push.json", index=0, name="models", runs_on="n150", dir=".")


@pytest.fixture(scope="module")
def learned(matrix: Matrix) -> Learned:
    """Groups by directory; one job, which selects TINY and TRAINING."""
    groups = Column.of(GROUPS.get(id.partition("/")[0], "") for id in matrix.ids)
    codes = [int(id in (TINY, TRAINING)) for id in matrix.ids]
    selected = Selected((JOB,), ("push.json: models on n150, push",), sets=(0, 1), codes=codes)
    return {"models": Plain(dict.fromkeys(("group", "task", "source", "name"), groups)), "jobs": selected}


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("has:entry group:red", {TINY, NET, ORG, TRAINING, STRAY}),
        ("has:entry name:RE mode:training", {TRAINING, STRAY}),
        ("has:entry !group:red", set()),
        ("has:entry job:none", {NET, ORG, STRAY}),
        ("has:entry !job:none", {TINY, TRAINING}),
        ("has:entry job:push", {TINY, TRAINING}),
        ('has:entry job:"push.json: models on n150, push"', {TINY, TRAINING}),
        ("job:push arch:n150", {TINY, TRAINING}),
        ("has:entry job:push arch:p150", set()),
        ("has:entry job:none arch:p150", {TINY, ORG, TRAINING, STRAY}),
        ("(job:push mode:training) or status:skip", {TRAINING, ORG}),
        ('job~"^push.json" mode:training', {TRAINING}),
    ],
)
def test_facts_are_asked_like_columns(matrix: Matrix, learned: Learned, text: str, ids: set[str]) -> None:
    assert {matrix.ids[row] for row in select(matrix, Query.parse(text), learned=learned)} == ids


@pytest.mark.parametrize(
    ("text", "providers"),
    [
        ("status:xfail llama", ()),
        ("group:red task:nlp", ("models",)),
        ("x (a or !(job~x !name:y))", ("jobs", "models")),
        ("zzz:1", ()),
    ],
)
def test_a_query_says_what_it_needs(text: str, providers: tuple[str, ...]) -> None:
    assert needs(Query.parse(text)) == providers


def test_a_field_without_a_column_has_none_to_show(matrix: Matrix) -> None:
    with pytest.raises(AssertionError):
        column_of(Scope(matrix), "id")


def test_what_lists_no_marker_can_be_asked_for(matrix: Matrix) -> None:
    assert _ids(matrix, "has:entry marker:none") == {TINY, NET, TRAINING, STRAY}


def test_the_shown_arch_is_meant_unless_the_query_names_one(matrix: Matrix) -> None:
    assert _ids(matrix, "status:xfail", "p150") == {TRAINING}
    assert _ids(matrix, "status:xfail arch:n150", "p150") == {NET, TRAINING}
    assert _ids(matrix, "status:xfail arch:N150", "p150") == {NET, TRAINING}


def test_phase_parallelism_and_framework(matrix: Matrix) -> None:
    assert len(_ids(matrix, "phase:llm_prefill")) == 720
    assert len(_ids(matrix, "phase:decode mode:inference parallelism:fsdp")) == 2 * 2 * 6
    assert len(_ids(matrix, "framework:jax")) == 6


def test_parts_of_llm_ids(matrix: Matrix) -> None:
    assert len(_ids(matrix, "seq:128")) == 720 / 5
    assert len(_ids(matrix, "seq:>=2048 batch:4")) == 720 * 3 / 5 / 2
    assert len(_ids(matrix, "mesh:1x8")) == (2 * 72 + 720) / 6
    assert _ids(matrix, "seq:none") == _ids(matrix, "!phase:llm")
    assert _ids(matrix, "function:llms") == _ids(matrix, "phase:llm")


def test_a_whole_name_is_not_read_as_part_of_another(matrix: Matrix) -> None:
    assert _ids(matrix, "arch:n300") == set()
    assert _ids(matrix, "arch:n300-") == {NET}


@pytest.mark.parametrize(
    ("text", "column", "token", "hint"),
    [
        ("x stauts:xfail", 2, "stauts", "Did you mean status:?"),
        ("x (a or !stauts~xfail)", 9, "stauts", "Did you mean status~?"),
        ("status:xfial", 7, "xfial", "Did you mean status:xfail?"),
        ("status:skip,xfial", 12, "xfial", "Did you mean status:xfail?"),
        ('status:skip,"xf ial"', 13, "xf ial", "Did you mean status:xfail?"),
        ("zz:1", 0, "zz", "status"),
        ("zzz arch:n999", 9, "n999", "n150"),
        ("has:nothing", 4, "nothing", "override"),
        ("pcc:high", 4, "high", "pcc:<0.99"),
        ("pcc:0.9,<x", 8, "<x", "pcc:0.97..0.99"),
        ("seq:1.5", 4, "1.5", "seq:<128"),
        ("a pcc~9", 2, "pcc~9", "pcc:<0.99"),
    ],
)
def test_unknown_names_are_reported_with_a_remedy(
    matrix: Matrix, text: str, column: int, token: str, hint: str
) -> None:
    with pytest.raises(QueryError) as caught:
        select(matrix, Query.parse(text))
    assert (caught.value.column, caught.value.token) == (column, token)
    assert hint in caught.value.hint


def test_a_field_that_does_not_exist_is_named_before_its_value_is_missed() -> None:
    with pytest.raises(QueryError, match="There is no field 'statsu'") as caught:
        parsed("mode:training statsu:")
    assert (caught.value.column, caught.value.token, caught.value.suggestion) == (14, "statsu", "status:")
    with pytest.raises(QueryError, match="needs a value"):
        parsed("mode:training status:")
    assert parsed("mode:training") == Query.parse("mode:training")


def test_every_field_has_a_name_of_its_own_and_help() -> None:
    assert len({field.name for field in FIELDS}) == len(FIELDS)
    assert all(field.help for field in FIELDS)
