# SPDX-License-Identifier: Apache-2.0
"""Counts by status, and their shares of a bar."""

import pytest
from hypothesis import given, strategies as st

from core.domain.model import Status
from core.matrix import NO_ARCH, Matrix, index
from core.matrix.view import MIXED, shares
from core.matrix.view.tally import WORDS, status_words, tally
from tests.support.tree import sample

NET = "alpha/pytorch-net-v1.5+aug-single_device-inference"

COUNTS = st.dictionaries(st.sampled_from(WORDS), st.integers(0, 10**6))


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return index(sample(tmp_path_factory.mktemp("checkout")))


def test_without_an_arch_a_test_whose_archs_differ_is_mixed(matrix: Matrix) -> None:
    row = matrix.rows[NET]
    assert status_words(matrix, NO_ARCH)[row] == MIXED
    assert status_words(matrix, "n150")[row] == Status.KNOWN_FAILURE_XFAIL
    assert status_words(matrix, "n300-llmbox")[row] == Status.EXPECTED_PASSING


def test_every_row_is_counted_once(matrix: Matrix) -> None:
    counts = tally(status_words(matrix, NO_ARCH), range(len(matrix.ids)))
    assert sum(counts.values()) == len(matrix.ids)
    assert list(counts) == [word for word in WORDS if word in counts]
    assert counts[MIXED] == 1


def test_shares_show_what_is_rare() -> None:
    assert shares({"a": 10_000, "b": 1, "c": 0}, 10) == {"a": 9, "b": 1}
    assert shares({"a": 1, "b": 1}, 10) == {"a": 5, "b": 5}
    assert shares({}, 10) == {}
    assert shares({"a": 5, "b": 9}, 1) == {"b": 1}


@given(COUNTS, st.integers(0, 60))
def test_shares_add_up_and_leave_nothing_out(counts: dict[str, int], width: int) -> None:
    cells = shares(counts, width)
    present = {word for word, count in counts.items() if count}
    assert sum(cells.values()) == (width if present and width >= len(present) else min(width, len(present)))
    assert set(cells) <= present
    assert set(cells) == present or width < len(present)
    assert all(cells.values())
    for one in cells:
        assert all(cells[one] >= cells[other] for other in cells if counts[one] > counts[other])
