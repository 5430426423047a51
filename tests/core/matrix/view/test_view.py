# SPDX-License-Identifier: Apache-2.0
"""The visible rows, and what stays when they change."""

from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from core.base.errors import QueryError, UsageError
from core.matrix import NO_ARCH, Column, Matrix, index
from core.matrix.query import Learned, Plain, Query, select
from core.matrix.view import BY_TABLE_FIELD, Group, View, ViewSpec, ordered
from tests.support.tree import INFERENCE, LOADERS, YAML, sample, write_checkout

TINY, NET, ORG = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug", "org/name"))


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return index(sample(tmp_path_factory.mktemp("checkout")))


def _shown(view: View) -> list[str]:
    return [view.matrix.ids[row] for row in view.rows]


def test_filter_and_positions(matrix: Matrix) -> None:
    view = View(matrix, Query.parse("has:entry mode:inference"))
    assert _shown(view) == [NET, ORG, TINY]
    assert [view.position_of(id) for id in (NET, ORG, TINY)] == [0, 1, 2]
    assert view.position_of("alpha/pytorch-tiny-single_device-training") is None
    assert view.position_of("no such id") is None
    view.sort("id", descending=True)
    assert [view.position_of(id) for id in (NET, ORG, TINY)] == [2, 1, 0]
    assert view.position_of("alpha/pytorch-tiny-single_device-training") is None


def test_the_nearest_to_what_is_hidden_comes_next_in_the_order_of_ids(matrix: Matrix) -> None:
    view = View(matrix, Query.parse("has:entry mode:inference"))
    assert [view.nearest(id) for id in (NET, ORG, TINY)] == [NET, ORG, TINY]
    assert view.nearest(NET.replace("inference", "training")) == ORG
    assert view.nearest(matrix.ids[-1]) == TINY
    assert {view.nearest(None), view.nearest("no such id"), view.nearest(matrix.ids[0])} == {NET}
    view.sort("id", descending=True)
    assert [view.nearest(id) for id in (NET, matrix.ids[-1])] == [NET, TINY]
    view.filter(Query.parse("mode:inference mode:training"))
    assert view.nearest(NET) is None


def test_a_bad_query_changes_nothing(matrix: Matrix) -> None:
    view = View(matrix, Query.parse("tiny"))
    before = list(view.rows)
    with pytest.raises(QueryError):
        view.filter(Query.parse("nofield:x"))
    assert (list(view.rows), str(view.query)) == (before, "tiny")


def test_marks_survive_filtering_and_hidden_ones_are_counted(matrix: Matrix) -> None:
    view = View(matrix, Query.parse("has:entry"))
    view.toggle_all([NET])
    view.toggle_all([TINY])
    view.filter(Query.parse("tiny"))
    assert view.hidden_marks() == 1
    assert view.targets([ORG]).ids == (NET, TINY)
    assert (view.shows(NET), view.shows(TINY), view.shows("no such id")) == (False, True, False)
    view.filter(Query.parse("net"))
    assert (view.shows(NET), view.shows(TINY), view.hidden_marks()) == (True, False, 1)
    view.filter(Query.parse("tiny"))
    view.toggle_all([NET])
    view.toggle_all([TINY])
    assert view.targets([ORG]).ids == (ORG,)
    assert view.targets([]).ids == ()


def test_mark_shown_adds(matrix: Matrix) -> None:
    view = View(matrix, Query.parse("has:entry mode:inference"))
    view.toggle_all(["alpha/pytorch-tiny-single_device-training"])
    view.mark_shown()
    assert len(view.marks) == 4


def test_sort_is_stable_and_can_be_turned(matrix: Matrix) -> None:
    view = View(matrix, Query.parse("has:entry mode:inference"), "n150")
    view.sort("status")
    assert _shown(view) == [TINY, NET, ORG]
    view.sort("id", descending=True)
    assert _shown(view) == [TINY, ORG, NET]


@pytest.mark.parametrize("key", list(BY_TABLE_FIELD))
def test_every_sort_key_shows_the_same_rows(matrix: Matrix, key: str) -> None:
    view = View(matrix)
    view.sort(key)
    assert sorted(view.rows) == list(range(len(matrix.ids)))


def test_facets_count_alternatives_of_their_own_field(matrix: Matrix) -> None:
    view = View(matrix, Query.parse("has:entry mode:training"))
    modes = {one.value: (one.count, one.chosen) for one in view.facets(["mode"])[0].values}
    statuses = {one.value: one.count for one in view.facets(["status"])[0].values}
    assert modes == {"inference": (3, False), "training": (2, True)}
    assert (statuses["EXPECTED_PASSING"], statuses["KNOWN_FAILURE_XFAIL"], statuses["EXCLUDE_MODEL"]) == (1, 1, 0)


def test_a_part_of_a_value_chooses_it_in_its_facet(matrix: Matrix) -> None:
    view = View(matrix, Query.parse("has:entry status:XFAIL"))
    assert [one.value for one in view.facets(["status"])[0].values if one.chosen] == ["KNOWN_FAILURE_XFAIL"]
    assert str(view.toggled("status", "known_failure_xfail")) == "has:entry"
    assert str(view.toggled("status", "expected_passing")) == "has:entry status:XFAIL,expected_passing"
    view = View(matrix, Query.parse("mode:in"))
    assert {one.value for one in view.facets(["mode"])[0].values if one.chosen} == {"inference", "training"}
    assert str(view.toggled("mode", "training")) == "mode:inference"


def test_a_wrong_value_chooses_nothing(matrix: Matrix) -> None:
    view = View(matrix)
    view.query = Query.parse("status:nonsense")
    assert str(view.toggled("status", "expected_passing")) == "status:nonsense,expected_passing"


def test_the_kind_of_rows_is_looked_for_once(matrix: Matrix, monkeypatch: pytest.MonkeyPatch) -> None:
    view, looked = View(matrix), list[int]()
    found = Matrix.kind_of_all

    def counted(self: Matrix, rows: Collection[int]) -> str:
        looked.append(len(rows))
        return found(self, rows)

    monkeypatch.setattr(Matrix, "kind_of_all", counted)
    view.sort("entry")
    assert (view.kind, view.kind, len(looked)) == ("model", "model", 1)
    view.filter(Query.parse("nothing is called so"))
    assert (view.kind, len(looked)) == ("", 2)


def test_arch_changes_what_status_means(matrix: Matrix) -> None:
    view = View(matrix, Query.parse("status:xfail"))
    assert NET in _shown(view)
    view.look_at("p150")
    assert NET not in _shown(view)
    with pytest.raises(UsageError):
        view.look_at("n9")
    with pytest.raises(UsageError):
        View(matrix, arch="n9")


def test_a_newer_matrix_keeps_query_and_marks(matrix: Matrix, tmp_path: Path) -> None:
    view = View(matrix, Query.parse("has:entry"))
    stray = "alpha/pytorch-gone-single_device-training"
    for id in (TINY, stray):
        view.toggle_all([id])
    view.replace_matrix(index(write_checkout(tmp_path / "newer", LOADERS, {INFERENCE: YAML[INFERENCE]})))
    assert _shown(view) == [NET, ORG, TINY]
    assert view.marks == {TINY}


def test_a_query_for_what_a_newer_matrix_lost_shows_nothing_and_stays(matrix: Matrix, tmp_path: Path) -> None:
    view = View(matrix, Query.parse("marker:nightly"))
    assert _shown(view) == [ORG]
    without = {INFERENCE: YAML[INFERENCE].replace("[large, nightly]", "[large]")}
    view.replace_matrix(index(write_checkout(tmp_path / "newer", LOADERS, without)))
    assert (_shown(view), str(view.query)) == ([], "marker:nightly")
    view.filter(Query.parse("marker:large"))
    assert _shown(view) == [ORG]


def _groups(matrix: Matrix) -> Learned:
    return {"models": Plain({"group": Column.of("red" if id == TINY else "" for id in matrix.ids)})}


def test_a_query_shows_nothing_until_what_it_needs_is_learned(matrix: Matrix) -> None:
    view = View(matrix, Query.parse("tiny"))
    view.filter(Query.parse("group:red"))
    assert (view.missing(), _shown(view)) == (("models",), [])
    assert [facet.field for facet in view.facets(["mode", "group"])] == ["mode"]
    view.learn(_groups(matrix))
    assert (view.missing(), _shown(view)) == ((), [TINY])
    assert {one.value: (one.count, one.chosen) for one in view.facets(["group"])[0].values} == {
        "none": (len(matrix.ids) - 1, False),
        "red": (1, True),
    }
    rows = view.rows
    view.learn({})
    assert view.rows is rows


def test_a_value_that_turns_out_not_to_exist_shows_nothing(matrix: Matrix) -> None:
    view = View(matrix, Query.parse("group:blue"))
    view.learn(_groups(matrix))
    assert (_shown(view), str(view.query)) == ([], "group:blue")


def test_a_newer_matrix_brings_facts_of_its_own(matrix: Matrix) -> None:
    view = View(matrix, Query.parse("group:red"))
    view.replace_matrix(matrix, _groups(matrix))
    assert _shown(view) == [TINY]
    view.replace_matrix(matrix)
    assert (view.missing(), _shown(view)) == (("models",), [])


def test_marking_a_group_marks_all_of_it_and_then_none(matrix: Matrix) -> None:
    view = View(matrix)
    view.toggle_all([NET])
    assert view.toggle_all([NET, ORG])
    assert view.marks == {NET, ORG}
    assert not view.toggle_all([NET, ORG])
    assert view.marks == set()


def test_groups_of_models_wait_for_what_is_known_of_them(matrix: Matrix) -> None:
    view = View(matrix)
    view.adopt(ViewSpec(group="group"))
    before = view.rows
    assert view.missing() == view.needs == ("models",)
    view.learn(_groups(matrix))
    assert view.missing() == ()
    assert view.rows is not before, "who shows rows sees that there is something new"
    groups = view.tree(frozenset()).groups
    assert groups[0].text == "red"
    assert sum(len(one.rows) for one in groups) == len(matrix.ids)
    view.adopt(ViewSpec(Query.parse("group:red"), group="group"))
    assert view.needs == ("models",)


def test_a_view_is_what_its_spec_says(matrix: Matrix) -> None:
    view = View(matrix)
    spec = ViewSpec(Query.parse("has:entry"), "p150", ("id", "file"), "file", True, "family", "loaders")
    view.adopt(spec)
    assert view.spec == spec
    assert len(view.rows) == 5
    assert [group.text for group in view.tree(frozenset()).groups] == ["alpha"]
    assert view.cells().layout.name == "loaders"
    view.adopt(ViewSpec())
    assert view.columns == ("id", "file"), "a view that names no columns keeps those on show"


@pytest.mark.parametrize("spec", [ViewSpec(sort="x"), ViewSpec(arch="n9"), ViewSpec(Query.parse("nofield:x"))])
def test_a_spec_that_cannot_be_changes_nothing(matrix: Matrix, spec: ViewSpec) -> None:
    view = View(matrix, Query.parse("tiny"))
    before = (view.spec, list(view.rows))
    with pytest.raises(UsageError):
        view.adopt(spec)
    assert (view.spec, list(view.rows)) == before


def test_an_arch_in_the_query_is_the_one_that_is_meant(matrix: Matrix) -> None:
    view = View(matrix, Query.parse("arch:n150 has:entry"))
    statuses = {one.value: one.count for one in view.facets(["status"])[0].values}
    assert (view.lens, statuses["KNOWN_FAILURE_XFAIL"]) == ("n150", 2)
    assert [group.text for group in view_grouped(view, "status")] == [
        "EXPECTED_PASSING",
        "KNOWN_FAILURE_XFAIL",
        "NOT_SUPPORTED_SKIP",
    ]


def view_grouped(view: View, name: str) -> tuple[Group, ...]:
    view.group = name
    return view.tree(frozenset()).groups


_TYPED = [*"alpn -/q1", "status:pass ", "!", "or ", "tiny", "arch:n150 ", "arch:p150 "]
_ORDERS = [("id", True), ("id", False), ("entry", False), ("status", False), ("status", True)]
_ARCHS = [NO_ARCH, "n150", "p150"]


@settings(max_examples=200)
@given(st.lists(st.one_of(st.sampled_from(_TYPED), st.sampled_from(_ORDERS), st.sampled_from(_ARCHS)), max_size=12))
def test_rows_are_what_the_query_selects_in_order_of_the_column(
    matrix: Matrix, steps: list[str | tuple[str, bool]]
) -> None:
    view, text = View(matrix), ""
    for step in steps:
        if isinstance(step, tuple):
            view.sort(step[0], descending=step[1])
        elif step in _ARCHS:
            view.look_at(step)
        else:
            text += step
            with suppress(QueryError):
                view.filter(Query.parse(text))
        rows = select(matrix, view.query, view.arch)
        assert rows == sorted(rows)
        expected = ordered(matrix, rows, view.sort_key, view.lens, {}, descending=view.descending)
        assert list(view.rows) == expected
