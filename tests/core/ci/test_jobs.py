# SPDX-License-Identifier: Apache-2.0
"""Jobs select tests, whole matrices and single ids alike."""

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from core.ci import Selector
from core.ci.jobs import Item, gained_and_lost
from core.ci.markers import collect
from core.domain.model import TEST_MODULE, Entry, Function
from core.matrix import Matrix, Universe, index
from core.sources.ci import Job
from tests.support.tree import sample

TINY = "alpha/pytorch-tiny-single_device-inference"
TINY_TRAINING = "alpha/pytorch-tiny-single_device-training"
NET = "alpha/pytorch-net-v1.5+aug-single_device-inference"
SKIPPED = "alpha/pytorch-org/name-single_device-inference"
GONE = "alpha/pytorch-gone-single_device-training"

PASSING = Job(
    file="passing.json",
    index=0,
    name="models",
    runs_on="n150",
    dir=f"./{TEST_MODULE}::{Function.TORCH}",
    test_mark="n150 and weekly and inference and expected_passing",
    forge_models=True,
)
XFAIL = replace(PASSING, file="xfail.json", test_mark="n150 and weekly and (known_failure_xfail or not_supported_skip)")
EXPERIMENTAL = replace(
    PASSING,
    file="experimental.json",
    dir=f"./{TEST_MODULE}::{Function.LLM}",
    test_mark="n150 and unspecified and single_device and inference",
)
BROKEN = replace(PASSING, file="broken.json", test_mark="n150 and")
JOBS = (PASSING, XFAIL, EXPERIMENTAL, BROKEN)


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return index(sample(tmp_path_factory.mktemp("tt-xla")), Universe.COLLECTED)


@pytest.fixture(scope="module")
def selector(matrix: Matrix) -> Selector:
    return Selector(collect(matrix, lambda id: "generality"), matrix.entries)


def _ids(selector: Selector, job: Job) -> list[str]:
    return [selector.collection.matrix.ids[item.row] for item in selector.items(job)]


def _changed(selector: Selector, id: str, **fields: object) -> Selector:
    entry = selector.entries[id]._replace(fields=fields) if id in selector.entries else Entry(id, "x", 1, 1, fields)
    return selector.with_entries({**selector.entries, id: entry})


def test_values_are_resolved_for_the_arch_of_the_job(selector: Selector) -> None:
    assert _ids(selector, PASSING) == [TINY]
    # Without forge models no arch is given, so the override of n150 does not count.
    assert _ids(selector, replace(PASSING, forge_models=False)) == [NET, TINY]


def test_a_job_of_other_tests_selects_nothing(selector: Selector) -> None:
    assert selector.items(replace(PASSING, dir="./tests/torch")) == ()


def test_a_whole_file_selects_a_row_under_each_of_its_functions(selector: Selector) -> None:
    row = selector.collection.matrix.rows[TINY]
    items = selector.items(replace(PASSING, dir="./tests/runner"))
    assert items == (Item(row, Function.OP_BY_OP), Item(row, Function.TORCH))


def test_keywords_narrow(selector: Selector) -> None:
    wide = replace(PASSING, test_mark="")
    assert len(_ids(selector, wide)) == 6 * (3 + 2 + 1)
    assert _ids(selector, replace(wide, contains="TINY-single and inference")) == [TINY]


def test_entries_that_name_no_collected_test_are_never_selected(selector: Selector) -> None:
    everything = replace(PASSING, dir=".", test_mark="")
    assert GONE not in _ids(selector, everything)
    assert selector.jobs([everything], GONE) == []
    assert selector.jobs([everything], "no such id") == []


def test_a_job_that_pytest_would_refuse_selects_nothing(selector: Selector) -> None:
    assert selector.items(BROKEN) == ()
    assert selector.jobs([BROKEN], TINY) == []


@given(st.data())
def test_one_id_has_exactly_the_jobs_that_select_it(selector: Selector, data: st.DataObject) -> None:
    ids = selector.collection.matrix.ids
    row = data.draw(st.integers(0, len(ids) - 1))
    names = ["n150", "weekly", "nightly", "inference", "expected_passing", "unspecified", "tensor_parallel", "llm"]
    mark = " and ".join(
        data.draw(st.lists(st.sampled_from([*names, "not push", "(n300_llmbox or training)"]), max_size=3))
    )
    job = replace(PASSING, dir=data.draw(st.sampled_from(["tests", PASSING.dir, EXPERIMENTAL.dir])), test_mark=mark)
    one = {Item(row, traits.function) for _, traits in selector.jobs([job], ids[row])}
    assert one == {item for item in selector.items(job) if item.row == row}


def test_selection_says_which_copy_runs_the_test_and_whether_it_runs(matrix: Matrix, selector: Selector) -> None:
    tests = replace(PASSING, test_mark="n150", contains="tiny and single_device", parallel_groups=2)
    node = f"{TEST_MODULE}::{Function.TORCH}"
    durations = {f"{node}[{TINY}]": 1.0, f"{node}[{TINY_TRAINING}]": 9.0}
    timed = Selector(selector.collection, matrix.entries, durations)
    assert [timed.selections([tests], id)[0].group for id in (TINY, TINY_TRAINING)] == [2, 1]
    (skipped,) = selector.selections([replace(XFAIL, test_mark="not_supported_skip")], SKIPPED)
    assert (skipped.group, skipped.skipped) == (1, "NOT_SUPPORTED_SKIP")
    (forced,) = selector.selections([replace(XFAIL, test_mark="not_supported_skip", args="--force-run")], SKIPPED)
    assert forced.skipped == ""


def test_most_llm_tests_that_are_selected_do_not_run(selector: Selector) -> None:
    selections = [selector.selections([EXPERIMENTAL], id)[0] for id in _ids(selector, EXPERIMENTAL)]
    # Three models and phases with 12 combinations of length and batch on 6 meshes; decode runs 1, prefill 10.
    assert len(selections) == 3 * 12 * 6
    assert sum(not one.skipped for one in selections) == 2 * 1 + 10


def test_what_if_an_entry_changes(selector: Selector) -> None:
    after = _changed(selector, TINY, status="KNOWN_FAILURE_XFAIL")
    assert gained_and_lost(selector, after, JOBS, TINY) == ([XFAIL], [PASSING])
    assert _ids(after, PASSING) == []
    assert TINY in _ids(after, XFAIL)
    assert _ids(selector, PASSING) == [TINY]


def test_a_change_can_take_a_test_out_of_ci(selector: Selector) -> None:
    # No job runs passing training of a model whose schedule is weekly.
    after = _changed(selector, TINY_TRAINING, status="EXPECTED_PASSING")
    assert gained_and_lost(selector, after, JOBS, TINY_TRAINING) == ([], [XFAIL])


def test_a_new_entry_and_a_removed_one(selector: Selector) -> None:
    id = "delta/pytorch-single_device-inference"
    added = _changed(selector, id, status="EXPECTED_PASSING", supported_archs=["n150"])
    assert gained_and_lost(selector, added, JOBS, id) == ([PASSING], [])
    removed = selector.with_entries({other: entry for other, entry in selector.entries.items() if other != TINY})
    assert gained_and_lost(selector, removed, JOBS, TINY) == ([], [PASSING])


def test_excluded_tests_are_selected_by_no_job(selector: Selector) -> None:
    after = _changed(selector, TINY, status="EXCLUDE_MODEL")
    assert gained_and_lost(selector, after, [replace(PASSING, test_mark="")], TINY)[1] == [
        replace(PASSING, test_mark="")
    ]
