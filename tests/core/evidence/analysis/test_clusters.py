# SPDX-License-Identifier: Apache-2.0
"""core.evidence.analysis.clusters: failures grouped by what their reasons say."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.domain.model import BringupStatus
from core.evidence import Ending, Observation, Results
from core.evidence.analysis import Cluster, find_clusters, last_failures
from core.evidence.observation import newest
from core.evidence.store import EvidenceStore
from core.matrix import Matrix, index
from core.sources import Checkout
from tests.support.evidence import observed, report
from tests.support.tree import INFERENCE, loader_source, write_checkout

A, B, C = (f"alpha/pytorch-{name}-single_device-inference" for name in "abc")
DAY = 86_400.0
LINK = "https://github.com/tenstorrent/tt-xla/issues/12"
DRAM = "Out of Memory: Not enough space to allocate 12 B DRAM buffer across 12 banks"


@pytest.fixture
def matrix(tmp_path: Path) -> Matrix:
    yaml = f"""\
test_config:
  {A}:
    status: KNOWN_FAILURE_XFAIL
    bringup_status: FAILED_RUNTIME
    reason: "{DRAM} - {LINK}"
  {B}:
    status: KNOWN_FAILURE_XFAIL
    reason: "Buffer must be allocated on device!"
    arch_overrides:
      n150:
        reason: "DRAM OOM"
  {C}:
    status: NOT_SUPPORTED_SKIP
    reason: "Buffer must be allocated on device"
"""
    return index(write_checkout(tmp_path, {"alpha/pytorch": loader_source("abc")}, {INFERENCE: yaml}))


def clusters_of(matrix: Matrix, rows: list[Observation]) -> tuple[Cluster, ...]:
    """The clusters of entries and of these results."""
    return find_clusters(matrix, last_failures(Results(sorted(rows, key=lambda row: row.when))))


def test_entries_by_what_they_tell(matrix: Matrix) -> None:
    buffer, dram = find_clusters(matrix)
    assert dram.canonical == "Out of Memory: not enough space for a DRAM buffer"
    assert [(one.id, one.arch) for one in dram.members] == [(A, "n150"), (A, "p150"), (B, "n150")]
    assert (dram.issues, dram.stages) == (("tenstorrent/tt-xla#12",), {"FAILED_RUNTIME": 2})
    assert dram.archs == {"n150": 2, "p150": 1}
    assert dram.texts == {DRAM: 2, "DRAM OOM": 1}
    assert buffer.ids == (B, C)
    # Occurs twice, on n150 and on p150 of C.
    assert buffer.canonical == "Buffer must be allocated on device"


def test_a_result_joins_by_its_message_and_is_alone_by_what_was_raised(matrix: Matrix) -> None:
    """The message of a report differs from run to run of one failure (docs/rules.md 11)."""
    raised = "ValueError: the wrapper gave up"
    known = observed(Ending.FAILED, DRAM, raised=raised, test_id=A)
    found = clusters_of(matrix, [known, observed(Ending.FAILED, "error: bad gather", raised=raised, test_id=C)])
    dram, wrapper = (next(one for one in found if text in one.canonical) for text in ("DRAM", "wrapper"))
    assert [one.id for one in dram.members if one.seen] == [A]
    assert (wrapper.ids, wrapper.canonical) == ((C,), raised)


def test_results_join_the_cluster_they_tell_of(matrix: Matrix) -> None:
    rows = [
        observed(Ending.FAILED, "TypeError: no", test_id=A, when=1.0),
        observed(Ending.FAILED, f"RuntimeError: {DRAM}", test_id=A, when=2.0),
        observed(Ending.FAILED, "TypeError: list indices", test_id=C, stage=BringupStatus.FAILED_FE_COMPILATION),
    ]
    error, dram, buffer = clusters_of(matrix, rows)
    assert next(one for one in dram.members if one.id == A and one.arch == "n150").seen == rows[1]
    (member,) = error.members
    assert (member.id, member.declared, member.seen) == (C, "", rows[2])
    assert member.stage == "FAILED_FE_COMPILATION"
    assert error.canonical == "TypeError: list indices"
    assert C in buffer.ids


def test_a_pass_takes_an_old_failure_back(matrix: Matrix) -> None:
    rows = [observed(Ending.FAILED, "TypeError: x", test_id=C, when=1.0), observed(test_id=C, when=2 * DAY)]
    assert len(clusters_of(matrix, rows)) == len(find_clusters(matrix))
    assert list(newest(reversed(rows))) == [rows[1]]
    # A line that says nothing about the model does not hide one that does.
    assert list(newest([rows[0], observed(Ending.NOT_RUN, test_id=C, when=3 * DAY)])) == [rows[0]]


def test_the_real_reasons_come_to_few_clusters(tmp_path: Path, shared_test_config: Path) -> None:
    checkout = write_checkout(tmp_path, {}, {})
    for file in shared_test_config.rglob("*.yaml"):
        (checkout.test_config / file.relative_to(shared_test_config)).write_bytes(file.read_bytes())
    clusters = find_clusters(index(Checkout(tmp_path)))
    assert len(clusters) <= 120
    assert sum(len(one.ids) for one in clusters[:10]) > 400


def night(number: int, **endings: Ending) -> list[Observation]:
    """The results of one night, by the last letter of a test; failures are of one cause."""
    return [
        observed(
            ending,
            "" if ending is Ending.PASSED else "TypeError: no",
            test_id={"a": A, "b": B, "c": C}[name],
            run=f"nightly-{number}",
            when=number * DAY,
        )
        for name, ending in endings.items()
    ]


P, X, AGAIN = Ending.PASSED, Ending.FAILED, Ending.FLAKY


def only(matrix: Matrix, rows: list[Observation]) -> Cluster:
    """The cluster of what is in no entry."""
    return next(one for one in clusters_of(matrix, rows) if one.canonical == "TypeError: no")


def test_the_age_is_that_of_the_failure(matrix: Matrix) -> None:
    rows = [row for at in range(1, 9) for row in night(at, a=P if at < 6 else X, b=P if at < 8 else X)]
    cluster = only(matrix, rows)
    assert cluster.first_bad is not None and cluster.first_bad.run == "nightly-6"
    assert (cluster.age(10 * DAY), cluster.lately) == (4, 2)
    assert [one.failure.began.run for one in cluster.members if one.failure] == ["nightly-6", "nightly-8"]
    assert find_clusters(matrix)[0].age(10 * DAY) is None, "nothing has run"


def test_another_cause_is_another_failure(matrix: Matrix) -> None:
    """What an expected failure fails of since last night is not as old as the entry, nor as its failures."""
    before = [row for at in range(1, 5) for row in night(at, a=X)]
    other = [replace(row, reason="TT_FATAL: no such layout") for row in night(5, a=X)]
    cluster = next(one for one in clusters_of(matrix, [*before, *other]) if "layout" in one.canonical)
    assert cluster.first_bad is not None and cluster.first_bad.run == "nightly-5"


def test_what_failed_last_night_is_there_flaky_or_not(matrix: Matrix) -> None:
    """A test that keeps turning, one that passed when it was repeated, and one that passed in a later job."""
    nights = [row for at in range(1, 9) for row in night(at, a=X if at % 2 else P, b=P, c=P)]
    last = [*night(9, a=X, b=AGAIN, c=X), replace(night(9, c=P)[0], when=9 * DAY + 60, run="later")]
    cluster = only(matrix, [*nights, *last])
    assert cluster.ids == (A, B, C) and cluster.lately == 3
    began = {one.id: one.failure.began.run for one in cluster.members if one.failure}
    assert began == {A: "nightly-1", B: "nightly-9", C: "nightly-9"}, "a flaky one fails since it first did"


def test_an_older_failure_that_has_passed_since_is_over(matrix: Matrix) -> None:
    rows = [*night(1, a=P, b=X), *night(2, a=X, b=X), *night(3, a=P, b=P), *night(5, a=P, b=P)]
    assert len(clusters_of(matrix, rows)) == len(find_clusters(matrix))


def test_what_began_last_comes_first_and_then_what_entries_declare(matrix: Matrix) -> None:
    rows = [row for at in range(1, 9) for row in night(at, a=P if at < 4 else X)]
    fresh = replace(night(8, c=X)[0], reason="error: bad gather")
    older = replace(night(5, b=X)[0], reason="KeyError: 3")
    found = [one.canonical for one in clusters_of(matrix, [*rows, fresh, older])]
    assert found[:3] == ["error: bad gather", "TypeError: no", "KeyError: 3"], "the last one did not run last night"
    assert found[3:] == [one.canonical for one in find_clusters(matrix)]


def test_stored_results_give_the_same_clusters(matrix: Matrix, tmp_path: Path) -> None:
    nights = [night(at, a=X if at % 2 else P, b=P if at < 5 else X, c=AGAIN) for at in range(1, 10)]
    store = EvidenceStore(tmp_path / "x.sqlite")
    store.add([report(*rows, digest=str(at), run=f"nightly-{at}") for at, rows in enumerate(nights, 1)])
    rows = [row for some in nights for row in some]
    assert set(last_failures(Results((), store))) == set(last_failures(Results(rows)))
    assert find_clusters(matrix, last_failures(Results((), store))) == clusters_of(matrix, rows)
