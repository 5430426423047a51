# SPDX-License-Identifier: Apache-2.0
"""Ids in narrow columns: one rule for all of a column, what all share is said once, and no variant is cut."""

from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st

from core.domain.ids import TestId
from tui.view_models import IdLook
from tui.view_models.ids import IdColumn, short_id

_LONG = "qwen_2_5/causal_lm/pytorch-0.5B_Instruct-llm_decode-seq_1-batch_1-fsdp-dp-tensor_parallel-mesh_2x4-training"


@pytest.mark.parametrize(
    ("width", "text"),
    [
        (200, _LONG),
        (100, "qwen_2_5/causal_lm/pt-0.5B_Instruct-dec-s1-b1-fsdp-dp-tensor-2x4-train"),
        (64, "qwen_2_5/c…m/pt-0.5B_Instruct-dec-s1-b1-fsdp-dp-tensor-2x4-train"),
        (56, "…0.5B_Instruct-dec-s1-b1-fsdp-dp-tensor-2x4-train"),
        (40, "…0.5B_Instruct-dec-s1-b1…ensor-2x4-train"),
    ],
)
def test_an_id_gives_way_in_what_ids_share(width: int, text: str) -> None:
    found = short_id(_LONG, width)
    assert len(found) <= width
    assert found == text


def test_ids_that_differ_in_the_variant_or_the_mode_stay_apart() -> None:
    variants = ("Nano_1L", "Nano_2L", "Nano_12L_Instruct")
    ids = [
        f"nano_lm/causal_lm/pytorch-{variant}-llm_decode-seq_1-batch_1-single_device-mesh_default-{mode}"
        for variant in variants
        for mode in ("inference", "training")
    ]
    for width in (44, 60, 80):
        assert len({short_id(id, width) for id in ids}) == len(ids)
    assert all(variant in short_id(f"a_model/pytorch-{variant}-single_device-inference", 26) for variant in variants)


@pytest.mark.parametrize(
    ("directories", "rest"),
    [
        (
            ("swin/image_classification", "swin/masked_image_modeling"),
            "v2_Tiny_Patch4_Window8_256-single_device-training",
        ),
        (
            ("ultra_fast_lane_detection", "ultra_fast_lane_detection_v2"),
            "TuSimple_ResNet34_Backbone-data_parallel-inference",
        ),
        (
            ("llama/causal_lm", "llama_lora/causal_lm"),
            "3.2_1B-llm_prefill-seq_128-batch_1-single_device-mesh_default-training",
        ),
        (("albert/masked_lm", "albert/token_classification"), "Base_v1-data_parallel-inference"),
    ],
)
def test_ids_that_differ_in_their_directories_stay_apart(directories: tuple[str, str], rest: str) -> None:
    one, other = (f"{directory}/pytorch-{rest}" for directory in directories)
    assert all(short_id(one, width) != short_id(other, width) for width in (52, 60, 67, 80, 120))


def test_without_a_variant_the_directory_stays() -> None:
    ids = [f"{name}/pytorch-single_device-inference" for name in ("drifted", "stale", "pcc-tight")]
    assert [short_id(id, 21) for id in ids] == [
        "drifted/pt-single-inf",
        "stale/pt-single-inf",
        "pcc-tight-single-inf",
    ]
    assert all(id.partition("/")[0] in short_id(id, 17) for id in ids)


def test_what_is_no_id_loses_its_middle() -> None:
    assert short_id("a text that is longer than that", 12) == "a tex…n that"
    variant = "x" * 60
    assert len(short_id(f"a/pytorch-{variant}-single_device-inference", 20)) == 20


def _shown(ids: list[str], width: int) -> list[str]:
    look = IdColumn(ids).look(width)
    return [look.text(id, width) for id in ids]


def test_words_behind_an_id_do_not_change_how_it_is_shortened() -> None:
    """As in the nightly: the arch is behind the id of a cell."""
    id = "albert/masked_lm/pytorch-Base_v2-single_device-inference"
    for width in (34, 40, 50):
        assert short_id(f"{id} (n150)", width) == f"{short_id(id, width - 7)} (n150)"
    assert short_id(f"{id} (n150)", 46) == "albert/masked_lm/pt-Base_v2-single-inf (n150)"


def test_ids_that_fit_are_whole_and_can_be_copied() -> None:
    ids = ["a/pytorch-X-single_device-inference", "b/jax-Y-single_device-inference"]
    assert _shown(ids, 40) == ids


def test_what_all_share_is_said_once() -> None:
    ids = [f"llama/causal_lm/pytorch-{one}-single_device-inference" for one in ("3.1_8B_Instruct", "3.2_1B")]
    look = IdColumn(ids, "test id").look(58)
    assert look.said == "llama/causal_lm/pytorch-…-single_device-inference" and not look.short
    assert [look.text(id, 58) for id in ids] == ["3.1_8B_Instruct", "3.2_1B"]
    # What the head has no room for is not left out.
    assert IdColumn(ids, "test id").look(40).said == "…-single_device-inference"
    modes = ["x/pytorch-A-B-single_device-training", "x/pytorch-C-B-single_device-training"]
    assert IdColumn(modes).look(34).after == "-single_device-training", "a part of variants is no word of the grammar"


def test_what_all_share_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []

    def shared_end(ids: Sequence[str]) -> str:
        looked.append(len(ids))
        return "-inference"

    monkeypatch.setattr("tui.view_models.ids._shared_end", shared_end)
    column = IdColumn([f"{one}/pytorch-{'x' * 50}-inference" for one in "abc"])
    assert column.need == column.longest - len("-inference")
    assert [column.look(width).after for width in (80, 69, 40)] == ["", "-inference", "-inference"]
    assert looked == [3]


def test_one_long_id_has_the_words_of_all_abbreviated() -> None:
    ids = ["a/pytorch-X-single_device-inference", f"b/jax-{'Y' * 30}-data_parallel-training"]
    assert _shown(ids, 48) == ["a/pt-X-single-inf", f"b/jax-{'Y' * 30}-data-train"]


def test_node_ids_share_their_directories() -> None:
    ids = [f"tests/torch/single_chip/ops/test_{one}.py::test_{one}[dtype0]" for one in ("add", "matmul")]
    look = IdColumn(ids).look(48)
    assert look.said == "tests/torch/single_chip/ops/…"
    assert look.text(ids[0], 48) == "test_add.py::test_add[dtype0]"


@pytest.mark.parametrize(
    ("width", "text"),
    [
        (60, "graphs/test_attention.py::test_llama[3.0_8B-1024-llmbox]"),
        (50, "graphs/…tention.py::test_llama[3.0_8B-1024-llmbox]"),
        (30, "test_llama[3.0_8B-1024-llmbox]"),
        (24, "te…a[3.0_8B-1024-llmbox]"),
        (16, "graphs…4-llmbox]"),
    ],
)
def test_the_parameters_of_a_node_id_are_its_variant(width: int, text: str) -> None:
    assert short_id("graphs/test_attention.py::test_llama[3.0_8B-1024-llmbox]", width) == text


_VARIANTS = st.text("abAB01._-", min_size=1, max_size=14).map(lambda text: f"v{text}v")
_IDS = st.builds(
    lambda directory, variant, parallelism, mode: f"{directory}-{variant}-{parallelism}-{mode}",
    st.sampled_from(["a/pytorch", "llama/causal_lm/pytorch", "llama/causal_lm/jax", "b_long_name/of/it/jax"]),
    _VARIANTS,
    st.sampled_from(["single_device", "data_parallel", "tensor_parallel"]),
    st.sampled_from(["inference", "training"]),
)


@given(st.lists(_IDS, min_size=1, max_size=8, unique=True), st.integers(24, 90))
def test_every_row_fits_has_its_whole_variant_and_follows_one_rule(ids: list[str], width: int) -> None:
    look = IdColumn(ids, "test id").look(width)
    shown = [look.text(id, width) for id in ids]
    assert all(len(text) <= width for text in shown)
    for id, text in zip(ids, shown, strict=True):
        parsed = TestId.parse(id)
        assert parsed is not None and parsed.variant is not None and parsed.variant in text
    if look.short:
        assert not any(word in text for text in shown for word in ("single_device", "-inference", "-training"))
    else:
        assert [f"{look.before}{text}{look.after}" for text in shown] == ids


def test_text_that_only_looks_like_the_others_is_left_as_it_is() -> None:
    assert IdLook("a/", "-training", True).text("3 tests", 20) == "3 tests"
