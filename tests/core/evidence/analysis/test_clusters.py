# SPDX-License-Identifier: Apache-2.0
"""core.evidence.analysis.clusters: failures grouped by what their reasons say."""

from pathlib import Path

import pytest

from core.evidence.analysis.clusters import Cluster, ClusterCell, find_clusters, oldest
from core.evidence.observation import Ending, newest
from core.matrix.indexing import index
from core.matrix.matrix import Matrix
from core.model import BringupStatus
from core.sources.checkout import Checkout
from tests.support.evidence import observed
from tests.support.tree import INFERENCE, loader_source, write_checkout

A, B, C = (f"alpha/pytorch-{name}-single_device-inference" for name in "abc")
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
    found = find_clusters(matrix, [known, observed(Ending.FAILED, "error: bad gather", raised=raised, test_id=C)])
    dram, wrapper = (next(one for one in found if text in one.canonical) for text in ("DRAM", "wrapper"))
    assert [one.id for one in dram.members if one.seen] == [A]
    assert (wrapper.ids, wrapper.canonical) == ((C,), raised)


def test_results_join_the_cluster_they_tell_of(matrix: Matrix) -> None:
    rows = [
        observed(Ending.FAILED, "TypeError: no", test_id=A, when=1.0),
        observed(Ending.FAILED, f"RuntimeError: {DRAM}", test_id=A, when=2.0),
        observed(Ending.FAILED, "TypeError: list indices", test_id=C, stage=BringupStatus.FAILED_FE_COMPILATION),
    ]
    buffer, dram, error = find_clusters(matrix, rows)
    assert next(one for one in dram.members if one.id == A and one.arch == "n150").seen == rows[1]
    (member,) = error.members
    assert (member.id, member.declared, member.seen) == (C, "", rows[2])
    assert member.stage == "FAILED_FE_COMPILATION"
    assert error.canonical == "TypeError: list indices"
    assert C in buffer.ids


def test_a_pass_takes_an_old_failure_back(matrix: Matrix) -> None:
    rows = [observed(Ending.FAILED, "TypeError: x", test_id=C, when=1.0), observed(test_id=C, when=2.0)]
    assert len(find_clusters(matrix, rows)) == len(find_clusters(matrix))
    assert list(newest(reversed(rows))) == [rows[1]]
    # A line that says nothing about the model does not hide one that does.
    assert list(newest([rows[0], observed(Ending.NOT_RUN, test_id=C, when=3.0)])) == [rows[0]]


def test_the_real_reasons_come_to_few_clusters(tmp_path: Path, shared_test_config: Path) -> None:
    checkout = write_checkout(tmp_path, {}, {})
    for file in shared_test_config.rglob("*.yaml"):
        (checkout.test_config / file.relative_to(shared_test_config)).write_bytes(file.read_bytes())
    clusters = find_clusters(index(Checkout(tmp_path)))
    assert len(clusters) <= 120
    assert sum(len(one.ids) for one in clusters[:10]) > 400


def test_the_oldest_entry_counts() -> None:
    cluster = Cluster("x", "x", (ClusterCell("a", "n150"), ClusterCell("b", "n150"), ClusterCell("c", "n150")))
    assert oldest(cluster, {"a": 3, "b": 9}) == 9
    assert oldest(cluster, {}) is None
