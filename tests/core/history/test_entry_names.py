# SPDX-License-Identifier: Apache-2.0
"""Ids that were renamed keep their name; other models and other tests have another."""

import pytest

from core.history.pairing import Name, name_of, shape_differences


def name(id: str) -> Name:
    found = name_of(id)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("falcon/jax-tiiuae/Falcon3-1B-single_device-inference", "falcon/jax-3_1B_tiiuae-single_device-inference"),
        ("vit/pytorch-large_patch16-single_device-full-training", "vit/pytorch-Large_Patch16-single_device-training"),
        ("swin/x/pytorch-swin_t-data_parallel-inference", "swin/x/pytorch-T-data_parallel-inference"),
        (
            "a/pytorch-b-llm_decode-single_device-inference",
            "a/pytorch-B-llm_decode-seq_1-batch_1-single_device-inference",
        ),
    ],
)
def test_the_same_name(before: str, after: str) -> None:
    one, other = name(before), name(after)
    assert (one.kind, one.words) == (other.kind, other.words)
    assert shape_differences(one, other) == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("vit/pytorch-base-single_device-inference", "vit/pytorch-large-single_device-inference"),
        ("vit/pytorch-base-single_device-inference", "vit/pytorch-base-single_device-training"),
        ("vit/pytorch-base-single_device-inference", "vit/jax-base-single_device-inference"),
        ("vit/pytorch-base-single_device-inference", "vit/pytorch-base-data_parallel-inference"),
        ("llama/pytorch-3_8B-single_device-inference", "llama/pytorch-3_1B-single_device-inference"),
    ],
)
def test_another_name(one: str, other: str) -> None:
    assert (name(one).kind, name(one).words) != (name(other).kind, name(other).words)


def test_differences_of_shapes_count_only_what_both_say() -> None:
    base = "a/pytorch-b-llm_prefill-seq_128-batch_1-"
    plain = name(f"{base}single_device-inference")
    assert shape_differences(plain, name(f"{base}single_device-mesh_2x4-inference")) == 0
    assert shape_differences(plain, name(f"{base.replace('128', '256')}single_device-mesh_2x4-inference")) == 1
    assert shape_differences(plain, name("a/pytorch-b-llm_decode-seq_1-batch_1-single_device-inference")) == 2


def test_a_placeholder_has_no_name() -> None:
    assert name_of("a model to come") is None
