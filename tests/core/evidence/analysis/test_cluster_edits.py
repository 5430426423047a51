# SPDX-License-Identifier: Apache-2.0
"""core.evidence.analysis.clusters: one text or one link for all entries of a cluster."""

from pathlib import Path

import pytest

from core.base.errors import UsageError
from core.edits import Operation, OpKind
from core.evidence.analysis import Cluster, find_clusters, issue_link, with_canonical, with_link
from core.matrix import Matrix, index
from tests.support.tree import INFERENCE, loader_source, write_checkout

A, B, C = (f"alpha/pytorch-{name}-single_device-inference" for name in "abc")
LINK = "https://github.com/tenstorrent/tt-xla/issues/12"
NEW = "https://github.com/tenstorrent/tt-xla/issues/99"


@pytest.fixture
def matrix(tmp_path: Path) -> Matrix:
    yaml = f"""\
test_config:
  {A}:
    status: KNOWN_FAILURE_XFAIL
    reason: "DRAM OOM. Tracked by {LINK}."
  {B}:
    status: EXPECTED_PASSING
    arch_overrides:
      n150:
        status: KNOWN_FAILURE_XFAIL
        reason: "OOM DRAM"
  {C}:
    status: KNOWN_FAILURE_XFAIL
    reason: "DRAM is full - {LINK}"
"""
    return index(write_checkout(tmp_path, {"alpha/pytorch": loader_source("abc")}, {INFERENCE: yaml}))


@pytest.fixture
def cluster(matrix: Matrix) -> Cluster:
    return next(one for one in find_clusters(matrix) if A in one.ids)


def _set(id: str, path: tuple[str, ...], value: str) -> Operation:
    return Operation(OpKind.SET, id, INFERENCE, path, value)


def test_one_text_for_all_and_links_stay(matrix: Matrix, cluster: Cluster) -> None:
    assert cluster.ids == (A, B)
    assert with_canonical(matrix, cluster, "DRAM full") == (
        _set(A, ("reason",), f"DRAM full - {LINK}"),
        _set(B, ("arch_overrides", "n150", "reason"), "DRAM full"),
    )


def test_an_entry_that_says_it_already_is_left_alone(matrix: Matrix, cluster: Cluster) -> None:
    assert [op.id for op in with_canonical(matrix, cluster, "DRAM OOM")] == [B]


def test_a_link_for_those_without(matrix: Matrix, cluster: Cluster) -> None:
    expected = (_set(B, ("arch_overrides", "n150", "reason"), f"OOM DRAM - {NEW}"),)
    assert with_link(matrix, cluster, NEW) == with_link(matrix, cluster, "tenstorrent/tt-xla#99") == expected
    assert with_link(matrix, cluster, " 99 ") == expected


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("99999", "tenstorrent/tt-xla/issues/99999"),
        ("#99999", "tenstorrent/tt-xla/issues/99999"),
        # As the column of clusters shows it.
        ("tt-xla#99999", "tenstorrent/tt-xla/issues/99999"),
        ("tt-mlir#5", "tenstorrent/tt-mlir/issues/5"),
        (" other/place#5 ", "other/place/issues/5"),
        ("https://github.com/other/place/issues/5", "other/place/issues/5"),
        ("github.com/other/place/issues/5", "other/place/issues/5"),
    ],
)
def test_an_issue_in_every_form_that_is_shown(text: str, place: str) -> None:
    assert issue_link(text) == f"https://github.com/{place}"


@pytest.mark.parametrize(
    "text", ["", "5x", "tt-xla", "tt-xla#", "tt-xla#x", "a/b/c#5", "see http://x", "tt-xla5", "\u0665"]
)
def test_what_is_no_issue(text: str) -> None:
    with pytest.raises(UsageError, match="not an issue reference"):
        issue_link(text)


@pytest.mark.parametrize("text", ["", " ", "a\nb"])
def test_what_is_no_reason(matrix: Matrix, cluster: Cluster, text: str) -> None:
    with pytest.raises(UsageError, match="one line"):
        with_canonical(matrix, cluster, text)
