# SPDX-License-Identifier: Apache-2.0
"""Loaders and entries join into one matrix, cell by cell."""

from pathlib import Path

import pytest

from core.matrix.index import NO_ARCH, Matrix, Universe, index
from core.model import Function
from tests.support.tree import INFERENCE, LOADERS, YAML, sample, write_checkout

XFAIL_ON_N150 = "alpha/pytorch-net-v1.5+aug-single_device-inference"


@pytest.fixture
def matrix(tmp_path: Path) -> Matrix:
    return index(sample(tmp_path))


def test_rows_are_the_validators_ids_and_every_entry(matrix: Matrix) -> None:
    assert len(matrix.known) == 3 * 6 + 2 * 6 + 2 * 72 + 720 + 6 + 6
    assert set(matrix.ids) == matrix.known | {"alpha/pytorch-gone-single_device-training"}
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


def test_parts_of_an_id(matrix: Matrix) -> None:
    row = matrix.rows["beta/causal_lm/pytorch-1B-llm_decode-seq_1-batch_1-single_device-mesh_default-inference"]
    parts = {name: matrix.columns[name][row] for name in ("loader", "framework", "phase", "parallelism", "mode")}
    assert parts == {
        "loader": "beta/causal_lm/pytorch",
        "framework": "pytorch",
        "phase": "llm_decode",
        "parallelism": "single_device",
        "mode": "inference",
    }
    assert matrix.function(row) is Function.LLM
    loader = matrix.loader(row)
    assert loader is not None
    assert loader.has_decode


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


def test_collected_universe_leaves_out_and_adds(tmp_path: Path) -> None:
    placeholders = "PLACEHOLDER_MODELS:\n  org/Some Model:\n    bringup_status: NOT_STARTED\n"
    checkout = write_checkout(tmp_path, LOADERS, YAML | {"torch/test_config_placeholders.yaml": placeholders})
    matrix = index(checkout, Universe.COLLECTED)
    assert "org/Some Model" in matrix.known
    assert len(matrix.known) == 3 * 6 + 2 * 6 + 2 * 864 + 864 + 6 + 6 + 1


def test_findings_of_all_sources_are_gathered(tmp_path: Path) -> None:
    checkout = write_checkout(tmp_path, LOADERS | {"bad/pytorch": "class ("}, YAML | {INFERENCE: "a: ["})
    assert sorted(finding.kind for finding in index(checkout).findings) == ["broken-loader", "broken-yaml"]


def test_closest(matrix: Matrix) -> None:
    assert matrix.closest("net-v1.5")[0].startswith("alpha/pytorch-net-v1.5+aug")
    assert matrix.closest("alpha/pytorch-tinny-single_device-training", 1) == [
        "alpha/pytorch-tiny-single_device-training"
    ]
    assert matrix.closest("zzzzzzzzzz") == []
