# SPDX-License-Identifier: Apache-2.0
"""Everything known about one id."""

from pathlib import Path

import pytest

from core.domain.model import Provenance
from core.matrix import Matrix, describe, index
from tests.support.tree import INFERENCE, LOADERS, YAML, sample, write_checkout

NET = "alpha/pytorch-net-v1.5+aug-single_device-inference"


@pytest.fixture
def matrix(tmp_path: Path) -> Matrix:
    return index(sample(tmp_path))


def test_entry_and_effective_values(matrix: Matrix) -> None:
    detail = describe(matrix, NET)
    assert detail.node_id == f"tests/runner/test_models.py::test_all_models_torch[{NET}]"
    assert detail.loader == "third_party/tt_forge_models/alpha/pytorch/loader.py"
    assert detail.supported == ("n150", "n300-llmbox")
    assert [(one.path, one.entry.line) for one in detail.declared] == [(f"tests/runner/test_config/{INFERENCE}", 5)]
    assert list(detail.effective["n150"]) == ["status", "supported_archs", "reason"]
    groups = [(value.value, value.provenance, archs) for value, archs in detail.grouped("status")]
    assert groups == [
        ("KNOWN_FAILURE_XFAIL", Provenance.OVERRIDE, ("n150",)),
        ("EXPECTED_PASSING", Provenance.ENTRY, ("n300-llmbox",)),
    ]
    assert set(detail.siblings) == set(matrix.entries) - {NET}


def test_a_test_without_entry(matrix: Matrix) -> None:
    detail = describe(matrix, "delta/pytorch-data_parallel-training")
    assert (detail.declared, detail.siblings, detail.known) == ((), (), True)
    assert [(value.value, archs) for value, archs in detail.grouped("status")] == [("UNSPECIFIED", ("n150", "p150"))]


def test_an_entry_without_a_test(matrix: Matrix) -> None:
    detail = describe(matrix, "alpha/pytorch-gone-single_device-training")
    assert not detail.known
    assert detail.loader.endswith("alpha/pytorch/loader.py")


def test_every_place_of_an_id_is_shown_in_merge_order(tmp_path: Path) -> None:
    late = f"test_config:\n  {NET}:\n    status: NOT_SUPPORTED_SKIP\n"
    name = "torch_llm/test_config_inference_single_device.yaml"
    detail = describe(index(write_checkout(tmp_path, LOADERS, YAML | {name: late})), NET)
    assert [one.entry.file for one in detail.declared] == [INFERENCE, name]
    assert detail.grouped("status")[0][0].value == "NOT_SUPPORTED_SKIP"


def test_an_arch_that_the_checkout_does_not_know_is_still_shown(tmp_path: Path) -> None:
    text = f"test_config:\n  {NET}:\n    status: EXPECTED_PASSING\n    supported_archs: [z9]\n"
    detail = describe(index(write_checkout(tmp_path, LOADERS, {INFERENCE: text})), NET)
    assert detail.supported == ("z9",)
    assert detail.grouped("status")[0][1] == ("z9",)
