# SPDX-License-Identifier: Apache-2.0
"""The words of the domain as values."""

from core.domain.model import Entry, Function, ModelInfo, node_id


def test_node_id() -> None:
    assert node_id(Function.TORCH, "a-b") == "tests/runner/test_models.py::test_all_models_torch[a-b]"


def test_overrides_leave_malformed_ones_out() -> None:
    entry = Entry("x", "f", 1, 2, {"arch_overrides": {"n150": {"status": "X"}, "p150": None}})
    assert entry.overrides == {"n150": {"status": "X"}}
    assert Entry("x", "f", 1, 2, {"arch_overrides": None}).overrides == {}


def test_the_name_of_a_model_info_joins_its_parts() -> None:
    info = ModelInfo("Qwen 2.5", "0.5B", "red", "nlp_causal_lm", "huggingface", "pytorch")
    assert info.name == "pytorch_Qwen 2.5_0.5B_nlp_causal_lm_huggingface"
    assert info._replace(variant=None).name == "pytorch_Qwen 2.5_None_nlp_causal_lm_huggingface"
    assert info._replace(group="generality").name == info.name
