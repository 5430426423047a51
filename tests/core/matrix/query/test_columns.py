# SPDX-License-Identifier: Apache-2.0
"""Columns made for queries agree with the ids and entries they are made of."""

from pathlib import Path

import pytest

from core.domain.ids import TestId
from core.domain.model import TEST_MODULE, Function
from core.matrix import Matrix, Universe, index, resolve
from core.matrix.query import assert_pcc_column, has_column, llm_column, required_pcc_column, variant_column
from core.matrix.query.columns import function_column, is_column
from tests.support.tree import INFERENCE, LOADERS, sample, write_checkout

TINY, NET = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug"))
PCC = f"""\
test_config:
  {TINY}:
    status: EXPECTED_PASSING
    required_pcc: 0.98
    supported_archs: [n150, p150]
    arch_overrides:
      p150:
        required_pcc: 0.97
        status: KNOWN_FAILURE_XFAIL
        reason: "Low - https://github.com/tenstorrent/tt-xla/issues/12"
      n150:
        status: KNOWN_FAILURE_XFAIL
  {NET}:
    status: EXPECTED_PASSING
    assert_pcc: false
    reason: "See https://github.com/tenstorrent/tt-xla/pull/12"
"""
AGAIN = f"test_config:\n  {NET}:\n    assert_pcc: 'false'\n"


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return index(write_checkout(tmp_path_factory.mktemp("checkout"), LOADERS, {INFERENCE: PCC}))


@pytest.mark.parametrize("universe", list(Universe))
def test_parts_agree_with_the_id(tmp_path: Path, universe: Universe) -> None:
    placeholders = "PLACEHOLDER_MODELS:\n  org/Some Model:\n    bringup_status: NOT_STARTED\n"
    stray = f"test_config:\n  alpha/pytorch-gone-data_parallel-training:\n  what is this:\n  {NET}:\n"
    yaml = {INFERENCE: stray, "torch/test_config_placeholders.yaml": placeholders}
    matrix = index(write_checkout(tmp_path, LOADERS, yaml), universe)
    for row, id in enumerate(matrix.ids):
        parsed = TestId.parse(id)
        shape = parsed.llm if parsed else None
        assert variant_column(matrix)[row] == ((parsed.variant or "") if parsed else "")
        assert llm_column(matrix, "seq")[row] == (str(shape.seq_len) if shape else "")
        assert llm_column(matrix, "batch")[row] == (str(shape.batch_size) if shape else "")
        assert llm_column(matrix, "mesh")[row] == (shape.mesh.removeprefix("mesh_") if shape else "")
        assert set(function_column(matrix)[row]) == set(matrix.functions(row))


def test_functions_of_a_checkout_with_the_first_decode_tests(tmp_path: Path) -> None:
    checkout = write_checkout(tmp_path, LOADERS, {})
    (checkout.root / TEST_MODULE).write_text(
        '@parametrize([param(A, id="inference"), param(B, id="tensor_parallel")])\ndef test_llms_decode_torch(): ...\n'
    )
    matrix = index(checkout, Universe.COLLECTED)
    found = {row: set(function_column(matrix)[row]) for row in range(len(matrix.ids))}
    assert found == {row: set(matrix.functions(row)) for row in found}
    assert [matrix.ids[row] for row, functions in found.items() if Function.LLM_DECODE in functions] == [
        f"beta/causal_lm/pytorch-{variant}-tensor_parallel-inference" for variant in ("1B", "3B")
    ]


def test_effective_values_are_those_of_the_arch(matrix: Matrix) -> None:
    def pcc(id: str, arch: str = "") -> set[str]:
        return set(required_pcc_column(matrix, arch)[matrix.rows[id]])

    assert pcc(TINY) == {"0.98", "0.97"}
    assert (pcc(TINY, "n150"), pcc(TINY, "p150"), pcc(TINY, "n300")) == ({"0.98"}, {"0.97"}, {"0.98"})
    assert pcc(NET) == {str(resolve(None, "required_pcc", None).value)}
    assert assert_pcc_column(matrix, "n150")[matrix.rows[NET]] == ("false",)
    assert assert_pcc_column(matrix, "n150")[matrix.rows[TINY]] == ("true",)


def test_has(matrix: Matrix) -> None:
    has = has_column(matrix)
    assert set(has[matrix.rows[TINY]]) == {"entry", "override", "reason", "issue", "pcc"}
    # A pull request is not an issue.
    assert set(has[matrix.rows[NET]]) == {"entry", "reason"}
    assert has[matrix.rows["gamma/jax-Base-single_device-training"]] == ()


def test_is(matrix: Matrix, tmp_path: Path) -> None:
    assert is_column(matrix)[matrix.rows[TINY]] == ("known", "shadowed")
    assert is_column(matrix)[matrix.rows[NET]] == ("known",)
    other = index(sample(tmp_path))
    assert is_column(other)[other.rows[NET]] == ("known", "mixed")
    assert is_column(other)[other.rows["alpha/pytorch-gone-single_device-training"]] == ("stray",)


def test_an_id_with_two_entries_is_a_duplicate(tmp_path: Path) -> None:
    yaml = {INFERENCE: PCC, "torch/test_config_inference_tensor_parallel.yaml": AGAIN}
    matrix = index(write_checkout(tmp_path, LOADERS, yaml))
    assert is_column(matrix)[matrix.rows[NET]] == ("known", "duplicate")
    # A text is not a literal: it does not disable anything.
    assert assert_pcc_column(matrix, "n150")[matrix.rows[NET]] == ("true",)
    assert "duplicate" not in is_column(matrix)[matrix.rows[TINY]]


def test_a_column_is_made_once_and_anew_for_another_matrix(matrix: Matrix, tmp_path: Path) -> None:
    first = variant_column(matrix)
    assert variant_column(matrix) is first
    assert required_pcc_column(matrix, "n150") is not required_pcc_column(matrix, "p150")
    other = index(sample(tmp_path))
    assert len(is_column(other).masks) == len(other.ids)
    assert variant_column(matrix) is not first
