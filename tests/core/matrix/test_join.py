# SPDX-License-Identifier: Apache-2.0
"""Loaders and entries join into one matrix, cell by cell."""

from pathlib import Path

import pytest

from core.matrix import NO_ARCH, Matrix, index
from tests.support.tree import INFERENCE, LOADERS, YAML, sample, write_checkout

XFAIL_ON_N150 = "alpha/pytorch-net-v1.5+aug-single_device-inference"


@pytest.fixture
def matrix(tmp_path: Path) -> Matrix:
    return index(sample(tmp_path))


def test_rows_are_the_validators_ids_and_every_entry(matrix: Matrix) -> None:
    assert len(matrix.universe()) == 3 * 6 + 2 * 6 + 2 * 72 + 720 + 6 + 6
    assert matrix.strays == {"alpha/pytorch-gone-single_device-training"} == set(matrix.ids) - set(matrix.universe())
    assert list(matrix.ids) == sorted(matrix.ids)
    assert all(matrix.ids[matrix.rows[id]] == id for id in matrix.ids)


def test_status_is_per_arch(matrix: Matrix) -> None:
    row = matrix.rows[XFAIL_ON_N150]
    assert matrix.status["n150"][row] == "KNOWN_FAILURE_XFAIL"
    assert matrix.status["p150"][row] == matrix.status[NO_ARCH][row] == "EXPECTED_PASSING"
    assert matrix.flags["arch"][row] == ("n150", "n300-llmbox")
    assert set(matrix.flags["status"][row]) == {"EXPECTED_PASSING", "KNOWN_FAILURE_XFAIL"}


def test_a_test_without_entry_is_unspecified_on_the_default_archs(matrix: Matrix) -> None:
    row = matrix.rows["gamma/jax-Base-single_device-training"]
    assert matrix.entry(row) is None
    assert matrix.flags["status"][row] == ("UNSPECIFIED",)
    assert matrix.flags["arch"][row] == ("n150", "p150")
    assert (matrix.columns["reason"][row], matrix.columns["file"][row]) == ("", "")


def test_an_entry_that_names_no_test_is_a_row_of_its_own(matrix: Matrix) -> None:
    row = matrix.rows["alpha/pytorch-gone-single_device-training"]
    entry = matrix.entry(row)
    assert entry is not None
    assert matrix.file_of(entry).name == entry.file
    assert matrix.columns["loader"][row] == "alpha/pytorch"
    assert matrix.status["n150"][row] == "EXPECTED_PASSING"


def test_a_key_that_is_no_id_at_all_is_shown_too(tmp_path: Path) -> None:
    matrix = index(
        write_checkout(tmp_path, LOADERS, {INFERENCE: "test_config:\n  what is this:\n    status: EXPECTED_PASSING\n"})
    )
    row = matrix.rows["what is this"]
    assert matrix.columns["parallelism"][row] == ""
    assert matrix.loader(row) is None


def test_the_later_file_wins(tmp_path: Path) -> None:
    id = "alpha/pytorch-tiny-single_device-inference"
    late = f"test_config:\n  {id}:\n    status: NOT_SUPPORTED_SKIP\n"
    matrix = index(
        write_checkout(tmp_path, LOADERS, YAML | {"torch_llm/test_config_inference_single_device.yaml": late})
    )
    assert matrix.entries[id].file == "torch_llm/test_config_inference_single_device.yaml"
    assert matrix.status[NO_ARCH][matrix.rows[id]] == "NOT_SUPPORTED_SKIP"
